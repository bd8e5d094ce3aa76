"""The plan of `GUIDE.md`: how a student gets from a fresh copy of the repository to the first points."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.encode import Markdown, markdown_block, markdown_code, markdown_text
from labspec.emit.failing_test import FailingTest, plan_failing_test
from labspec.emit.shared import shared
from labspec.emit.suite import shown_fixtures, tests_of
from labspec.machine.runner import Recorder

if TYPE_CHECKING:
    from labspec.emit.handout import TargetWords
    from labspec.lab.model import Lab


class GuideCover(NamedTuple):
    """What the template of `GUIDE.md` is given of the lab's cover, and how the target calls things."""

    title: Markdown
    minutes: int
    needs: Markdown
    runner: Markdown
    own_tests_command: Markdown


class Guide(NamedTuple):
    """What else the template of `GUIDE.md` is given.

    `starts_empty` tells that the first run needs what the student writes, `record` is the line that it leaves then,
    `first_gate` the test file to begin with, `own_tests` the gates that only course staff can decide.
    """

    node: bool
    example: Markdown
    starts_empty: bool
    exit_code: int
    record: Markdown
    first_gate: Markdown
    failure: FailingTest | None
    points: int
    own_tests: Markdown
    stretch: bool
    manual: bool


def plan_guide_cover(lab: Lab, words: TargetWords) -> GuideCover:
    """What the guide says of the lab's cover, in the words of its target."""
    return GuideCover(markdown_text(lab.title), lab.minutes, words.needs, words.runner, words.own_tests)


@shared
def plan_guide(lab: Lab, hidden: bool) -> Guide:
    """What else the guide says."""
    fixtures = shown_fixtures(lab, hidden)
    first = fixtures[0]
    record = Recorder().record(first.ending, "run-001", first.id)
    blanks = (",", ":") if lab.target == "node" else None  # as each language writes JSON if nothing else is said
    tested = (f"tests/test_{gate.id}.py" for gate in lab.rubric if tests_of(gate, fixtures))
    return Guide(
        node=lab.needs_node,
        example=Markdown(f"fixtures/{first.id}.json"),
        starts_empty="todo" in (lab.starter.loop, lab.starter.ledger),
        exit_code=first.ending.exit_code,
        record=markdown_block(json.dumps(record, sort_keys=True, separators=blanks)),
        first_gate=Markdown(next(tested, "tests")),
        failure=plan_failing_test(lab, fixtures),
        points=lab.points,
        own_tests=Markdown.joined(", ", (markdown_code(gate.id) for gate in lab.own_test_gates)),
        stretch=lab.stretch is not None,
        manual=bool(lab.manual),
    )
