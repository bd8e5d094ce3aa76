"""Watches a loop on its way through a fixture. The loop is that of the reference runner: nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from labspec.machine.runner import Loop, drive, ending_of, read_fixture
from labspec.machine.simulation import SimulatedTools
from labspec.timeline.model import Asked, Decision, Timeline, Turn

if TYPE_CHECKING:
    from labspec.conditions import Moment
    from labspec.machine.runner import Call, Ending, Machine, Result, Row, Tools


def watch(machine: Machine, fixture: Mapping[str, Any], tools: Tools | None = None) -> Timeline:
    """The run of `fixture`, the data of a fixture as runners read it, turn by turn.

    `tools` are those that the plan calls; by default those of `simulate`, for which the steps say what commands come
    to. Raises MachineError if the fixture is malformed or no row ever ends the loop.
    """
    loop = WatchedLoop(machine, fixture)
    row = drive(loop, loop.steps, None, tools or SimulatedTools(machine, fixture))
    return loop.timeline(ending_of(loop, row))


class WatchedLoop(Loop):
    """A loop for one run of a fixture, which writes down what it sees at each moment. Once it has ended, it has a
    `timeline`. `turns` are those that have begun.
    """

    def __init__(self, machine: Machine, fixture: Mapping[str, Any]) -> None:
        """Raises MachineError if the fixture is malformed."""
        self._fixture, self.steps, budgets = read_fixture(machine, fixture)
        super().__init__(machine, budgets)
        self.turns: list[Turn] = []

    def timeline(self, ending: Ending) -> Timeline:
        """What it has seen of the run that came to this ending."""
        measures = {budget: tuple(self.machine.measures.get(budget, ())) for budget in self.limits}
        return Timeline(self._fixture, dict(self.limits), measures, tuple(self.turns), ending)

    def turn(self, plan_ended: bool) -> Row | None:
        """The loop is about to ask the model."""
        number = len(self.turns) + 1
        self.turns.append(Turn(number, None, None, None, None, None, None, False, (), self._meters(), self.used()))
        return self._leave(super().turn(plan_ended))

    def decision(self, type: str, reason: str = "", name: object = None) -> Row | None:
        """The model answered."""
        row = super().decision(type, reason, name)
        taken = len(self.turns)
        step = self.steps[taken - 1] if taken <= len(self.steps) else None
        self._note(step=step, decision=Decision(self.facts["decision.type"], self.facts["call.name"], reason))
        return self._leave(row)

    def call(self, call: Call) -> Row | None:
        """The loop is about to run the tool."""
        named_before = len(self.tool_names)
        row = super().call(call)
        self._note(call=call, counted=len(self.tool_names) > named_before)
        return self._leave(row)

    def result(self, result: Result) -> Row | None:
        """The tool answered, or the call was refused or could not run."""
        row = super().result(result)
        self._note(result=result)
        return self._leave(row)

    def _first(self, at: str) -> Row | None:
        row = super()._first(at)
        rows = [one.id for one in self.machine.rows_at[at]]
        asked = rows if row is None else rows[: rows.index(row.id) + 1]
        moment = Asked(cast("Moment", at), tuple(asked), None if row is None else row.id, self._meters())
        self._note(asked=(*self.turns[-1].asked, moment))
        return row

    def _leave(self, row: Row | None) -> Row | None:
        """Note what a moment has left behind, and the row that fired at it."""
        self._note(meters=self._meters(), used=self.used())
        if row is not None:
            self._note(**{"refused" if row.verb == "refuse" else "ended": row.id})
        return row

    def _note(self, **seen: Any) -> None:
        self.turns[-1] = self.turns[-1]._replace(**seen)

    def _meters(self) -> dict[str, int]:
        return {meter.name: self.facts[meter.name] for meter in self.machine.meters}
