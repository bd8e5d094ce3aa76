"""Every way a run can end, as far as a recorder can tell: by which row, and whether a tool was called before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labspec.machine.alphabet import Step
from labspec.machine.explorer import Plan
from labspec.machine.turns import State, Turn, Turns


def shortest_plans(turns: Turns, steps: Sequence[tuple[int, Step]]) -> list[Plan]:
    """A shortest plan for each way a run can end, shortest first. The loop must be bounded."""
    ways: dict[tuple[str, bool], Plan] = {}
    level: list[tuple[State, bool, Plan]] = [(turns.start, False, ())]
    seen = {(turns.start, False)}
    while level:
        for state, named, plan in level:
            _end(ways, turns.tail(state), named, plan)
        following = []
        for state, named, plan in level:
            for after, still_named, longer in _next(ways, turns, steps, state, named, plan):
                if (after, still_named) not in seen:
                    seen.add((after, still_named))
                    following.append((after, still_named, longer))
        level = following
    return sorted(ways.values(), key=len)


def _next(
    ways: dict[tuple[str, bool], Plan],
    turns: Turns,
    steps: Sequence[tuple[int, Step]],
    state: State,
    named: bool,
    plan: Plan,
) -> Iterator[tuple[State, bool, Plan]]:
    """Where each step leads; the runs that it ends are added to `ways`."""
    for number, step in steps:
        turn = turns.take(state, number, step)
        longer = (*plan, step)
        if turn.row is None:
            yield turn.state, named or bool(turn.names), longer
        else:
            _end(ways, turn, named, longer)


def _end(ways: dict[tuple[str, bool], Plan], turn: Turn, named: bool, plan: Plan) -> None:
    if turn.row is not None:
        ways.setdefault((turn.row.id, named or bool(turn.names)), plan)
