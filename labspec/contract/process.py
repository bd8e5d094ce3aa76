"""Runs a program that may do anything: hang, print for ever, leave children behind.

The program gets no input, a time limit and an output limit. What it prints goes to
files, not to pipes: a child that it left behind and that holds a pipe open would make a
finished program look as if it hung. Then everything it started is ended: its process
group and, on Linux, what has left that group (see `orphans.py`, also for what is not
found elsewhere). A program that ends the process of the tests cannot be helped.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .orphans import adopt_orphans, end_orphans

MAX_WRITTEN = 16 * 1024 * 1024  # bytes a program may write before it is stopped
MAX_KEPT = 32 * 1024  # bytes kept of the start, and as many of the end, of its output
LOOK_EVERY = 0.02  # seconds between two looks at what was written
KILL_GRACE = 5.0  # seconds for the system to end a program that was killed


@dataclass(frozen=True)
class Ending:
    """How a program ended and what it printed, shortened.

    `exit_code` is None, and `trouble` says why, when it did not end by itself or could
    not be started.
    """

    exit_code: int | None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    trouble: str | None = None


def run_process(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    timeout: float,
    written: Callable[[], int],
) -> Ending:
    """Run a command in a folder for at most `timeout` seconds, and never raise.

    `written` says how many bytes the program has written to its files so far. They
    count as output: they may not grow without bound either.
    """
    known = adopt_orphans()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                creationflags=_CREATION_FLAGS,
            )
        except (OSError, ValueError) as error:
            return Ending(None, trouble=f"could not be started: {error}")
        try:
            stopped = _wait(process, timeout, (stdout, stderr), written)
        finally:
            _end_group(process)
            end_orphans(known)
        return Ending(
            exit_code=None if stopped else process.returncode,
            stdout=_read(stdout),
            stderr=_read(stderr),
            timed_out=stopped is _TOO_LONG,
            trouble=stopped.format(seconds=timeout) if stopped else None,
        )


_TOO_LONG = "did not end within {seconds:g} seconds and was stopped"
_TOO_MUCH = f"wrote more than {MAX_WRITTEN // 1024 // 1024} MiB and was stopped"


def _wait(
    process: subprocess.Popen[bytes],
    timeout: float,
    outputs: tuple[IO[bytes], ...],
    written: Callable[[], int],
) -> str | None:
    """Wait for the end; the reason to stop the program before it, if there is one."""
    deadline = time.monotonic() + timeout
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_EVERY)
            return None
        if time.monotonic() > deadline:
            return _TOO_LONG
        if max(*map(_size, outputs), written()) > MAX_WRITTEN:
            return _TOO_MUCH


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def size_of(path: Path) -> int:
    """The bytes of a file, 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _read(file: IO[bytes]) -> str:
    size = _size(file)
    file.seek(0)
    if size <= 2 * MAX_KEPT:
        return file.read(2 * MAX_KEPT).decode("utf-8", "backslashreplace")
    start = file.read(MAX_KEPT)
    file.seek(size - MAX_KEPT)
    gap = f"\n... {size - 2 * MAX_KEPT} bytes left out ...\n".encode()
    return (start + gap + file.read(MAX_KEPT)).decode("utf-8", "backslashreplace")


if sys.platform == "win32":
    _CREATION_FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP

    def _end_group(process: subprocess.Popen[bytes]) -> None:
        if process.poll() is not None:
            return
        system = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32")
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                [str(system / "taskkill.exe"), "/T", "/F", "/PID", str(process.pid)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=KILL_GRACE,
                check=False,
            )
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(KILL_GRACE)

else:
    _CREATION_FLAGS = 0

    def _end_group(process: subprocess.Popen[bytes]) -> None:
        # The group has the id of the process that began it, and outlives it. With no
        # one left in it the call fails; macOS then says "not permitted".
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(KILL_GRACE)
