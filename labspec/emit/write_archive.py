"""Writes an archive to disk, or compares it: what `write` and `compare` are for a repository."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal, TypeAlias

from labspec.emit.archive import is_as_packed
from labspec.emit.write.target import WriteRefused, read_if_file

State: TypeAlias = Literal["missing", "differs", "current"]


def archive_state(data: bytes, place: Path) -> State:
    """How the file at `place` stands to the archive that belongs there.

    Raises WriteRefused if something stands there that is no archive of ours, or was changed since, or can't be read.
    """
    if not os.path.lexists(place):
        return "missing"
    try:
        found = read_if_file(place)
    except OSError as error:
        raise _failed("read", place, error) from error
    if found == data:
        return "current"
    if found is None or not is_as_packed(found):
        message = f"{place} is not an archive as labspec wrote it"
        raise WriteRefused("archive-not-ours", message, "move it away, or build into another folder with `-o`")
    return "differs"


def write_archive(data: bytes, place: Path) -> bool:
    """Make the file at `place` hold this archive, as a whole or not at all; returns whether anything was written.

    Raises WriteRefused as `archive_state` does, or if the disk refuses; then what is there is as it was.
    """
    if archive_state(data, place) == "current":
        return False
    try:
        _replace(data, place)
    except OSError as error:
        raise _failed("write", place, error) from error
    return True


def _replace(data: bytes, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
        temporary.chmod(0o644)  # a temporary file is for its owner alone, an archive is for a course page
        temporary.replace(place)
    finally:
        temporary.unlink(missing_ok=True)


def _failed(act: str, place: Path, error: OSError) -> WriteRefused:
    reason = error.strerror or str(error)
    return WriteRefused("write-failed", f"cannot {act} {place}: {reason}", "nothing was changed there")
