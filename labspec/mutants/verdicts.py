"""What the explorer says about mutants: how each can be told from the reference, or that nothing tells it.

Equivalent mutants are no slips: whatever a plan asks for, they leave the same records. They are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from labspec.machine.difference import Comparison, Difference
from labspec.machine.explorer import Plan
from labspec.machine.runner import CLOSING_EVENTS, Loop, Machine, Trace, drive, ending_of
from labspec.machine.simulation import AbstractTools
from labspec.mutants import Mutant, mutants_of

if TYPE_CHECKING:
    from labspec.lab.model import Lab, MachineData

_MORE_FOR_MUTANTS: Final = 50
"""How many times as many turns all mutants together may take as the machine alone."""

_RUN_ID: Final = "a run"
_FIXTURE_ID: Final = "a fixture"


class Judged(NamedTuple):
    """What the explorer says about a mutant. `budgets` are limits that a fixture has to set for it to show."""

    mutant: Mutant
    difference: Difference
    budgets: dict[str, int]


class Explorer:
    """Holds the mutants of one lab against its machine. What is worked out for one mutant serves the next."""

    def __init__(self, comparison: Comparison) -> None:
        """`comparison` is about the machine of the lab, under its own budgets."""
        self._own = comparison
        self._left = _MORE_FOR_MUTANTS * comparison.limit
        self._under_limits: dict[str, tuple[Comparison, dict[str, int]]] = {}

    def judge(self, mutant: Mutant) -> Judged:
        """How a mutant can be told from the reference, if it can."""
        comparison, budgets = self._under(mutant.budget)
        if not comparison.exploration.complete:
            return Judged(mutant, Difference("not decided", None, (), 0), budgets)
        if mutant.family == "recorder":
            return Judged(mutant, self._recorder(mutant.machine), {})
        difference = comparison.with_mutant(limited(mutant.machine, budgets), self._left)
        self._left -= difference.turns
        return Judged(mutant, difference, budgets)

    def differ_on(self, mutant: Mutant, plan: Plan, budgets: dict[str, int]) -> bool:
        """Whether a plan under some limits tells a mutant from the reference."""
        comparison, _ = self._under(next(iter(budgets), None))
        return comparison.differ_on(limited(mutant.machine, budgets), plan)

    def _under(self, budget: str | None) -> tuple[Comparison, dict[str, int]]:
        """The machine with another limit than its own for `budget`: one, or two if it is one already."""
        if budget is None:
            return self._own, {}
        if budget not in self._under_limits:
            own = self._own
            budgets = {budget: 2 if own.machine.budgets[budget] == 1 else 1}
            comparison = Comparison(limited(own.machine.data, budgets), traced=own.traced, limit=own.limit)
            self._under_limits[budget] = comparison, budgets
        return self._under_limits[budget]

    def _recorder(self, mutant: MachineData) -> Difference:
        """The loop is the same, so a slip of the recorder shows on some way to end a run or not at all."""
        other, traced = Machine(mutant), self._own.traced
        for plan in self._own.shortest_plans:
            left, others = _left_by(self._own.machine, plan), _left_by(other, plan)
            shown_by = tuple(kind for kind in left if left[kind] != others[kind] and (traced or kind != "trace"))
            if shown_by:
                return Difference("differs", plan, shown_by, 0)
        return Difference("equivalent", None, (), 0)


def judge_mutants(lab: Lab) -> tuple[Judged, ...]:
    """What the explorer says about each mutant of a lab, in their order."""
    explorer = Explorer(Comparison(Machine(lab.machine), traced=lab.traced))
    return tuple(explorer.judge(mutant) for mutant in mutants_of(lab))


def limited(machine: Mapping[str, Any], budgets: Mapping[str, int]) -> Machine:
    """The machine under the limits that a fixture sets."""
    return Machine({**machine, "budgets": {**machine["budgets"], **budgets}} if budgets else machine)


def _left_by(machine: Machine, plan: Plan) -> dict[str, Any]:
    """What the recorder of a machine leaves of a run, by the kind of check that looks at it first."""
    loop, trace, recorder = Loop(machine), Trace(), machine.recorder
    ending = ending_of(loop, drive(loop, plan, trace, AbstractTools(machine)))
    trace.close(loop, CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]], ending.reason)
    return {
        "exit": recorder.lines_of(machine, ending, _RUN_ID, _FIXTURE_ID),
        "append": recorder.mode,
        "exit_code": recorder.exit_code_of(ending),
        "trace": recorder.events_of(machine, ending, trace.events),
    }
