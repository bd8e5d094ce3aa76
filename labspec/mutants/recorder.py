"""Slips of the recorder: the loop is right, and what it leaves behind is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labspec.lab.model import MachineData
from labspec.mutants.model import Mutant, Slips


def recorder_slips(machine: MachineData, *, traced: bool) -> Slips:
    """Every slip of the recorder; those of the trace only where runs leave one."""
    for name, says, recorder in _slips(list(machine["reasons"]), traced=traced):
        yield Mutant(f"recorder.{name}", "recorder", says, {**machine, "recorder": recorder})


def _slips(reasons: list[str], *, traced: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "no_line", "a run leaves no line in the ledger", {"lines": 0}
    yield "two_lines", "a run leaves its line twice", {"lines": 2}
    yield "overwrite", "a run writes over the lines of earlier runs", {"mode": "overwrite"}
    yield "only_successes", "only a run that is done leaves a line", {"only_on": "done"}
    yield "fixed_run_id", "every line has the same run id", {"run_id": "run"}
    yield "fixed_fixture_id", "every line has the same fixture id", {"fixture_id": "fixture"}
    yield "extra_field", "a line has a field that nobody agreed on", {"extra": {"note": ""}}
    yield "unsorted_keys", "the keys of a line are not sorted", {"sort_keys": False}
    yield "one_turn_more", "a line tells one turn more than there were", {"turns_offset": 1}
    yield "names_dropped", "a line has no tool names", {"drop_names_on": reasons}
    yield "exit_code_zero", "the exit code is always 0", {"exit_code": 0}
    if traced:
        yield "no_closing_event", "the trace has no closing event", {"closing_event": False}
        yield "only_successes_traced", "only a run that is done leaves a trace", {"trace": "done"}
