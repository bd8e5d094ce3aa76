"""Writes down what becomes of each test while pytest runs: a plugin of pytest's.

`tried.py` loads it into the pytest that runs a student's own tests, and reads what it
wrote. A line is written as soon as something happens, so it is known which test was
running when the process was stopped, or ended itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

WITNESS_VARIABLE = "LAB_WITNESS"

# The variable is gone before a test can see it: the file is no business of theirs.
_FILE = os.environ.pop(WITNESS_VARIABLE, None)


def _tell(event: str, name: str = "", said: str = "") -> None:
    if _FILE is not None:
        with Path(_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps([event, name, said]) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    """A test begins."""
    _tell("begin", nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    """A part of a test is over: what comes before it, the test, what comes after it."""
    if report.when == "call" or report.outcome != "passed":
        _tell(report.outcome, report.nodeid, _reason(report))


def pytest_runtest_logfinish(nodeid: str) -> None:
    """A test is over."""
    _tell("over", nodeid)


def pytest_collectreport(report: Any) -> None:
    """A file was read, or could not be."""
    if report.failed:
        _tell("broken", report.nodeid)


def pytest_sessionfinish() -> None:
    """All tests are over."""
    _tell("end")


def _reason(report: Any) -> str:
    """The first line of a failure."""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = str(getattr(crash, "message", "")).splitlines()
    return lines[0] if lines else ""
