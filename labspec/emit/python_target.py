"""The plan of a repository whose loop is written in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labspec.emit.encode import Markdown, Python, Toml, python_text, python_words, toml_text
from labspec.emit.handout import TargetWords
from labspec.emit.layout import docstring, value
from labspec.emit.loop import APPEND_CHECKS, LINE_CHECKS, earned_comment, plan_loop
from labspec.emit.outputs import Copied, Edition, Output, Printed
from labspec.emit.repository import contract_tests, handout, is_solved, owner_of
from labspec.emit.suite import plan_own_tests

if TYPE_CHECKING:
    from labspec.lab.model import Lab


@dataclass(frozen=True, slots=True)
class RecordFile:
    """What the template of `loop_exit.py` is given."""

    solved: bool
    reasons: Python
    line_gates: Python
    append_gates: Python


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What the template of `lab.py` is given."""

    module: Python
    exit_codes: Python


@dataclass(frozen=True, slots=True)
class Project:
    """What the template of `pyproject.toml` is given."""

    name: Toml
    version: Toml
    description: Toml


def plan_python(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    """The files of a repository in Python."""
    return (
        *handout(lab, edition, _words(lab)),
        *_code(lab, edition),
        *contract_tests(lab, edition),
        *_bookkeeping(lab),
    )


def _words(lab: Lab) -> TargetWords:
    parts = lab.starter
    files = (
        (parts.loop, "`run_loop.py`: the loop"),
        (parts.ledger, "`loop_exit.py`: how an exit becomes a line in the ledger"),
        (parts.tests, "`test_loop_exit.py`: tests of your own"),
    )
    return TargetWords(
        needs=Markdown("You need Python 3.10 or newer, and pytest."),
        runner=Markdown("python lab.py"),
        known_tools=Markdown("in `TOOLS`"),
        constant_of=lambda budget: f"MAX_{budget.upper()}",
        writes=tuple(Markdown(text) for part, text in files if part == "todo"),
    )


def _code(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    parts = lab.starter
    loop = plan_loop(lab, is_solved(parts.loop, edition))
    record = _record_file(lab, is_solved(parts.ledger, edition))
    own_tests = plan_own_tests(lab, is_solved(parts.tests, edition))
    return (
        Printed("run_loop.py", "python/run_loop.py", Python, loop, owner_of(parts.loop)),
        Printed("loop_exit.py", "python/loop_exit.py", Python, record, owner_of(parts.ledger)),
        Printed("lab.py", "python/lab.py", Python, _command_line(lab)),
        Printed("test_loop_exit.py", "python/test_loop_exit.py", Python, own_tests, "seeded"),
    )


def _bookkeeping(lab: Lab) -> tuple[Output, ...]:
    copied = ("requirements-dev.txt", ".gitignore", ".gitattributes", ".github/workflows/lab.yml")
    project = Project(toml_text(lab.id), toml_text(lab.version), toml_text(lab.title))
    return (
        Printed("pyproject.toml", "python/pyproject.toml", Toml, project),
        *(Copied(name, "template", f"python/{name}") for name in copied),
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
