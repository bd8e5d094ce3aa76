"""A small runner of a lab with a workspace, a trace and a fuel report, that can be told to make one slip.

`python traced_runner.py [--slip NAME] run FIXTURE --ledger LEDGER --run-id ID --trace TRACE --workspace FOLDER`
`python traced_runner.py [--slip NAME] report TRACE`
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

BUDGETS = {"turns": 4, "tool_calls": 2}
ROOT = "fixtures"


@dataclass
class Run:
    """One run in a workspace: it is over when there is a closing event."""

    workspace: Path
    slip: str
    events: list[dict[str, Any]] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=lambda: dict.fromkeys(BUDGETS, 0))
    names: list[str] = field(default_factory=list)
    error: str | None = None
    closing: dict[str, Any] | None = None

    def run(self, steps: list[dict[str, Any]]) -> None:
        """Take step after step."""
        for step in steps:
            if self.used["turns"] == BUDGETS["turns"]:
                return self.close("budget", "budget:turns")
            self.take(step)
            if self.closing:
                return None
        return self.close("stop", "script_exhausted")

    def take(self, step: dict[str, Any]) -> None:
        """One turn."""
        self.used["turns"] += 1
        self.push("turn")
        if step["type"] == "stop":
            self.close("stop", step["reason"])
        elif self.used["tool_calls"] == BUDGETS["tool_calls"] and self.slip != "tool cap removed":
            self.close("budget", "budget:tool_calls")
        else:
            self.call(step["name"], step["args"])

    def call(self, name: str, args: dict[str, str]) -> None:
        """Run a tool."""
        self.used["tool_calls"] += 1
        self.names.append(name)
        self.push("tool", name=name, args=args)
        if not self.is_inside(args["file"]):
            self.error = "path_escape"
            text = f"path_escape:{args['file']}" if self.slip == "error text of its own" else "path_escape"
            self.push("tool_error", name=name, error=text)
            return
        if name == "write_file" and self.slip != "write does nothing":
            (self.workspace / args["file"]).write_text(args["contents"], encoding="utf-8")
        self.push("tool_result", name=name, result="done")

    def is_inside(self, path: str) -> bool:
        """Whether a path lies in the root."""
        real = Path(os.path.realpath(self.workspace / path))
        root = Path(os.path.realpath(self.workspace / ROOT))
        if self.slip == "jail removed":
            return True
        if self.slip == "jail by prefix":
            return str(real).startswith(str(root))
        if self.slip == "jail that follows links":
            return Path(os.path.normpath(self.workspace / path)).is_relative_to(self.workspace / ROOT)
        return real.is_relative_to(root)

    def push(self, type: str, **more: Any) -> None:
        """Note an event."""
        event = {"type": type, "turn": self.used["turns"], **more}
        if self.slip == "keys of its own":
            event = {"t": "2026-01-01T00:00:00Z", **event, "goal": "to stop"}
        else:
            event = {"seq": len(self.events) + 1, **event}
        self.events.append(event)

    def close(self, type: str, reason: str) -> None:
        """Note the closing event."""
        self.closing = {"type": type, "reason": reason, "budgets": BUDGETS, "used": self.used}
        self.push(type, reason=reason, budgets=BUDGETS, used=dict(self.used))


def slipped(events: list[dict[str, Any]], slip: str) -> Any:
    """The events as they are written, with the slips that concern the file."""
    *steps, closing = events
    wrong_counts = {"turns": closing["used"]["turns"] + 4, "tool_calls": 0}
    files: dict[str, Any] = {
        "no closing event": steps,
        "two closing events": [*events, closing],
        "closing event first": [closing, *steps],
        "closes as a stop": [*steps, {**closing, "type": "stop", "reason": "model_stop"}],
        "limits left out": [*steps, {key: closing[key] for key in closing if key != "budgets"}],
        "wrong use": [*steps, {**closing, "used": wrong_counts}],
        "use as a float": [*steps, {**closing, "used": {key: float(use) for key, use in closing["used"].items()}}],
        "trace empty": [],
        "results left out": [event for event in events if event["type"] != "tool_result"],
        "turns one too high": [{**event, "turn": event["turn"] + 1} for event in events],
        "trace is an object": {"events": events},
    }
    return files.get(slip, events)


def report(path: Path, slip: str) -> int:
    """Print the fuel report of a trace."""
    events = json.loads(path.read_text("utf-8"))
    closing = events[-1] if events and "budgets" in events[-1] else None
    if closing is None or slip == "report fails":
        sys.stdout.write("ended: no closing event\n")
        return 1
    lines = [f"{name.replace('_', ' ')}: {closing['used'][name]} of {limit}" for name, limit in BUDGETS.items()]
    if slip == "report invented":
        lines[0] = "turns: 1 of 4"
    if slip == "report with blanks":
        lines = [f"{line}  " for line in lines]
    sys.stdout.write("\n".join([*lines, f"ended: {closing['type']} ({closing['reason']})", "", ""]))
    return 3 if slip == "report with a wrong exit code" else 0


def main(arguments: Sequence[str]) -> int:
    """Run one fixture, or print a report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--slip", default="")
    parser.add_argument("command", choices=["run", "report"])
    parser.add_argument("file", type=Path)
    for option in ("--ledger", "--trace", "--workspace"):
        parser.add_argument(option, type=Path)
    parser.add_argument("--run-id")
    given = parser.parse_args(arguments)
    if given.command == "report":
        return report(given.file, given.slip)
    run = Run(given.workspace, given.slip)
    fixture = json.loads(given.file.read_text("utf-8"))
    run.run(fixture["planned_calls"])
    closing = run.closing or {}
    record = {
        "run_id": given.run_id,
        "fixture_id": fixture["id"],
        "reason": closing["reason"],
        "turns": run.used["turns"],
        "tool_names": run.names,
        "last_error": run.error,
        "stopped_on_turn": run.used["turns"],
    }
    with given.ledger.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, sort_keys=True) + "\n")
    if given.slip != "trace not written":
        given.trace.write_text(json.dumps(slipped(run.events, given.slip)), encoding="utf-8")
    return 2 if closing["type"] == "budget" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
