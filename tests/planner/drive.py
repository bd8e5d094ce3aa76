"""Asks the Python planner for steps: `python drive.py PLANNER`, with the questions as JSON on standard input."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any


def main() -> None:
    """Print the steps that the planner gave, and whether it failed."""
    spec = importlib.util.spec_from_file_location("planner", sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    planner: Any = importlib.util.module_from_spec(spec)
    sys.modules["planner"] = planner
    spec.loader.exec_module(planner)
    questions = json.load(sys.stdin)
    try:
        live = planner.LivePlanner(planner.Endpoint.from_environment(os.environ), questions["tools"])
    except planner.SettingsError as problem:
        sys.exit(f"settings: {problem}")
    given = [live.decide(turn, questions["goal"], last) for turn, last in enumerate(questions["lasts"], start=1)]
    sys.stdout.write(json.dumps({"given": given, "steps": live.steps, "failed": live.failed}))


if __name__ == "__main__":
    main()
