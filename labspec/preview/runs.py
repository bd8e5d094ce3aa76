"""The fixtures of a lab as runs that can be stepped through, those of its stretch goals among them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from labspec.lab.model import Loop
from labspec.machine.runner import Machine
from labspec.page.words import Piece, Words, code, counted, words
from labspec.preview.turns import TurnView, plan_turns
from labspec.timeline import watch

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Kind, Lab
    from labspec.machine.runner import Ending

SHOWN_FIRST, SHOWN_LAST = 40, 20
"""How many turns of a very long run are shown, from its start and before its end."""


class RecordLine(NamedTuple):
    """A field of the exit record."""

    name: str
    value: Words


class RunView(NamedTuple):
    """The run of a fixture. `goal` is the stretch goal it belongs to, `tags` are short remarks beside its title.

    `left_out` says which turns of a very long run are not among `turns`.
    """

    id: str
    title: Words
    says: Words
    goal: Words
    tags: tuple[str, ...]
    reason: str
    kind: Kind
    length: str
    turns: tuple[TurnView, ...]
    left_out: str
    decides: Words
    record: tuple[RecordLine, ...]


def plan_runs(lab: Lab) -> tuple[RunView, ...]:
    """Every fixture, run under the loop that it is meant for."""
    return tuple(_runs(lab))


def _runs(lab: Lab) -> Iterator[RunView]:
    loop, machine = Loop(*(getattr(lab, name) for name in Loop._fields)), Machine(lab.machine)
    for fixture in lab.fixtures:
        yield _run(fixture, loop, machine, ())
    for goal in () if lab.stretch is None else lab.stretch.goals:
        changed = Machine(goal.machine)
        for fixture in goal.fixtures:
            yield _run(fixture, goal.loop, changed, words(goal.title))


def _run(fixture: Fixture, loop: Loop, machine: Machine, goal: Words) -> RunView:
    told = watch(machine, fixture.simulated)
    ending, turns = told.ending, plan_turns(loop, told)
    row = next(row for row in loop.table if row.id == ending.row)
    gap = len(turns) - SHOWN_FIRST - SHOWN_LAST
    left_out = f"Turns {SHOWN_FIRST + 1} to {SHOWN_FIRST + gap} are not shown." if gap > 0 else ""
    return RunView(
        id=fixture.id,
        title=words(fixture.title),
        says=words(fixture.says or ""),
        goal=goal,
        tags=tuple(_tags(fixture)),
        reason=ending.reason,
        kind=next(reason.kind for reason in loop.taxonomy if reason.name == ending.reason),
        length=counted(ending.turns, "turn"),
        turns=(*turns[:SHOWN_FIRST], *turns[-SHOWN_LAST:]) if left_out else turns,
        left_out=left_out,
        decides=(Piece(f"Row {row.number}, "), *code(row.id), Piece(", decides at "), *code(ending.at)),
        record=tuple(_record(ending)),
    )


def _tags(fixture: Fixture) -> Iterator[str]:
    if fixture.hidden:
        yield "hidden from students"
    for name, limit in fixture.budgets.items():
        yield f"{name}: {limit}"
    if not fixture.stated:
        yield "ending filled in"


def _record(ending: Ending) -> Iterator[RecordLine]:
    """The fields of the exit record, but for the ids."""
    yield RecordLine("reason", code(ending.reason))
    yield RecordLine("turns", words(str(ending.turns)))
    yield RecordLine("tool_names", tuple(_names(ending.tool_names)) or words("none"))
    yield RecordLine("last_error", words("null") if ending.last_error is None else code(ending.last_error))
    yield RecordLine("exit code", words(str(ending.exit_code)))


def _names(tools: tuple[str, ...]) -> Iterator[Piece]:
    """The names in order, those that come several times in a row once and counted."""
    before = ""
    for name, same in groupby(tools):
        times = len(list(same))
        yield Piece(f"{before}{times} × " if times > 1 else before)  # noqa: RUF001 - times
        yield from code(name)
        before = ", "
