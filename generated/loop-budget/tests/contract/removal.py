"""Takes a folder away, whatever stands in it.

`shutil.rmtree` gives up at folders without permissions, and fails at trees that are
deeper than its recursion or than the longest path. Here every folder is moved to the
top before it is emptied, so no path gets longer and nothing recurses. On Windows, where
nothing can be said relative to an open folder, `shutil.rmtree` does what it can.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

PATIENCE = 10.0  # seconds; what is left then stays where it is

if sys.platform == "win32":

    def remove_folder(folder: Path) -> None:
        """Remove a folder and everything in it. Never raises."""
        shutil.rmtree(folder, ignore_errors=True)

else:

    def remove_folder(folder: Path) -> None:
        """Remove a folder and what is in it, without following links. Never raises."""
        deadline = time.monotonic() + PATIENCE
        numbers = count(1)
        waiting = [os.fspath(folder)]
        while waiting and time.monotonic() < deadline:
            place = waiting.pop()
            with contextlib.suppress(OSError), _opened(place) as opened:
                for name in os.listdir(opened):
                    aside = f"{folder}.{next(numbers)}"
                    if _take_out(name, opened, aside):
                        waiting.append(aside)
            with contextlib.suppress(OSError):
                os.rmdir(place)

    @contextlib.contextmanager
    def _opened(place: str) -> Iterator[int]:
        """An open folder, which stays the same one whatever becomes of its name."""
        if stat.S_ISDIR(os.lstat(place).st_mode):
            os.chmod(place, 0o700)  # a program may have taken the permissions away
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _take_out(name: str, folder: int, aside: str) -> bool:
        """Delete an entry of an open folder; one that is a folder is moved aside."""
        with contextlib.suppress(OSError):
            if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                os.unlink(name, dir_fd=folder)
                return False
            # A folder must be writable to be moved.
            os.chmod(name, 0o700, dir_fd=folder)
            os.rename(name, aside, src_dir_fd=folder)
            return True
        return False
