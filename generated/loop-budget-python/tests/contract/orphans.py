"""Finds the processes that a program left behind in sessions of their own (Linux only).

To end a program's process group is not enough: a child that has called `setsid` is in
none of ours. But Linux gives the children of a dead process to the nearest ancestor
that has asked for them. We ask; so whatever the program left becomes our own child.

Elsewhere such a child is not found: macOS has no way to ask, and on Windows a child
whose parent has ended has lost the way to it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

PATIENCE = 5.0  # seconds for processes that are killed to be gone
_SET_CHILD_SUBREAPER = 36  # of prctl(2)

if sys.platform == "linux":

    def adopt_orphans() -> frozenset[int]:
        """From now on take the children of dead descendants; returns those we have."""
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes  # not built into every Python

            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        return frozenset(_children())

    def end_orphans(known: frozenset[int]) -> None:
        """End every child that came since `known` and is in no session of ours.

        Children of theirs come to us when they die, so this goes on until none is left.
        """
        deadline = time.monotonic() + PATIENCE
        while orphans := [each for each in _children() if _is_orphan(each, known)]:
            for orphan in orphans:
                _end(orphan)
            if time.monotonic() > deadline:
                return
            time.sleep(0.002)

    def _children() -> Iterator[int]:
        # Each thread has its own children. The files may be missing in odd kernels.
        for task in Path("/proc/self/task").glob("*/children"):
            with contextlib.suppress(OSError):
                yield from map(int, task.read_text("ascii").split())

    def _is_orphan(process: int, known: frozenset[int]) -> bool:
        """Whether a child is none that this process has started for itself."""
        try:
            return process not in known and os.getsid(process) != os.getsid(0)
        except OSError:
            return False

    def _end(process: int) -> None:
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(process, os.WNOHANG)

else:

    def adopt_orphans() -> frozenset[int]:
        """Nothing that this system could do."""
        return frozenset()

    def end_orphans(known: frozenset[int]) -> None:
        """Nothing that this system could do."""
