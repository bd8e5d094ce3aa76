"""A timeline tells the run of the reference runner, neither more nor less."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from labspec.machine.runner import Call, Machine, MachineError, Result, run
from labspec.pipeline import load
from labspec.timeline import Asked, Decision, Timeline, Turn, watch
from tests.machine.machines import STEPS, machine, machines, plan, plans

if TYPE_CHECKING:
    from labspec.lab.model import Fixture

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.yaml"))


def test_a_run_is_told_turn_by_turn() -> None:
    tried = machine(
        "refuse no_such_tool!: not call.known",
        "done at result: result.ok and result.final",
        "used_up at turn: turns > budgets.turns",
    )
    told = watch(tried, {"id": "f", "planned_calls": plan("unknown ok ok"), "budgets": {"turns": 2}})
    assert told.turns == (
        Turn(
            number=1,
            step=STEPS["unknown"],
            decision=Decision("tool", "x", ""),
            call=Call(problem="unknown_tool"),
            result=Result(ok=False, error="no_such_tool"),
            refused="row_0",
            ended=None,
            counted=False,
            asked=(
                Asked("turn", ("row_2",), None, _meters(turns=1)),
                Asked("decision", (), None, _meters(turns=1)),
                Asked("call", ("row_0",), "row_0", _meters(turns=1, tool_calls=1)),
                Asked("result", ("row_1",), None, _meters(turns=1, failures=1)),
            ),
            meters=_meters(turns=1, failures=1),
            used={"turns": 1, "retries": 1},
        ),
        Turn(
            number=2,
            step=STEPS["ok"],
            decision=Decision("tool", "a", ""),
            call=Call(),
            result=Result(ok=True),
            refused=None,
            ended=None,
            counted=True,
            asked=(
                Asked("turn", ("row_2",), None, _meters(turns=2, failures=1)),
                Asked("decision", (), None, _meters(turns=2, failures=1)),
                Asked("call", ("row_0",), None, _meters(turns=2, tool_calls=1, failures=1)),
                Asked("result", ("row_1",), None, _meters(turns=2, tool_calls=1, failures=1)),
            ),
            meters=_meters(turns=2, tool_calls=1, failures=1),
            used={"turns": 2, "retries": 1},
        ),
        Turn(
            number=3,
            step=None,
            decision=None,
            call=None,
            result=None,
            refused=None,
            ended="row_2",
            counted=False,
            asked=(Asked("turn", ("row_2",), "row_2", _meters(turns=3, tool_calls=1, failures=1)),),
            meters=_meters(turns=2, tool_calls=1, failures=1),
            used={"turns": 2, "retries": 1},
        ),
    )
    assert told.limits == {"turns": 2, "retries": 1}
    assert told.measures == {"turns": ("turns",), "retries": ("failures",)}
    assert (told.fixture, told.ending.reason, told.ending.turns) == ("f", "used_up", 2)


def test_a_plan_that_counts_as_a_stop_has_turns_without_a_step() -> None:
    tried = machine('done at decision: decision.reason == "script_exhausted"', plan_ends="stop")
    told = watch(tried, {"id": "f", "planned_calls": plan("stop")})
    assert [(turn.step, turn.decision, turn.ended) for turn in told.turns] == [
        (STEPS["stop"], Decision("stop", "", "done"), None),
        (None, Decision("stop", "", "script_exhausted"), "row_0"),
    ]


@given(machines(), plans)
def test_every_run_is_told_to_the_end_that_the_runner_comes_to(data: dict[str, Any], steps: list[Any]) -> None:
    tried, fixture = Machine(data), {"id": "f", "planned_calls": steps}
    try:
        ending = run(tried, fixture, "r")
    except MachineError:
        with pytest.raises(MachineError):
            watch(tried, fixture)
        return
    told = watch(tried, fixture)
    assert told.ending == ending
    _is_whole(told)


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_the_fixtures_of_our_labs_are_told_as_the_lab_says(spec: Path) -> None:
    lab = load(spec).lab
    assert lab is not None
    for fixture in lab.fixtures:
        told = watch(Machine(lab.machine), fixture.simulated)
        assert told.ending == fixture.ending
        _is_whole(told)
        _takes_the_plan(told, fixture)


def _is_whole(told: Timeline) -> None:
    """Turns are numbered, one row ends the last of them and none another, and they add up to the ending."""
    last, ending = told.turns[-1], told.ending
    assert [turn.number for turn in told.turns] == list(range(1, len(told.turns) + 1))
    assert [turn.ended for turn in told.turns] == [None] * (len(told.turns) - 1) + [ending.row]
    assert sum(turn.decision is not None for turn in told.turns) == ending.turns
    counted = [turn.decision.name for turn in told.turns if turn.counted and turn.decision]
    assert counted == list(ending.tool_names)
    assert (last.number, last.asked[-1].at, last.asked[-1].fired) == (ending.turn, ending.at, ending.row)
    assert (last.meters, last.used) == (ending.meters, ending.used)
    for turn in told.turns:
        assert {asked.fired for asked in turn.asked} <= {None, turn.refused, turn.ended}


def _takes_the_plan(told: Timeline, fixture: Fixture) -> None:
    """Turns take the steps of the plan in order, none is left out."""
    taken = [turn.step for turn in told.turns if turn.step is not None]
    assert taken == fixture.simulated["planned_calls"][: len(taken)]


def _meters(**values: int) -> dict[str, int]:
    return dict.fromkeys(("turns", "tool_calls", "failures", "write_bytes"), 0) | values
