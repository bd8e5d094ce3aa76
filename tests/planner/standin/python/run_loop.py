"""The smallest loop that a planner can drive: it reads and writes in the current folder, and dies on its budget."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

MAX_TURNS = 4
MODE = os.environ.get("STAND_IN", "")


class ScriptedModel:
    """Gives the steps of a plan, and None when there are no more."""

    def __init__(self, steps: list[dict[str, Any]]) -> None:
        self.steps = list(steps)

    def decide(self, turn: int, goal: str, last: dict[str, Any] | None) -> dict[str, Any] | None:
        """The next step."""
        del turn, goal, last
        return self.steps.pop(0) if self.steps else None


def run_loop(run_id: str, fixture: dict[str, Any], ledger: Path, trace: Path | None = None, model: Any = None) -> None:
    """Run until something ends it. A plan that runs out is another ending than a budget."""
    if MODE == "crash":
        raise RuntimeError("a fault in the loop")
    if MODE == "unwritten":
        raise NotImplementedError("run_loop is not written yet")
    events: list[dict[str, Any]] = []
    names: list[str] = []
    model = model or ScriptedModel(fixture["planned_calls"])
    limit = fixture.get("budgets", {}).get("turns", MAX_TURNS)
    turn, reason = 0, ""
    while not reason:
        plan_ended = isinstance(model, ScriptedModel) and not model.steps
        if plan_ended or turn == limit:
            reason = "ran_out" if plan_ended else "budget:turns"
            break
        turn += 1
        last = events[-1] if events else None
        events.append({"type": "turn", "turn": turn, **({"pid": os.getpid()} if MODE == "clock" else {})})
        step = model.decide(turn, fixture["goal"], last)
        if step["type"] == "tool":
            names.append(step["name"])
            events += [{"type": "tool", "name": step["name"], "args": step["args"]}, call(step)]
        else:
            reason = step.get("reason", "malformed")
    record = {"run_id": run_id, "fixture_id": fixture["id"], "reason": reason, "turns": turn, "tool_names": names}
    with ledger.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, sort_keys=True) + "\n")
    if trace is not None and MODE != "no trace":
        trace.write_text(json.dumps([*events, {"type": "stop", "reason": reason}]), encoding="utf-8")


def call(step: dict[str, Any]) -> dict[str, Any]:
    """Run a tool; the event that it leaves."""
    try:
        path = Path(step["args"]["file"])
        if step["name"] == "write_file":
            path.write_text(step["args"]["contents"], encoding="utf-8")
        return {"type": "tool_result", "name": step["name"], "result": path.read_text(encoding="utf-8")}
    except (OSError, KeyError, TypeError):
        return {"type": "tool_error", "name": step["name"], "error": "failed"}
