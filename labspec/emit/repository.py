"""The parts of a repository that are the same for every target: what people read, the fixtures, the contract tests.

The plan of each target puts them beside its own code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit.encode import Markdown, Python
from labspec.emit.gates import WORKSPACE, gates_json
from labspec.emit.guide import plan_guide, plan_guide_cover
from labspec.emit.handout import TargetWords, plan_readme, plan_readme_cover, plan_submission, plan_title_cover
from labspec.emit.hints import plan_hints
from labspec.emit.layout import file_of_items, printed_items
from labspec.emit.outputs import Copied, Edition, Output, Owner, Printed, Serialized
from labspec.emit.rubric_words import plan_rubric
from labspec.emit.shared import shared
from labspec.emit.suite import (
    NO_OWN_CHECK,
    GateFile,
    fixture_json,
    goal_checks,
    goal_fixtures,
    plan_gate,
    plan_goal,
    plan_own_check,
    shown_fixtures,
    tests_of,
)
from labspec.emit.templates import contract_modules, template_text
from labspec.emit.tree import LAB
from labspec.handed_out import cover_data, to_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from labspec.emit.outputs import Values
    from labspec.lab.model import Lab, Part


def handout(lab: Lab, edition: Edition, words: TargetWords) -> tuple[Output, ...]:
    """README, guide, rubric and submission list; `words` are those that differ between targets."""
    readme, guide = plan_readme(lab, edition.hidden, words.constants), plan_guide(lab, edition.hidden)
    title = plan_title_cover(lab)
    return (
        Printed("README.md", "shared/README.md", Markdown, readme, cover=plan_readme_cover(lab, words)),
        Printed("GUIDE.md", "shared/GUIDE.md", Markdown, guide, cover=plan_guide_cover(lab, words)),
        Printed("RUBRIC.md", "shared/RUBRIC.md", Markdown, plan_rubric(lab, edition.hidden), cover=title),
        Printed("SUBMISSION.md", "shared/SUBMISSION.md", Markdown, plan_submission(lab), "seeded", title),
    )


def contract_tests(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    """The fixtures, the test file of each gate and stretch goal with what it stands on, and the rubric as data."""
    hidden = edition.hidden
    own = {f"tests/test_{gate.id}.py": plan_own_check(lab, gate) for gate in lab.own_test_gates}
    return (
        *_fixture_files(lab, hidden),
        Copied("tests/conftest.py", "template", "python/tests/conftest.py"),
        *with_covers(_test_files(lab, hidden), own),
        Serialized("tests/gates.json", gates_json(lab, shown_fixtures(lab, hidden), hidden)),
        *(Copied(f"tests/contract/{name}", "contract", name) for name in contract_modules()),
    )


@shared
def _fixture_files(lab: Lab, hidden: bool) -> tuple[Output, ...]:
    fixtures = (*shown_fixtures(lab, hidden), *goal_fixtures(lab, hidden))
    return tuple(Serialized(f"fixtures/{fixture.id}.json", fixture_json(fixture)) for fixture in fixtures)


def with_covers(outputs: Iterable[Printed], covers: Mapping[str, Values]) -> tuple[Printed, ...]:
    """The outputs, with what depends on the lab's cover, by path. Those without stay the same objects for variants."""
    return tuple(output._replace(cover=covers[output.path]) if output.path in covers else output for output in outputs)


@shared
def _test_files(lab: Lab, hidden: bool) -> tuple[Printed, ...]:
    """The test file of each gate and goal; one that only hidden fixtures could decide has none."""
    return tuple(
        Printed(f"tests/test_{name}.py", "shared/tests/test_gate.py", Python, file, cover=NO_OWN_CHECK)
        for name, file in _planned_tests(lab, hidden)
    )


def _planned_tests(lab: Lab, hidden: bool) -> Iterator[tuple[str, GateFile]]:
    """By the name of a gate or goal, what its test file prints."""
    fixtures = shown_fixtures(lab, hidden)
    hints = plan_hints(lab, fixtures)
    for gate in lab.rubric:
        if tests_of(gate, fixtures):
            yield gate.id, plan_gate(lab, gate, fixtures, hints)
    for goal in () if lab.stretch is None else lab.stretch.goals:
        if goal_checks(lab, goal, hidden):
            yield goal.id, plan_goal(lab, goal, hidden)


def lab_file(lab: Lab) -> Serialized:
    """The lab as students have it, so that the repository can be compared with a later spec."""
    return Serialized(LAB, file_of_items({**_printed_lab(lab), **printed_items(cover_data(lab))}))


@shared
def _printed_lab(lab: Lab) -> dict[str, str]:
    return printed_items(to_data(lab))


def workspace_files(lab: Lab) -> tuple[Output, ...]:
    """The files that the tools work on, as every run finds them."""
    files = () if lab.workspace is None else lab.workspace.files
    return tuple(Serialized(f"{WORKSPACE}/{path}", text) for path, text in files)


def gitignore(lab: Lab, template: str) -> Output:
    """What git leaves out: what runs leave behind, but for what the student is to hand in."""
    handed_in = {item.target for item in lab.submission if item.kind != "command"}
    covering = handed_in | {f"{path.split('/')[0]}/" for path in handed_in}
    lines = template_text(template).splitlines()
    kept = [line for line in lines if line not in covering]
    if kept == lines:
        return Copied(".gitignore", "template", template)
    return Serialized(".gitignore", "".join(f"{line}\n" for line in kept))


def is_solved(part: Part, edition: Edition) -> bool:
    """Whether a part of the repository is written out: it is given, or this is the solution."""
    return edition.solution or part == "given"


def owner_of(part: Part) -> Owner:
    """Whose the file of a part is: the student's from the start if the student writes it."""
    return "student" if part == "todo" else "generated"
