"""What the explorer says about a machine is what happens on every plan."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from labspec.machine.alphabet import alphabet
from labspec.machine.explorer import explore
from labspec.machine.runner import Loop, Machine, MachineError, Trace, drive

from .machines import CAP, ENDED, STEPS, machine, machines, meter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def fired_on(tried: Machine, steps: Sequence[Mapping[str, Any]]) -> set[str]:
    """The rows that fire when a plan is run, or `stuck` if none ends it."""
    trace = Trace()
    try:
        fired = {drive(Loop(tried), steps, trace).id}
    except MachineError:
        fired = {"stuck"}
    refusals = {row.outcome: row.id for row in tried.rows if row.verb == "refuse"}
    return fired | {refusals[event["error"]] for event in trace.events if event.get("error") in refusals}


def shortest(tried: Machine, alphabet: Mapping[str, Any], length: int) -> dict[str, int]:
    """For each row that some plan of at most `length` steps fires: how long the shortest of them is."""
    found: dict[str, int] = {}
    for count in range(length + 1):
        for steps in product(alphabet.values(), repeat=count):
            for row in fired_on(tried, steps):
                found.setdefault(row, count)
    return found


def claimed(tried: Machine) -> dict[str, int]:
    """The same from the explorer, whose plans are run first."""
    found = explore(tried)
    assert found.complete
    plans = {**found.fires, **({} if found.stuck is None else {"stuck": found.stuck})}
    for row, steps in plans.items():
        assert row in fired_on(tried, steps)
    return {row: len(steps) for row, steps in plans.items()}


@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(made=machines())
def test_rows_fire_on_the_shortest_plans_the_explorer_gives_and_on_no_others(made: dict[str, Any]) -> None:
    tried = Machine(made)
    longest = made["budgets"]["turns"] + 1  # more decisions are never asked for
    assert claimed(tried) == shortest(tried, STEPS, longest)


@pytest.mark.parametrize(
    ("lines", "fires", "changes"),
    [
        pytest.param([CAP, ENDED], {"row_0": 4, "row_1": 0}, {}, id="cap and end of plan"),
        pytest.param(
            [ENDED, CAP], {"row_0": 0, "row_1": 4}, {}, id="the order does not matter where one excludes another"
        ),
        pytest.param(
            [CAP, ENDED, "done at turn: plan.ended and turns > 1"], {"row_0": 4, "row_1": 0}, {}, id="shadowed"
        ),
        pytest.param(
            [
                "done at turn: plan.ended and turns == 2",
                "broken at result: failures > 1",
                CAP,
                "done at turn: plan.ended",
            ],
            {"row_0": 2, "row_1": 2, "row_2": 4, "row_3": 0},
            {},
            id="the end of a plan is tried before longer plans",
        ),
        pytest.param(
            [CAP, ENDED, 'refuse no: call.name != "a" and call.known', 'refuse forbidden: call.name == "rm"'],
            {"row_0": 4, "row_1": 0, "row_2": 1, "row_3": 1},
            {},
            id="other tools, and tools that do not exist",
        ),
        pytest.param(
            [CAP, ENDED, "done at turn: turns > tool_calls + 1 and not plan.ended"],
            {"row_0": 4, "row_1": 0, "row_2": 2},
            {},
            id="decisions that are no calls",
        ),
        pytest.param(
            [
                'done at result: result.error == "failed"',
                'broken at result: result.error != "failed" and call.known and not result.ok',
                CAP,
                ENDED,
            ],
            {"row_0": 1, "row_1": 1, "row_2": 4, "row_3": 0},
            {},
            id="the explorer's own words in conditions",
        ),
        pytest.param(
            ['done at decision: decision.reason == "script_exhausted"', CAP, "broken at decision: not call.named"],
            {"row_0": 0, "row_1": 3, "row_2": 1},
            {"plan_ends": "stop"},
            id="an ended plan is a stop",
        ),
        pytest.param(
            ["done at turn: turns > own + 2", "used_up at turn: turns > 9"],
            {"row_0": 0, "row_1": 8},
            {"plan_ends": "stop", "meters": {"own": meter("result")}, "budgets": {}},
            id="a row that fires some turns after the end of a plan",
        ),
        pytest.param(
            ["used_up at turn: own > 2"],
            {"stuck": 0, "row_0": 2},
            {"meters": {"own": meter("turn")}, "budgets": {}},
            id="nothing is counted any more once a plan has ended and no row ends the loop",
        ),
        pytest.param(
            [CAP, ENDED, "done at decision: own == 2"],
            {"row_0": 4, "row_1": 0, "row_2": 2},
            {"meters": {"own": meter("decision", resets_when="not call.named")}},
            id="a meter that is set back",
        ),
        pytest.param(
            [CAP, ENDED, "done at call: not call.inside"], {"row_0": 4, "row_1": 0}, {}, id="no scripted tool does it"
        ),
    ],
)
def test_rows_fire_where_they_should(lines: list[str], fires: dict[str, int], changes: dict[str, Any]) -> None:
    assert claimed(machine(*lines, **changes)) == fires


def test_rows_that_need_five_steps_are_found() -> None:
    tried = machine("done at result: failures > 4", CAP, ENDED, "broken at call: tool_calls > 5", budgets={"turns": 5})
    few = {name: STEPS[name] for name in ("ok", "final", "fail", "unnamed", "stop")}
    assert claimed(tried) == {**shortest(tried, few, 5), "row_1": 6} == {"row_0": 5, "row_1": 6, "row_2": 0}


@pytest.mark.parametrize(
    ("lines", "stuck", "endless", "changes"),
    [
        pytest.param([CAP, ENDED], None, None, {}, id="sound"),
        pytest.param([CAP], 0, None, {}, id="nothing for the end of a plan"),
        pytest.param([CAP, "done at turn: plan.ended and failures == 0"], 1, None, {}, id="nothing after a failure"),
        pytest.param([ENDED], None, 0, {}, id="no cap"),
        pytest.param(["done at result: result.final"], 0, 0, {}, id="neither"),
        pytest.param([ENDED, "used_up at result: tool_calls > 2"], None, 0, {}, id="turns without calls"),
        pytest.param(
            [ENDED, "used_up at turn: own > 1"], None, None, {"meters": {"own": meter("decision")}}, id="own bound"
        ),
        pytest.param(
            [ENDED, "used_up at turn: own > 1"],
            None,
            0,
            {"meters": {"own": meter("decision", resets_when='decision.type == "stop"')}},
            id="a bound that a step takes back",
        ),
        pytest.param([CAP], None, None, {"plan_ends": "stop"}, id="the stops of an ended plan meet the cap"),
        pytest.param(["broken at result: failures > 0"], 0, 0, {"plan_ends": "stop"}, id="stops that no row asks for"),
    ],
)
def test_a_loop_that_does_not_end_is_seen(
    lines: list[str], stuck: int | None, endless: int | None, changes: dict[str, Any]
) -> None:
    found = explore(machine(*lines, **changes))
    lengths = [None if steps is None else len(steps) for steps in (found.stuck, found.endless)]
    assert lengths == [stuck, endless]


def test_too_many_states_are_no_answer() -> None:
    found = explore(machine(CAP, ENDED, budgets={"turns": 1_000_000}), limit=500)
    assert not found.complete
    assert found.states < 500


def test_an_end_that_takes_too_many_turns_is_no_answer() -> None:
    found = explore(machine(CAP, budgets={"turns": 1_000_000}, plan_ends="stop"), limit=500)
    assert not found.complete


def test_texts_in_every_kind_of_condition_become_steps() -> None:
    tried = machine(
        CAP, ENDED, 'done at decision: decision.reason in ["and", "value"]', 'done at result: result.error == "not"'
    )
    steps = alphabet(tried)
    assert {"and", "value"} <= {step.get("reason") for step in steps}
    assert "not" in {step.get("error") for step in steps}
    assert len(steps) == len({repr(step) for step in steps})
