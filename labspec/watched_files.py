"""Notices that files were saved, however an editor does it: written in place, replaced by rename, or gone for a moment.

`labspec check --watch` and `labspec preview` use it. It asks for the state of a few files several times a second, which
costs next to nothing and works on every file system; what tells of changes by itself does not, on network drives and in
containers.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

PAUSE = 0.25
"""Seconds between two looks at the files."""

PATIENCE = 4
"""How many looks a file may be gone for before that counts as a change: some editors remove it and write it anew."""


class Stamp(NamedTuple):
    """What tells one state of a file from the next."""

    modified: int
    """In nanoseconds."""
    size: int
    inode: int


def stamp_of(path: Path) -> Stamp | None:
    """The state of a file now; None if it is not there or can't be looked at."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


class WatchedFiles:
    """Files, each with the state it had before it was read. First `note` them, then `wait`."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """`sleep` passes the time between two looks."""
        self._stamps: dict[Path, Stamp | None] = {}
        self._sleep = sleep

    @property
    def paths(self) -> list[Path]:
        """The files, in the order in which they were noted, each once."""
        return list(self._stamps)

    def note(self, path: Path) -> None:
        """Watch this file as well. To be called before it is read, so that no save falls in between."""
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links, which can change too
        self._stamps.setdefault(absolute, stamp_of(absolute))

    def forget(self) -> None:
        """Watch nothing any more."""
        self._stamps.clear()

    def wait(self) -> list[Path]:
        """Wait until files have changed and been left alone for a look; returns those."""
        while True:
            self._sleep(PAUSE)
            if self._changed():
                self._let_settle()
                changed = self._changed()
                if changed:
                    return changed

    def _changed(self) -> list[Path]:
        return [path for path, stamp in self._stamps.items() if stamp_of(path) != stamp]

    def _let_settle(self) -> None:
        """Wait until two looks see the same. A file that is gone gets some more of them to come back."""
        looks, now = 1, self._look()
        while True:
            self._sleep(PAUSE)
            before, now = now, self._look()
            looks += 1
            gone = any(now[path] is None for path, stamp in self._stamps.items() if stamp is not None)
            if now == before and (looks > PATIENCE or not gone):
                return

    def _look(self) -> dict[Path, Stamp | None]:
        return {path: stamp_of(path) for path in self._stamps}
