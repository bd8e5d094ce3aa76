"""Tries a test file once, in a process of its own, and says what became of each test.

Tests in Python are run by pytest, with a witness (see `witness.py`) that writes down
what happens. Tests in JavaScript are run by Node, whose report is read from its output.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .execute import child_environment
from .process import Ending, run_process
from .snapshot import MAX_TOTAL, weigh
from .witness import WITNESS_VARIABLE
from .wording import last_lines, printable

ANY_TEST = "*"  # in place of a name: one of the tests, and nobody knows which
MODULES = Path(__file__).resolve().parent.parent  # where `contract` stands


@dataclass(frozen=True)
class Tried:
    """What came of a test file with one loop.

    `failed` has the reason of each failure. `running` is the test that had begun and
    not ended when time ran out. `trouble` says why the tests could not be seen to their
    end, as the rest of a sentence; then nothing else is to be concluded from them, but
    for `timed_out`.
    """

    passed: frozenset[str] = frozenset()
    failed: Mapping[str, str] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    running: str | None = None
    timed_out: bool = False
    trouble: str | None = None
    output: str = ""
    seconds: float = 0.0

    def is_rejection(self, passed_before: Collection[str]) -> bool:
        """Whether a test failed, or did not end, that passed with the right loop."""
        if self.timed_out:
            return self.running == ANY_TEST or self.running in passed_before
        if self.trouble is not None:
            return False
        return any(test in passed_before for test in self.failed)


def try_tests(place: Path, file: str, seconds: float, *, until_failure: bool) -> Tried:
    """Run the tests in `file`, which lies in the folder `place`. Never raises."""
    if not (place / file).is_file():
        return Tried(trouble="are missing: there is no such file")
    if weigh(place) > MAX_TOTAL:
        return Tried(trouble="lie in a repository that is too large to be copied")
    run = _run_node if file.endswith(".mjs") else _run_pytest
    started = time.monotonic()
    tried = run(place, file, seconds, until_failure)
    return replace(tried, seconds=time.monotonic() - started)


def _run(command: list[str], place: Path, seconds: float, **more: str) -> Ending:
    environment = {**child_environment(), **more}
    environment.pop("PYTEST_ADDOPTS", None)
    return run_process(command, place, environment, seconds, lambda: weigh(place))


# --- Python ---


def _run_pytest(place: Path, file: str, seconds: float, until_failure: bool) -> Tried:
    told = place.with_name(f"{place.name}.told")
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "--tb=line"]
    command += ["-p", "no:cacheprovider", "-p", "contract.witness", file]
    command += ["-x"] if until_failure else []
    paths = [str(MODULES), os.environ.get("PYTHONPATH", "")]
    paths_in_one = os.pathsep.join(filter(None, paths))
    more = {WITNESS_VARIABLE: str(told), "PYTHONPATH": paths_in_one}
    ending = _run(command, place, seconds, **more)
    try:
        lines = told.read_text("utf-8", errors="replace").splitlines()
        told.unlink()
    except OSError:
        lines = []
    return _from_witness(ending, lines)


def _from_witness(ending: Ending, lines: list[str]) -> Tried:
    outcomes: dict[str, str] = {}
    reasons: dict[str, str] = {}
    running: str | None = None
    seen = set()
    for event, name, said in filter(None, map(_event, lines)):
        seen.add(event)
        if event in ("begin", "over"):
            running = name if event == "begin" else None
        if event in _WORST:
            outcomes[name] = _worst(outcomes.get(name, event), event)
        if event == "failed":
            reasons.setdefault(name, said)
    broken, ended = "broken" in seen, "end" in seen
    tried = Tried(
        passed=_with("passed", outcomes),
        failed=reasons,
        skipped=_with("skipped", outcomes),
        running=running,
        timed_out=ending.timed_out,
        output="" if ended and not broken else last_lines(ending.stdout),
    )
    return replace(tried, trouble=_trouble(ending, ended=ended, broken=broken))


def _event(line: str) -> tuple[str, str, str] | None:
    """An event, the test it is about and what it says; None for a torn line."""
    try:
        event, name, said = json.loads(line)
    except (ValueError, TypeError):
        return None
    return str(event), str(name), str(said)


_WORST = ("passed", "skipped", "failed")


def _worst(*outcomes: str) -> str:
    return max(outcomes, key=_WORST.index)


def _with(outcome: str, outcomes: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name for name, came in outcomes.items() if came == outcome)


def _trouble(ending: Ending, *, ended: bool, broken: bool) -> str | None:
    """Why what the witness wrote is not the whole story, or None if it is."""
    if ending.trouble is not None:
        return printable(ending.trouble)
    if broken:
        return "cannot be read: pytest finds an error in the file itself"
    return None if ended else "ended the whole process, instead of coming to an end"


# --- JavaScript ---


def _run_node(place: Path, file: str, seconds: float, until_failure: bool) -> Tried:
    del until_failure  # Node has no such option; scripted runs are over soon anyway
    ending = _run(["node", "--test-reporter=tap", file], place, seconds)
    return _from_tap(ending)


def _from_tap(ending: Ending) -> Tried:
    """What Node's report says. Tests that run inside of others count as one with them.

    Node reports a test when the program pauses, so it does not tell which one hung: any
    of them, because with the right loop none did.
    """
    outcomes: dict[str, str] = {}
    for line in ending.stdout.splitlines():
        word, _, rest = line.partition("ok ")
        if word in ("", "not ") and rest[:1].isdigit():
            name, outcome = _tap_line(rest, passed=word == "")
            outcomes[name] = _worst(outcomes.get(name, outcome), outcome)
    failed = _with("failed", outcomes)
    ended = "\n# duration_ms " in ending.stdout
    tried = Tried(
        passed=_with("passed", outcomes),
        failed=dict.fromkeys(failed, ""),
        skipped=_with("skipped", outcomes),
        running=ANY_TEST if ending.timed_out else None,
        timed_out=ending.timed_out,
        output="" if ended else last_lines(ending.stderr or ending.stdout),
    )
    return replace(tried, trouble=None if ended else _node_trouble(ending))


def _node_trouble(ending: Ending) -> str:
    """Why there is no whole report: Node ends without one where it finds no test."""
    if ending.trouble is not None:
        return printable(ending.trouble)
    if ending.exit_code == 0:
        return "ended before any test did: there is none, or one ends the process"
    return "cannot be read: Node finds an error in the file itself"


def _tap_line(rest: str, *, passed: bool) -> tuple[str, str]:
    """The name of a test and its outcome, from what follows "ok " in a report."""
    title = rest.partition(" - ")[2]
    for mark in (" # SKIP", " # TODO"):
        name, found, _ = title.partition(mark)
        if found:
            return name, "skipped"
    return title, "passed" if passed else "failed"
