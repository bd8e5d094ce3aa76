"""The steps that the explorer tries are those that a machine's conditions can tell apart, and enough of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from labspec.machine.alphabet import Step, Vocabulary, alphabet
from labspec.machine.explorer import explore
from labspec.machine.runner import Call, Loop, Machine, drive
from labspec.machine.simulation import AbstractTools
from labspec.pipeline import load

SPECS = Path(__file__).parents[2] / "specs"
LABS = sorted(path.stem for path in SPECS.glob("*.yaml"))


@cache
def machine_of(lab: str) -> Machine:
    """The machine of a shipped lab."""
    loaded = load(SPECS / f"{lab}.yaml").lab
    assert loaded is not None
    return Machine(loaded.machine)


def letters(lab: str) -> tuple[Step, ...]:
    """The alphabet of a shipped lab."""
    machine = machine_of(lab)
    return alphabet(machine, Vocabulary(machine))


def calls(lab: str, tool: str) -> list[Call]:
    """How the calls of a tool look, in the alphabet of a shipped lab."""
    return [step["call"] for step in letters(lab) if step.get("name") == tool and not step["call"].problem]


def test_a_stop_is_tried_with_the_reasons_that_it_is_compared_with_and_one_other() -> None:
    reasons = [step["reason"] for step in letters("loop-budget") if step.get("type") == "stop"]
    assert reasons == ["model_stop", "script_exhausted"]


def test_writes_are_tried_with_nothing_with_the_limit_and_with_one_byte_more() -> None:
    assert {call.size for call in calls("loop-budget", "write_file")} == {0, 8192, 8193}


def test_bytes_that_a_meter_adds_up_are_tried_at_the_limit_of_that_meter() -> None:
    assert {600, 601} <= {call.size for call in calls("loop-guardrails", "write_file")}


def test_lines_are_tried_on_both_sides_of_what_they_are_compared_with_and_fit_into_their_bytes() -> None:
    writes = calls("loop-guardrails", "write_file")
    assert {call.lines for call in writes} == {0, 1, 5, 6}
    assert all(call.lines <= call.size for call in writes)


def test_tools_that_no_condition_names_are_tried_once_for_their_kind() -> None:
    assert {step.get("name") for step in letters("loop-exit-ledger")} == {None, "get_weather", "no_such_tool"}


@pytest.mark.parametrize("lab", LABS)
def test_every_plan_that_the_explorer_finds_leads_where_it_says(lab: str) -> None:
    machine = machine_of(lab)
    exits = {row.id for row in machine.rows if row.verb == "exit"}
    found = explore(machine)
    assert set(found.fires) == {row.id for row in machine.rows}
    for name in exits & set(found.fires):
        assert drive(Loop(machine), found.fires[name], tools=AbstractTools(machine)).id == name


def test_calls_can_run_out_where_there_is_nothing_to_do_but_write() -> None:
    data = machine_of("loop-budget").data
    only_writes = Machine({**data, "tools": {"write_file": {"kind": "builtin"}}})
    assert "budget_tool_calls" in explore(only_writes).fires
