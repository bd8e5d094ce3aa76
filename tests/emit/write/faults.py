"""Puts faults into a build: something happens right before one of its changes of the disk.

The build runs in a fork of this process. A file that is written counts twice: before it is opened, and when half of it
is written.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from labspec.emit import Tree, WriteRefused, write

Ending: TypeAlias = Literal["done", "unmoved", "refused", "killed"]
"""`unmoved` is done although a fault came up; `done` says that none did."""
Faults: TypeAlias = Mapping[int, Callable[[], None]]
"""What happens before the change with this number, counted from 1."""

_CODES: Final[Mapping[int, Ending]] = {0: "done", 1: "refused", 4: "unmoved", 9: "killed"}
_CHANGES: Final = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.chmod"}
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def kill() -> None:
    """The process ends here and now, as by SIGKILL."""
    os._exit(9)


def fill_disk() -> None:
    """This change, and no other, finds the disk full."""
    raise OSError(errno.ENOSPC, "No space left on device")


def build_with(faults: Faults, tree: Tree, target: Path) -> Ending:
    """Build `tree` with faults in what it changes below the parent of `target`."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            changes = _put_in(faults, str(target.parent))
            write(tree, target)
            code = 0 if changes() < min(faults) else 4
        except WriteRefused:
            code = 1
        except BaseException:  # a fork must not go on as a second pytest
            traceback.print_exc()
        finally:
            os._exit(code)
    return _CODES[os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]


def _put_in(faults: Faults, folder: str) -> Callable[[], int]:
    """From now on, faults come up in this process. Returns what tells how many changes there were."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        faults.get(count, lambda: None)()

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        if (writes or event in _CHANGES) and str(arguments[0]).startswith(folder):
            step()

    def write_bytes(path: Path, data: bytes) -> int:
        half = len(data) // 2
        with path.open("wb", buffering=0) as file:
            file.write(data[:half])
            step()
            return half + file.write(data[half:])

    def write_text(path: Path, text: str, encoding: str) -> int:
        return write_bytes(path, text.encode(encoding))

    sys.addaudithook(hear)
    Path.write_bytes = write_bytes  # type: ignore[assignment]  # nothing else can tear a write
    Path.write_text = write_text  # type: ignore[assignment]  # the same
    return lambda: count
