"""Runs fixtures through a runner's command line, in a child process.

    COMMAND run FIXTURE --ledger LEDGER --run-id ID [--trace TRACE] [--workspace FOLDER]
    COMMAND report TRACE

What a lab's runs leave, and where their tools may work, is its `Setting`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from .command import RUNNER_VARIABLE
from .observation import Execute, Observation, Report
from .process import Ending, run_process, size_of
from .records import MAX_BYTES, Problem
from .sandbox import Remains, Sandbox, SandboxError, build_sandbox
from .setting import PLAIN, Setting
from .snapshot import weigh
from .strict import NotStrictError, read_json

# What the tests use themselves and is no business of the program under test.
PRIVATE_VARIABLES = (
    RUNNER_VARIABLE,
    "LAB_REPORT",
    "LAB_RUN_ONCE",
    "LAB_MUTANTS",
    "PYTEST_CURRENT_TEST",
)


@dataclass(frozen=True)
class _Places:
    """The files and folders of one run. What the lab does not have is None."""

    folder: Path
    ledger: Path
    trace: Path | None
    sandbox: Sandbox | None

    def arguments(self, fixture: Path, run_id: str) -> list[str]:
        """The command line, after the command itself."""
        words = ["run", str(fixture), "--ledger", str(self.ledger), "--run-id", run_id]
        if self.trace is not None:
            words += ["--trace", str(self.trace)]
        if self.sandbox is not None:
            words += ["--workspace", str(self.sandbox.workspace)]
        return words

    def written(self) -> int:
        """The bytes in the largest of the places that the program may write to."""
        sizes = [size_of(self.ledger)]
        if self.trace is not None:
            sizes.append(size_of(self.trace))
        if self.sandbox is not None:
            sizes.append(weigh(self.sandbox.folder))
        return max(sizes)


def child_process_execute(
    command: Sequence[str],
    fixtures: Path,
    folder: Path,
    timeout: float,
    setting: Setting = PLAIN,
    hung: set[str] | None = None,
) -> Execute:
    """An `Execute` that starts `command` for each run, for at most `timeout` seconds.

    `fixtures` is the folder of the fixture files. Runs leave their files in `folder`,
    which must exist. They start in it or, in a lab with a workspace, in a fresh copy of
    that, which is taken away afterwards. `hung` remembers the fixtures whose run did
    not end: they are not started again, because each would cost all of the time. When
    many have hung, the others get less time, so that all of the tests come to an end.
    """
    numbers = count(1)
    hung = set() if hung is None else hung

    def execute(fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        if fixture_id in hung:
            return _unseen(f"{_HUNG} and is not started again", timed_out=True)
        fixture = fixtures / f"{fixture_id}.json"
        ledger = folder / f"ledger-{next(numbers)}.jsonl"
        try:
            if earlier is not None:
                _write(ledger, earlier)
            places = _prepare(fixture, ledger, setting)
        except SandboxError as error:
            return _unseen(f"cannot start: {error}")
        try:
            seen = _run(
                [*command, *places.arguments(fixture, run_id)],
                places,
                timeout if len(hung) < MANY_HUNG else min(timeout, SHORT_TIMEOUT),
            )
        finally:
            if places.sandbox is not None:
                places.sandbox.remove()
        if seen.timed_out:
            hung.add(fixture_id)
        return seen

    return execute


MANY_HUNG = 3
SHORT_TIMEOUT = 3.0  # seconds: still several times what a run takes


def run_once(execute: Execute, seen: dict[tuple[object, ...], Observation]) -> Execute:
    """The same `Execute`, but no run is made twice: `seen` remembers what it left.

    For a runner that is known to do the same every time, such as the reference runner.
    """

    def execute_once(
        fixture_id: str, run_id: str, earlier: bytes | None
    ) -> Observation:
        run = (fixture_id, run_id, earlier)
        if run not in seen:
            seen[run] = execute(fixture_id, run_id, earlier)
        return seen[run]

    return execute_once


_HUNG = "did not end in time before, was stopped,"


def child_process_report(
    command: Sequence[str], folder: Path, timeout: float
) -> Report:
    """A `Report` that starts `command`, in `folder`, for at most `timeout` seconds."""
    numbers = count(1)

    def report(trace: bytes) -> Observation:
        file = folder / f"reported-{next(numbers)}.json"
        try:
            _write(file, trace)
        except SandboxError as error:
            return _unseen(f"cannot start: {error}")
        words = [*command, "report", str(file)]
        ending = run_process(words, folder, child_environment(), timeout, lambda: 0)
        return _observation(ending)

    return report


def _prepare(fixture: Path, ledger: Path, setting: Setting) -> _Places:
    """Make what a run needs, beside its ledger. Raises SandboxError."""
    if not fixture.is_file():
        raise SandboxError(f"there is no file {fixture.name}")
    folder, number = ledger.parent, ledger.stem.removeprefix("ledger-")
    trace = folder / f"trace-{number}.json" if setting.traced else None
    if setting.workspace is None:
        return _Places(folder, ledger, trace, None)
    place, changes = folder / f"sandbox-{number}", _changes(fixture)
    sandbox = build_sandbox(place, setting.workspace, changes, setting.roots)
    return _Places(sandbox.workspace, ledger, trace, sandbox)


def _write(file: Path, data: bytes) -> None:
    """Write what a run finds. Raises SandboxError if an earlier one is in the way."""
    try:
        file.write_bytes(data)
    except OSError as error:
        raise SandboxError(f"{file.name} cannot be written: {error.strerror}") from None


def _changes(fixture: Path) -> Mapping[str, Any]:
    """What a fixture changes in the workspace. Raises SandboxError."""
    try:
        content = read_json(fixture.read_bytes())
    except OSError as error:
        raise SandboxError(f"{fixture.name} cannot be read: {error.strerror}") from None
    except NotStrictError as error:
        raise SandboxError(f"{fixture.name} {error}") from None
    changes = content.get("workspace", {}) if isinstance(content, dict) else None
    if not isinstance(changes, dict):
        raise SandboxError(f"{fixture.name} is damaged")
    return changes


def child_environment() -> dict[str, str]:
    """The environment of a program under test: without what the tests use."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in PRIVATE_VARIABLES
    }
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}


def _run(command: Sequence[str], places: _Places, timeout: float) -> Observation:
    """Run a command and look at everything it left. Never raises."""
    ending = run_process(
        command, places.folder, child_environment(), timeout, places.written
    )
    ledger, trace = _read(places.ledger), _read(places.trace)
    remains = places.sandbox.look() if places.sandbox else Remains({}, ())
    seen = _observation(ending, ledger=ledger, trace=trace, sandbox=remains)
    if isinstance(remains, Problem):
        return seen
    return seen._replace(files=remains.files, outside=remains.outside)


def _observation(
    ending: Ending, **left: bytes | Remains | Problem | None
) -> Observation:
    """How a program ended, with the files that it left or the trouble they make."""
    troubles = (
        f"left a {name} that {found.sentence}"
        for name, found in left.items()
        if isinstance(found, Problem)
    )
    ledger, trace = left.get("ledger"), left.get("trace")
    return Observation(
        exit_code=ending.exit_code,
        ledger=ledger if isinstance(ledger, bytes) else None,
        stdout=ending.stdout,
        stderr=ending.stderr,
        timed_out=ending.timed_out,
        trouble=ending.trouble or next(troubles, None),
        trace=trace if isinstance(trace, bytes) else None,
    )


def _read(path: Path | None) -> bytes | Problem | None:
    """A file, or enough of it to see that it is too large; None without a file."""
    if path is None:
        return None
    try:
        # To open a named pipe would be to wait for ever.
        if not stat.S_ISREG(path.stat().st_mode):
            return Problem("cannot be read: it is not a file")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Problem(f"cannot be read: {error.strerror}")


def _unseen(trouble: str, *, timed_out: bool = False) -> Observation:
    return Observation(None, None, timed_out=timed_out, trouble=trouble)
