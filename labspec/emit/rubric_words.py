"""The plan of `RUBRIC.md`: what earns points, what loses them, stretch goals, and what a person grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.encode import Markdown, markdown_cell_code, markdown_code, markdown_paragraphs, markdown_text
from labspec.emit.shared import shared
from labspec.emit.suite import catch_words, goal_checks, shown_fixtures, tests_of
from labspec.emit.wording import last_error_markdown, meter_cells, outcome_markdown, reason_cells, row_markdown

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Gate, Goal, Lab, Row, Stretch, Zero

Rows = tuple[tuple[Markdown, ...], ...]
"""The cells of a table, row by row."""

_ZEROS = {
    "hangs": "a run does not end in time",
    "changed": "the tests are not as they were handed out",
    "missing": "a run leaves no trace",
    "wrote_outside": "a run writes outside the allowed roots",
}
"""What makes a zero, as the end of a sentence."""


class GoalText(NamedTuple):
    """A stretch goal, for the handout: `rows`, `reasons` and `meters` are those that it adds or changes."""

    id: Markdown
    title: Markdown
    says: Markdown
    points: int
    tests: Markdown
    fixtures: Markdown
    rows: Rows
    reasons: Rows
    meters: Rows


class StretchText(NamedTuple):
    """The stretch goals. `pick` is how many count."""

    points: int
    pick: int
    several: bool
    needs: Markdown
    goals: tuple[GoalText, ...]


class Rubric(NamedTuple):
    """What the template of `RUBRIC.md` is given beside the title."""

    gates: Rows
    points: int
    gate_zeros: Rows
    lab_zeros: tuple[Markdown, ...]
    stretch: StretchText | None
    manual: Rows


@shared
def plan_rubric(lab: Lab, hidden: bool) -> Rubric:
    """The rubric."""
    fixtures = shown_fixtures(lab, hidden)
    return Rubric(
        gates=tuple(_gate(gate, fixtures) for gate in lab.rubric),
        points=lab.points,
        gate_zeros=tuple((markdown_cell_code(gate.id), _zeros(gate.zero_if)) for gate in lab.rubric if gate.zero_if),
        lab_zeros=tuple(map(_zero, lab.zero_if)),
        stretch=plan_stretch(lab, hidden),
        manual=tuple(
            (markdown_cell_code(item.id), Markdown.of("{}", item.points), markdown_text(item.says))
            for item in lab.manual
        ),
    )


def _gate(gate: Gate, fixtures: tuple[Fixture, ...]) -> tuple[Markdown, ...]:
    tests = _tests(gate.id, tests_of(gate, fixtures))
    return (markdown_cell_code(gate.id), Markdown.of("{}", gate.points), _promise(gate), tests)


def _promise(gate: Gate) -> Markdown:
    says = markdown_text(gate.says)
    if gate.tests_catch is None:
        return says
    return Markdown.of("{}<br>{}", says, Markdown(catch_words(gate.tests_catch)))


def _tests(name: str, number: int) -> Markdown:
    word = Markdown("test" if number == 1 else "tests")
    return Markdown.of("{} ({} {})", markdown_cell_code(f"tests/test_{name}.py"), number, word)


def _zeros(zeros: tuple[Zero, ...]) -> Markdown:
    return Markdown.joined("; ", map(_zero, zeros))


def _zero(zero: Zero) -> Markdown:
    if zero.kind == "without":
        return Markdown.of("{} is not earned", _names(zero.gates, " or "))
    return Markdown(_ZEROS[zero.kind])


def _names(names: tuple[str, ...], last: str) -> Markdown:
    code = [markdown_cell_code(name) for name in names]
    if len(code) < 2:
        return Markdown.joined("", code)
    return Markdown.of("{}{}{}", Markdown.joined(", ", code[:-1]), Markdown(last), code[-1])


def plan_stretch(lab: Lab, hidden: bool) -> StretchText | None:
    """The stretch goals, None if there are none."""
    stretch = lab.stretch
    return None if stretch is None else _stretch(lab, stretch, hidden)


def _stretch(lab: Lab, stretch: Stretch, hidden: bool) -> StretchText:
    return StretchText(
        points=stretch.points,
        pick=stretch.pick,
        several=stretch.pick > 1,
        needs=_names(stretch.needs, " and "),
        goals=tuple(_goal(lab, goal, hidden) for goal in stretch.goals),
    )


def _goal(lab: Lab, goal: Goal, hidden: bool) -> GoalText:
    shown = [fixture.id for fixture in goal.fixtures if hidden or not fixture.hidden]
    return GoalText(
        id=markdown_cell_code(goal.id),
        title=markdown_text(goal.title),
        says=markdown_paragraphs(goal.says),
        points=goal.points,
        tests=_tests(goal.id, len(goal_checks(lab, goal, hidden))),
        fixtures=Markdown.joined(", ", (markdown_code(f"fixtures/{name}.json") for name in shown)),
        rows=_new_rows(lab, goal),
        reasons=tuple(reason_cells(reason) for reason in goal.loop.taxonomy if reason not in lab.taxonomy),
        meters=tuple(meter_cells(meter) for meter in goal.loop.meters if meter not in lab.meters),
    )


def _new_rows(lab: Lab, goal: Goal) -> Rows:
    """The rows that a goal adds or changes, with where each is asked among the rows of the lab."""
    known = {row.id: row for row in lab.table}
    return tuple(
        (
            _place(known, row, goal.loop.table),
            markdown_cell_code(row.at),
            row_markdown(row),
            outcome_markdown(row),
            last_error_markdown(row),
        )
        for row in goal.loop.table
        if row.id not in known or known[row.id] != row._replace(number=known[row.id].number)
    )


def _place(known: dict[str, Row], row: Row, table: tuple[Row, ...]) -> Markdown:
    if row.id in known:
        return Markdown.of("instead of row {}", known[row.id].number)
    later = (other for other in table if other.number > row.number and other.at == row.at and other.id in known)
    following = next(later, None)
    return (
        Markdown("last at its moment")
        if following is None
        else Markdown.of("before row {}", known[following.id].number)
    )
