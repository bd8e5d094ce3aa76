"""The fourth step: from a lab to the plan of its repository, `Lab -> Plan`.

It decides everything: which files there are, who owns them, and every value they print. What is left for `render` is to
fill in templates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.encode import Markdown, Python, Toml, python_text, python_words, toml_text
from labspec.emit.handout import plan_readme, plan_rubric, plan_submission
from labspec.emit.hints import plan_hints
from labspec.emit.layout import docstring, value
from labspec.emit.loop import APPEND_CHECKS, LINE_CHECKS, earned_comment, plan_loop
from labspec.emit.outputs import Copied, Edition, Output, Owner, Plan, Printed, Serialized
from labspec.emit.suite import checks_of, fixture_json, gates_json, plan_gate, plan_own_tests, shown_fixtures
from labspec.emit.templates import contract_modules

if TYPE_CHECKING:
    from labspec.lab.model import Lab


class RecordFile(NamedTuple):
    """What the template of `loop_exit.py` is given."""

    solved: bool
    reasons: Python
    line_gates: Python
    append_gates: Python


class CommandLine(NamedTuple):
    """What the template of `lab.py` is given."""

    module: Python
    exit_codes: Python


class Project(NamedTuple):
    """What the template of `pyproject.toml` is given."""

    name: Toml
    version: Toml
    description: Toml


def plan(lab: Lab, edition: Edition) -> Plan:
    """Plan the repository of a lab."""
    outputs = (*_handout(lab, edition), *_code(lab, edition), *_tests(lab, edition), *_bookkeeping(lab))
    return Plan(lab.id, lab.version, lab.digest, edition, outputs)


def _handout(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    return (
        Printed("README.md", "README.md", Markdown, plan_readme(lab, edition.hidden)),
        Printed("RUBRIC.md", "RUBRIC.md", Markdown, plan_rubric(lab, edition.hidden)),
        Printed("SUBMISSION.md", "SUBMISSION.md", Markdown, plan_submission(lab), "seeded"),
    )


def _code(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    parts = lab.starter
    loop_solved, ledger_solved, tests_solved = (
        edition.solution or part == "given" for part in (parts.loop, parts.ledger, parts.tests)
    )
    return (
        Printed("run_loop.py", "run_loop.py", Python, plan_loop(lab, loop_solved), _owner(parts.loop == "todo")),
        Printed(
            "loop_exit.py", "loop_exit.py", Python, _record_file(lab, ledger_solved), _owner(parts.ledger == "todo")
        ),
        Printed("lab.py", "lab.py", Python, _command_line(lab)),
        Printed("test_loop_exit.py", "test_loop_exit.py", Python, plan_own_tests(lab, tests_solved), "seeded"),
    )


def _owner(students: bool) -> Owner:
    return "seeded" if students else "generated"


def _tests(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    fixtures = shown_fixtures(lab, edition.hidden)
    gates = [gate for gate in lab.rubric if checks_of(gate, fixtures)]
    hints = plan_hints(lab, fixtures)
    return (
        *(Serialized(f"fixtures/{fixture.id}.json", fixture_json(fixture)) for fixture in fixtures),
        Copied("tests/conftest.py", "template", "tests/conftest.py"),
        *(
            Printed(f"tests/test_{gate.id}.py", "tests/test_gate.py", Python, plan_gate(lab, gate, fixtures, hints))
            for gate in gates
        ),
        Serialized("tests/gates.json", gates_json(lab, fixtures)),
        *(Copied(f"tests/contract/{name}", "contract", name) for name in contract_modules()),
    )


def _bookkeeping(lab: Lab) -> tuple[Output, ...]:
    copied = ("requirements-dev.txt", ".gitignore", ".gitattributes", ".github/workflows/lab.yml")
    project = Project(toml_text(lab.id), toml_text(lab.version), toml_text(lab.title))
    return (
        Printed("pyproject.toml", "pyproject.toml", Toml, project),
        *(Copied(name, "template", name) for name in copied),
    )


def _record_file(lab: Lab, solved: bool) -> RecordFile:
    names = [python_text(reason.name) for reason in lab.taxonomy]
    flat = Python.of("ExitReason = Literal[{}]", Python.joined(", ", names))
    lines = [Python("ExitReason = Literal["), *(Python.of("    {},", name) for name in names), Python("]")]
    return RecordFile(
        solved=solved,
        reasons=flat if len(flat) <= 88 else Python.joined("\n", lines),
        line_gates=earned_comment(lab, LINE_CHECKS, indent=8),
        append_gates=earned_comment(lab, APPEND_CHECKS, indent=4),
    )


def _command_line(lab: Lab) -> CommandLine:
    codes = {reason.name: reason.exit_code for reason in lab.taxonomy}
    return CommandLine(
        module=docstring(python_words(f"The command line of the lab, which is given: {lab.title}")),
        exit_codes=Python.of("EXIT_CODES = {}", value(codes, before=len("EXIT_CODES = "))),
    )
