"""Fixtures of a small exit ledger lab and the exits they must lead to."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

from labspec.contract import CHECKS, Execute, Expected, Observation

from . import sloppy_runner

if TYPE_CHECKING:
    from pathlib import Path

OF_A_TRACE = ("trace", "closing", "use", "report")
OF_A_WORKSPACE = ("workspace", "inside")
OF_A_LEDGER = tuple(kind for kind in CHECKS if kind not in (*OF_A_TRACE, *OF_A_WORKSPACE))

OK = {"name": "get_weather", "ok": True, "payload": {}, "final": False}
FINAL = {**OK, "final": True}
FAIL = {"name": "get_weather", "ok": False, "error": "timeout", "final": False}
FINAL_FAIL = {**FAIL, "final": True}
LONG_FAIL = {**FAIL, "error": "Traceback:\n" + "x" * 200}
UNNAMED = {"ok": True, "payload": {}, "final": True}

PLANS: dict[str, dict[str, Any]] = {
    "retry_then_final": {"planned_calls": [FAIL, FINAL]},
    "five_failures": {"planned_calls": [FAIL] * 5, "budgets": {"retries": 4}},
    "final_but_failed": {"planned_calls": [FINAL_FAIL, FINAL]},
    "failures_apart": {"planned_calls": [FAIL, OK, FAIL, FINAL]},
    "second_unnamed": {"planned_calls": [OK, UNNAMED]},
    "ran_out": {"planned_calls": [OK]},
    "stack_trace": {"planned_calls": [LONG_FAIL]},
}


def exit_of(reason: str, turns: int, calls: int, last_error: str | None) -> Expected:
    """An expected exit after so many calls of the one tool."""
    code = sloppy_runner.EXIT_CODES[reason]
    return Expected(reason, turns, ("get_weather",) * calls, last_error, code, f"row `{reason}`, at turn {turns}")


EXPECTED: dict[str, Expected] = {
    "retry_then_final": exit_of("completed", 2, 2, None),
    "five_failures": exit_of("turn_cap", 4, 4, "timeout"),
    "final_but_failed": exit_of("completed", 2, 2, None),
    "failures_apart": exit_of("retry_exhausted", 3, 3, "timeout"),
    "second_unnamed": exit_of("schema_mismatch", 2, 1, "missing tool name"),
    "ran_out": exit_of("turn_cap", 1, 1, None),
    "stack_trace": exit_of("tool_error", 1, 1, "tool_error"),
}


def write_fixtures(folder: Path) -> Path:
    """Write the fixtures into a folder, as runners read them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, plan in PLANS.items():
        (folder / f"{name}.json").write_text(json.dumps({"id": name, **plan}), encoding="utf-8")
    return folder


def in_process(fixtures: Path, folder: Path, slip: str) -> Execute:
    """Runs the sloppy runner in this process, with its ledgers in `folder`."""
    numbers = count(1)

    def execute(fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        fixture = str(fixtures / f"{fixture_id}.json")
        ledger = folder / f"ledger-{next(numbers)}.jsonl"
        if earlier is not None:
            ledger.write_bytes(earlier)
        code = sloppy_runner.main(["--slip", slip, "run", fixture, "--ledger", str(ledger), "--run-id", run_id])
        return Observation(code, ledger.read_bytes() if ledger.exists() else None)

    return execute
