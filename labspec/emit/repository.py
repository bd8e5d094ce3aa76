"""The parts of a repository that are the same for every target: what people read, the fixtures, the contract tests.

The plan of each target puts them beside its own code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit.encode import Markdown, Python
from labspec.emit.handout import TargetWords, plan_readme, plan_rubric, plan_submission
from labspec.emit.hints import plan_hints
from labspec.emit.outputs import Copied, Edition, Output, Owner, Printed, Serialized
from labspec.emit.suite import checks_of, fixture_json, gates_json, plan_gate, shown_fixtures
from labspec.emit.templates import contract_modules

if TYPE_CHECKING:
    from labspec.lab.model import Lab, Part


def handout(lab: Lab, edition: Edition, words: TargetWords) -> tuple[Output, ...]:
    """README, rubric and submission list; `words` are those that differ between targets."""
    return (
        Printed("README.md", "shared/README.md", Markdown, plan_readme(lab, edition.hidden, words)),
        Printed("RUBRIC.md", "shared/RUBRIC.md", Markdown, plan_rubric(lab, edition.hidden)),
        Printed("SUBMISSION.md", "shared/SUBMISSION.md", Markdown, plan_submission(lab), "seeded"),
    )


def contract_tests(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    """The fixtures, the test file of each gate with what it stands on, and the rubric as data."""
    fixtures = shown_fixtures(lab, edition.hidden)
    gates = [gate for gate in lab.rubric if checks_of(gate, fixtures)]
    hints = plan_hints(lab, fixtures)
    return (
        *(Serialized(f"fixtures/{fixture.id}.json", fixture_json(fixture)) for fixture in fixtures),
        Copied("tests/conftest.py", "template", "python/tests/conftest.py"),
        *(
            Printed(
                f"tests/test_{gate.id}.py", "shared/tests/test_gate.py", Python, plan_gate(lab, gate, fixtures, hints)
            )
            for gate in gates
        ),
        Serialized("tests/gates.json", gates_json(lab, fixtures)),
        *(Copied(f"tests/contract/{name}", "contract", name) for name in contract_modules()),
    )


def is_solved(part: Part, edition: Edition) -> bool:
    """Whether a part of the repository is written out: it is given, or this is the solution."""
    return edition.solution or part == "given"


def owner_of(part: Part) -> Owner:
    """Whose the file of a part is: the student's from the start if the student writes it."""
    return "seeded" if part == "todo" else "generated"
