"""What the explorer says of a run whose fixture is known: its steps as the explorer sees them, walked as it walks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labspec.machine.alphabet import Vocabulary
from labspec.machine.runner import CLOSING_EVENTS, Loop, Machine, drive
from labspec.machine.simulation import SimulatedTools
from labspec.machine.turns import Turn, Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from labspec.machine.runner import Call, Result

    Command = Callable[[SimulatedTools], bool]


def verdict(data: dict[str, Any], fixture: Mapping[str, Any], command: Command | None = None) -> dict[str, Any]:
    """The record, the exit code and the closing event that the explorer expects of a fixture.

    `command` says whether a command succeeds on the workspace as it is; without it, the steps say so themselves.
    """
    machine = Machine({**data, "budgets": {**data["budgets"], **fixture.get("budgets", {})}})
    turns = Turns(machine, Vocabulary(machine, reported=True), traced=True)
    taken = list(_taken(turns, _seen_steps(machine, fixture, command)))
    ended = taken[-1]
    assert ended.row is not None
    errors = [turn.error for turn in taken if turn.error is not None]
    row = ended.row
    error = {"none": None, "error": errors[-1] if errors else None, "text": row.error_text}[row.error_from]
    count = sum(turn.turns for turn in taken)
    reason, use = machine.reasons[row.outcome], dict(ended.use[len(machine.budgets) :])
    return {
        "reason": row.outcome,
        "turns": count,
        "stopped_on_turn": count,
        "tool_names": [name for turn in taken for name in turn.names],
        "last_error": error,
        "closing": {
            "type": CLOSING_EVENTS[reason["kind"]],
            "reason": row.outcome,
            "budgets": dict(ended.use[: len(machine.budgets)]),
            "used": use,
        },
        "exit_code": reason["exit_code"],
    }


def _taken(turns: Turns, steps: list[dict[str, Any]]) -> Iterator[Turn]:
    state = turns.start
    for number, step in enumerate(steps):
        turn = turns.take(state, number, step)
        yield turn
        if turn.row is not None:
            return
        state = turn.state
    yield turns.tail(state)


def _seen_steps(machine: Machine, fixture: Mapping[str, Any], command: Command | None) -> list[dict[str, Any]]:
    """The steps of a fixture, each with what can be seen of its call and what comes of it."""
    tools = _WatchedTools(machine, fixture, command)
    drive(Loop(machine), fixture["planned_calls"], None, tools)
    seen = iter(tools.seen)
    return [_with(step, seen) for step in fixture["planned_calls"]]


def _with(step: Any, seen: Iterator[dict[str, Any]]) -> dict[str, Any]:
    if not isinstance(step, dict):
        return {"type": "other"}
    return {**step, **next(seen, {})} if step.get("type", "tool") == "tool" else step


class _WatchedTools(SimulatedTools):
    """The tools in memory. `seen` are the calls in their order, as steps of the explorer tell them."""

    def __init__(self, machine: Machine, fixture: Mapping[str, Any], command: Command | None) -> None:
        super().__init__(machine, fixture)
        self.seen: list[dict[str, Any]] = []
        self._command = command

    def look(self, name: str, step: Mapping[str, Any]) -> Call:
        call = super().look(name, step)
        self.seen.append({"call": call})
        return call

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        if self._command is not None and self.machine.kinds[name] == "command":
            step = {**step, "result": "ok" if self._command(self) else "failed"}
        result = super().run(name, step)
        self.seen[-1].update(ok=result.ok, error=result.error, final=result.final)
        return result
