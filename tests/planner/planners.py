"""The planners of both languages as child processes, so that one test holds for both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
PYTHON_PLANNER = ROOT / "templates" / "python" / "planner.py"
NODE_PLANNER = ROOT / "templates" / "node" / "planner.mjs"

KEY = "sk-a-key-that-nobody-may-see"
TOOLS = [
    {"name": "read_file", "args": ["file"], "says": "Reads a file."},
    {"name": "run_tests", "args": [], "says": "Runs the tests."},
]

COMMANDS = {
    "python": [sys.executable, str(HERE / "drive.py"), str(PYTHON_PLANNER)],
    "node": ["node", str(HERE / "drive.mjs"), str(NODE_PLANNER)],
}


def needed(language: str) -> Any:
    """A language as a parameter of tests, which are skipped where its interpreter is missing."""
    missing = shutil.which(COMMANDS[language][0]) is None
    return pytest.param(language, marks=pytest.mark.skipif(missing, reason=f"{language} is not installed"))


@dataclass(frozen=True)
class Answered:
    """What a planner gave, and what it said on standard error."""

    given: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    failed: bool
    stderr: str


def environment(url: str, **changes: str) -> dict[str, str]:
    """The variables of a child process: an endpoint, and no patience."""
    hidden = ("LAB_", "PYTEST", "NODE_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    patience = {"LAB_TIMEOUT": "5", "LAB_TRIES": "3", "LAB_LONGEST_WAIT": "0.01"}
    return {**kept, "LAB_ENDPOINT": url, "LAB_MODEL": "m", "LAB_API_KEY": KEY, **patience, **changes}


def start(command: list[str], variables: dict[str, str], given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    return subprocess.run(
        command, env=variables, input=given, capture_output=True, encoding="utf-8", timeout=60, check=False
    )


def decide(
    language: str, url: str, turns: int = 1, lasts: list[Any] | None = None, goal: str = "Be green", **changes: str
) -> Answered:
    """Ask a planner for so many steps, or for one after each of the events `lasts`."""
    questions = json.dumps({"tools": TOOLS, "goal": goal, "lasts": lasts or [None] * turns})
    done = start(COMMANDS[language], environment(url, **changes), questions)
    assert done.returncode == 0, done.stderr
    return Answered(**json.loads(done.stdout), stderr=done.stderr)
