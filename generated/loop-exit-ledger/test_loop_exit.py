"""Your own tests of the loop: `pytest -q test_loop_exit.py`."""

from __future__ import annotations

import json
from pathlib import Path

from loop_exit import LoopExit
from run_loop import run_loop

FIXTURES = Path(__file__).resolve().parent / "fixtures"


def exit_of(fixture_id: str, folder: Path) -> LoopExit:
    """Run a fixture; the record must be the only line in its ledger."""
    text = (FIXTURES / f"{fixture_id}.json").read_text(encoding="utf-8")
    ledger = folder / "exits.jsonl"
    event = run_loop("run-001", json.loads(text), ledger)
    (line,) = ledger.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["reason"] == event.reason
    return event


def test_weather_timeout_v1(tmp_path: Path) -> None:
    """The first call times out, the retry succeeds"""
    event = exit_of("weather_timeout_v1", tmp_path)
    assert event.reason == "completed"
    assert event.turns == 2
    assert event.tool_names == ("get_weather", "get_weather")
    assert event.last_error is None


# Add a test like this one for each fixture, and for plans of your own: make a file in
# fixtures/, read the decision table, write down the exit you expect, then run pytest.
# Gates this earns, with their points: own_tests (15).
