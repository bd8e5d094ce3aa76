"""Run the tests of a generated repository in a process of their own, and read what they said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labspec.prove.proof import Result, Verdict
from labspec.prove.subjects import Subject

TIME_LIMIT = 600.0
"""Seconds after which the tests of one subject are stopped."""

_OURS = ("LAB_", "PYTEST_", "COV_")
"""Beginnings of environment variables that must not reach the tests of a subject."""


def judge(subject: Subject, report: Path) -> Verdict:
    """Put one subject to the tests; `report` is a file that the tests may write.

    Never raises for anything a subject does: tests that end without a report are a fault in the result.
    """
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "tests"]
    try:
        ended = subprocess.run(  # noqa: S603  # our own tests
            command,
            cwd=subject.repository,
            env=_environment(subject, report),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT,
            check=False,
        )
        result = _read(report, ended.stdout, time.monotonic() - started)
    except subprocess.TimeoutExpired:
        result = _fault(f"the tests did not end in {TIME_LIMIT:.0f} seconds", time.monotonic() - started)
    return Verdict(subject.kind, subject.name, subject.promise, subject.expected, result)


def _environment(subject: Subject, report: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    command = {}
    if subject.command is not None:  # a machine does the same every time, so its runs need not be made again
        command = {"LAB_RUNNER": json.dumps(subject.command), "LAB_RUN_ONCE": "1"}
    return {
        **kept,
        **command,
        **subject.environment,
        "LAB_REPORT": str(report),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # other people's plugins are no part of the proof
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _read(report: Path, output: bytes, seconds: float) -> Result:
    try:
        content: Any = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        tail = output.decode("utf-8", "replace").strip()[-2000:]
        return _fault(f"the tests left no report; they said:\n{tail}", seconds)
    gates: Mapping[str, Any] = content["gates"]
    earned = frozenset(name for name, gate in gates.items() if gate["state"] == "earned")
    failures = {name: _first_failure(gate) for name, gate in gates.items() if name not in earned}
    return Result(earned, failures, seconds)


def _first_failure(gate: Mapping[str, Any]) -> str:
    messages = (f"{test}: {message}" for test, message in gate["messages"].items() if message)
    return next(messages, "")


def _fault(sentence: str, seconds: float) -> Result:
    return Result(frozenset(), {}, seconds, fault=sentence)
