"""A new file takes the place of an old one in one step, and the old one is kept beside it under another name.

At every moment the path holds the whole old file or the whole new one. `migrate` uses it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

KEPT = ".before-migration"
"""What is added to the name of a file to name its old form."""


class ChangedMeanwhileError(OSError):
    """Somebody wrote to the file after it was read, and that would be lost."""

    def __init__(self) -> None:
        """Say it as the end of a sentence."""
        super().__init__("it changed while it was read")


def stage(lines: Iterable[bytes], path: Path, mode: int) -> Path:
    """Write lines to a new file beside `path`, with the permissions `mode`, and have them on the disk.

    Raises OSError if that fails; then the new file is gone.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".labspec")
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            new.chmod(mode & 0o777)
            stream.writelines(lines)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        new.unlink()
        raise
    return new


def take_place(new: Path, path: Path, before: os.stat_result) -> Path:
    """Put the staged file in the place of the one at `path`; returns where the old one is now.

    Raises ChangedMeanwhileError if the file at `path` is not what it was `before`, and OSError if the disk refuses.
    Then the staged file is gone, and nothing else has changed.
    """
    try:
        _check_is_same(path.stat(), before)
        kept = _keep(path)
        try:
            new.replace(path)
        except OSError:
            kept.unlink()
            raise
    except BaseException:
        new.unlink()
        raise
    return kept


def _check_is_same(now: os.stat_result, before: os.stat_result) -> None:
    same_content = (now.st_size, now.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    if not (same_content and os.path.samestat(now, before)):
        raise ChangedMeanwhileError


def _keep(path: Path) -> Path:
    """Give the ledger a second name that nothing has yet, or make a copy of that name where a file can't have two."""
    for number in range(1, 1000):
        kept = path.with_name(f"{path.name}{KEPT}{'' if number == 1 else f'-{number}'}")
        try:
            _link_or_copy(path, kept)
        except FileExistsError:
            continue
        return kept
    raise FileExistsError(f"there are too many files {path.name}{KEPT}-...")


def _link_or_copy(path: Path, kept: Path) -> None:
    try:
        kept.hardlink_to(path)
    except FileExistsError:
        raise
    except OSError:  # some file systems have no second names
        with kept.open("xb") as copy:
            _copy(path, copy, kept)


def _copy(path: Path, copy: IO[bytes], kept: Path) -> None:
    try:
        with path.open("rb") as original:
            shutil.copyfileobj(original, copy)
        shutil.copystat(path, kept)
    except OSError:
        kept.unlink()
        raise
