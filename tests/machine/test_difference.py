"""What the explorer says of a mutant is what a look at every plan says."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from labspec.machine import runner
from labspec.machine.difference import Comparison
from labspec.machine.runner import CLOSING_EVENTS, Loop, Machine, MachineError, Trace, drive, ending_of
from labspec.machine.simulation import AbstractTools
from labspec.mutants.budgets import budget_slips
from labspec.mutants.meters import meter_slips
from labspec.mutants.table import table_slips

from .machines import STEPS, machines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FEW = ("ok", "final", "fail", "unnamed", "unknown", "stop", "busy", "give_up", "b", "b_fail")
"""Steps that between them do everything that the conditions of random machines can tell apart."""


@pytest.fixture(autouse=True, scope="module")
def _short_patience() -> Iterator[None]:
    """A loop that is still going after a hundred turns without a plan never ends: the machines here are small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "RUNAWAY_TURNS", 100)
        yield


def record(tried: Machine, steps: Sequence[Mapping[str, Any]], *, traced: bool) -> object:
    """What a run shows, as the runner itself tells it."""
    loop, trace = Loop(tried), Trace()
    try:
        ending = ending_of(loop, drive(loop, steps, trace, AbstractTools(tried)))
    except MachineError:
        return "never ends"
    trace.close(loop, CLOSING_EVENTS[tried.reasons[ending.reason]["kind"]], ending.reason)
    return (ending.seen(), trace.events) if traced else ending.seen()


def slips_of(made: dict[str, Any]) -> list[dict[str, Any]]:
    """Every machine that is one slip away."""
    return [one.machine for slips in (table_slips(made), meter_slips(made), budget_slips(made)) for one in slips]


def differ(one: Machine, other: Machine, steps: Sequence[Mapping[str, Any]], *, traced: bool) -> bool:
    return record(one, steps, traced=traced) != record(other, steps, traced=traced)


@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(made=machines(), choice=st.integers(min_value=0), traced=st.booleans())
def test_no_plan_is_shorter_than_the_one_that_tells_a_slip_and_no_plan_tells_an_equivalent_one(
    made: dict[str, Any], choice: int, traced: bool
) -> None:
    slips = slips_of(made)
    own, mutant = Machine(made), Machine(slips[choice % len(slips)])
    found = Comparison(own, traced=traced).with_mutant(mutant)
    event(found.verdict)
    assert found.verdict != "not decided"
    if found.plan is not None:
        assert differ(own, mutant, found.plan, traced=traced)
        assert found.shown_by
    longest = made["budgets"]["turns"] + 2 if found.plan is None else len(found.plan) - 1
    for length in range(min(longest, 3) + 1):
        for steps in product((STEPS[name] for name in FEW), repeat=length):
            assert not differ(own, mutant, steps, traced=traced), (found, steps)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(made=machines(), traced=st.booleans())
def test_what_is_worked_out_for_one_mutant_does_not_change_what_is_said_of_the_next(
    made: dict[str, Any], traced: bool
) -> None:
    own, together = Machine(made), Comparison(Machine(made), traced=traced)
    for slip in slips_of(made)[:12]:
        mutant = Machine(slip)
        alone = Comparison(own, traced=traced).with_mutant(mutant)
        found = together.with_mutant(mutant)
        assert (found.verdict, found.shown_by) == (alone.verdict, alone.shown_by)
        assert (found.plan is None and alone.plan is None) or len(found.plan or ()) == len(alone.plan or ())
        if found.plan is not None:
            assert together.differ_on(mutant, found.plan)
