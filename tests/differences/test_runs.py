"""What is said about runs is what a look at every plan says, whatever the two machines are."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from labspec.differences.runs import compare_runs
from labspec.machine import runner
from labspec.machine.runner import CLOSING_EVENTS, Loop, Machine, MachineError, Trace, drive, ending_of
from labspec.machine.simulation import AbstractTools
from tests.machine.machines import STEPS, machines

from .cases import labs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FEW = ("ok", "final", "fail", "unnamed", "unknown", "stop", "busy", "give_up", "b", "b_fail")
"""Steps that between them do everything that the conditions of random machines can tell apart."""

LAB, _ = labs("layout")


@pytest.fixture(autouse=True, scope="module")
def _short_patience() -> Iterator[None]:
    """A loop that is still going after a hundred turns without a plan never ends: the machines here are small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "RUNAWAY_TURNS", 100)
        yield


def leaves(data: dict[str, Any], steps: Sequence[Mapping[str, Any]]) -> tuple[object, object]:
    """What a run shows, as the runner itself tells it: the record with the exit code, and the trace."""
    machine, trace = Machine(data), Trace()
    loop = Loop(machine)
    try:
        ending = ending_of(loop, drive(loop, steps, trace, AbstractTools(machine)))
    except MachineError:
        return "never ends", ()
    trace.close(loop, CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]], ending.reason)
    return ending.seen(), trace.events


@st.composite
def versions(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A machine and a later one.

    Rows are in another order, a limit, an exit code, a kind, the form of errors or the end of plans is another one, or
    all is rewritten.
    """
    old = {**draw(machines()), "workspace": None}
    new = {**draw(machines()), "workspace": None} if draw(st.booleans()) else old
    if draw(st.booleans()):
        new = {**new, "rows": draw(st.permutations(new["rows"]))}
    if draw(st.booleans()):
        new = {**new, "budgets": {**new["budgets"], "turns": draw(st.integers(0, 3))}}
    if draw(st.booleans()):
        limit = draw(st.sampled_from((None, 80, 6, 5, 3)))
        new = {**new, "errors": {"max_chars": limit, "otherwise": draw(st.sampled_from(("tool_error", "busy")))}}
        new = {**new, "plan_ends": draw(st.sampled_from(("end", "stop")))}
    reasons = {name: dict(reason) for name, reason in new["reasons"].items()}
    changed = reasons[draw(st.sampled_from(sorted(reasons)))]
    changed[draw(st.sampled_from(("exit_code", "exit_code_as_it_was")))] = 9
    changed["kind"] = draw(st.sampled_from((changed["kind"], "error")))
    return old, {**new, "reasons": reasons}


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(pair=versions(), traced=st.booleans())
def test_a_proof_holds_and_a_plan_is_a_shortest_one(pair: tuple[dict[str, Any], dict[str, Any]], traced: bool) -> None:
    old, new = pair
    runs = compare_runs(LAB._replace(machine=old, traced=traced), LAB._replace(machine=new, traced=traced))
    event(runs.verdict)
    assert runs.verdict != "not decided"
    part = slice(None) if traced and runs.verdict in ("same", "traces differ") else slice(1)
    if runs.shown is not None:
        plan = runs.shown.plan
        assert leaves(old, plan)[part] != leaves(new, plan)[part]
    longest = 3 if runs.shown is None else min(3, len(runs.shown.plan) - 1)
    for length in range(longest + 1):
        for steps in product((STEPS[name] for name in FEW), repeat=length):
            assert leaves(old, steps)[part] == leaves(new, steps)[part], (runs, steps)
            assert runs.verdict == "differs" or leaves(old, steps)[0] == leaves(new, steps)[0]
