"""Keeps two builds out of one folder: the second waits until the first is done."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Final

from labspec.emit.write.target import WriteRefused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where two builds at once are not told apart
    fcntl = None  # type: ignore[assignment]  # a module that a system may lack

PATIENCE: Final = 60.0
"""Seconds to wait for another build. A build takes less than one."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of an existing folder. It ends with the process, however that ends, and leaves no file behind.

    Raises WriteRefused if another build holds it for too long.
    """
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _take(descriptor):
            if time.monotonic() > deadline:
                message = f"another build has been writing into {folder} for {PATIENCE:.0f} seconds"
                raise WriteRefused("target-busy", message, "wait for it or end it, and build again")
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
