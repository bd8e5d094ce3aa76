"""Run the tests of a generated repository in a process of their own, and read what they said."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labspec.prove.proof import Result

if TYPE_CHECKING:
    from labspec.prove.children import Children
    from labspec.prove.subjects import Subject

TIME_LIMIT = 600.0
"""Seconds after which the tests of one subject are stopped."""

_OURS = ("LAB_", "PYTEST_", "COV_")
"""Beginnings of environment variables that must not reach the tests of a subject."""


def judge(subject: Subject, folder: Path, children: Children) -> Result:
    """Put one subject to the tests, which leave their report in the new folder `folder`.

    Never raises for anything a subject does: tests that end without a report are a fault in the result. Raises
    StoppedError if the proof is broken off.
    """
    folder.mkdir()
    report, output = folder / "report.json", folder / "output.txt"
    # Native tracebacks take a tenth of the time; without a folder of ours pytest would look at those of earlier runs.
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "--tb=native", f"--basetemp={folder / 'runs'}"]
    command = [sys.executable, "-m", "pytest", *options, "tests"]
    environment = {**tests_environment(folder), **_runner(subject), **subject.environment, "LAB_REPORT": str(report)}
    if children.run(command, subject.repository, environment, output, TIME_LIMIT):
        return read_report(report, output)
    return fault(f"the tests did not end in {TIME_LIMIT:.0f} seconds")


def tests_environment(folder: Path) -> dict[str, str]:
    """The environment of generated tests: ours, without what could change their outcome.

    What they and the programs they start call temporary goes below `folder`, and with it: pytest keeps the folders of
    three runs of the user's, and the runs of a proof would push out those that somebody wants to look at.
    """
    temporary = folder / "temporary"
    temporary.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return {
        **kept,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # other people's plugins are no part of the proof
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)),
    }


def _runner(subject: Subject) -> dict[str, str]:
    """Which runner the tests start. They share runs: none of ours has a clock or takes chances."""
    runner = {} if subject.command is None else {"LAB_RUNNER": json.dumps(subject.command)}
    return {**runner, "LAB_RUN_ONCE": "1"}


def read_report(report: Path, output: Path) -> Result:
    """What tests said that left `report`, or a fault with the end of their `output` if they left none."""
    try:
        content: Any = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return fault(f"the tests left no report; they said:\n{end_of(output)}")
    gates: Mapping[str, Any] = content["gates"]
    earned = frozenset(name for name, gate in gates.items() if gate["state"] == "earned")
    failures = {name: _first_failure(gate) for name, gate in gates.items() if name not in earned}
    return Result(earned, failures)


def end_of(output: Path) -> str:
    """The end of what was printed to a file."""
    try:
        return output.read_text(encoding="utf-8", errors="replace").strip()[-2000:]
    except OSError as error:
        return f"(nothing can be read: {error.strerror})"


def _first_failure(gate: Mapping[str, Any]) -> str:
    messages = (f"{test}: {message}" for test, message in gate["messages"].items() if message)
    return next(messages, gate["zeroed"] or "")


def fault(sentence: str) -> Result:
    """The result of tests that could not be run to their end."""
    return Result(frozenset(), {}, fault=sentence)
