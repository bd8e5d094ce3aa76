"""The child processes of a proof: run to their end, or stopped all together when the proof is broken off."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

GRACE = 3.0
"""Seconds a process has to end what it has started, once it is asked to end."""


class StoppedError(Exception):
    """The proof was broken off; what a child was asked for does not come."""


class Children:
    """Starts child processes, and stops those still running at the end of a `with` block."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], output: Path, *, piped: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start a command in `folder`. What it prints goes to the file `output`.

        With `piped`, it reads from a pipe, and only what it prints as errors goes to `output`. Raises StoppedError if
        the proof was broken off, OSError if the command can't be started.
        """
        with output.open("wb") as file, self._lock:
            if self._stopped:
                raise StoppedError
            process = subprocess.Popen(  # noqa: S603  # the tests of our own repositories
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else file,
                stderr=file if piped else subprocess.STDOUT,
                process_group=0 if os.name == "posix" else None,  # ^C is for us, and we stop what is running
            )
            self._running.add(process)
        return process

    def run(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], output: Path, seconds: float
    ) -> bool:
        """Run a command to its end; False if it was stopped after `seconds`. Raises as `start` does."""
        process = self.start(command, folder, environment, output)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            _ask_to_end(process)
            _wait_or_kill(process)
            return False
        finally:
            with self._lock:
                self._running.discard(process)
        return True

    def stop(self) -> None:
        """Stop what is running, and start nothing more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            _ask_to_end(process)
        for process in running:
            _wait_or_kill(process)


def _ask_to_end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a process: tests that are interrupted end the runs that they have started."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):  # it may have ended with something unread
            process.stdin.close()
    if os.name == "posix":
        process.send_signal(signal.SIGINT)


def _wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        if os.name == "posix":  # with what it has started: it leads a group of its own
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
