"""What stands in a folder, whoever left it: seen without following a link or waiting.

Programs leave named pipes, folders without permissions, names that are no text, links
to anywhere and trees without end. A snapshot holds what can be said of them, or says
why it is too much to be looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from .records import MAX_BYTES, Problem

MAX_ENTRIES = 4_096  # files, folders and links
MIB = 1024 * 1024
MAX_TOTAL = 16 * MIB  # bytes in all files together
MAX_DEPTH = 64  # of folders inside each other
BLOCK = 4_096  # bytes that an entry takes on disk at least, even an empty one

Kind: TypeAlias = Literal["file", "folder", "link", "other"]


class Entry(NamedTuple):
    """A file with the digest of its bytes, a link with its target, or something else.

    What cannot be read has an empty `content`.
    """

    kind: Kind
    content: str = ""


Snapshot: TypeAlias = Mapping[str, Entry]
"""The entries of a folder and its folders, by their paths: relative, with /."""


class _Found(NamedTuple):
    path: str
    depth: int
    place: str
    kind: Kind
    size: int


def take_snapshot(folder: Path) -> Snapshot | Problem:
    """Look at everything in `folder`, or say why it is too much. Never raises."""
    if folder.is_symlink():
        return Problem("was replaced by a link")
    entries: dict[str, Entry] = {}
    total = 0
    for found in _walk(folder):
        total += found.size
        if len(entries) >= MAX_ENTRIES:
            return Problem(f"has more than {MAX_ENTRIES:,} files")
        if total > MAX_TOTAL:
            return Problem(f"has more than {MAX_TOTAL // MIB} MiB in its files")
        if found.depth > MAX_DEPTH:
            return Problem(f"has folders more than {MAX_DEPTH} deep")
        entries[found.path] = _entry(found)
    return entries


def weigh(folder: Path) -> int:
    """How many bytes the entries of a folder take, at least, once that is too much.

    For looking at a folder that is being written to: it takes little time.
    """
    total = 0
    for found in _walk(folder):
        total += found.size + BLOCK
        if total > MAX_TOTAL or found.depth > MAX_DEPTH:
            return max(total, MAX_TOTAL + 1)
    return total


def read_texts(folder: Path) -> dict[str, str]:
    """The text of each file in `folder`, by its path; bytes that are not UTF-8 escaped.

    Links are left out. What cannot be read is there, with a note in angle brackets.
    """
    return {
        found.path: _text(found)
        for found in _walk(folder)
        if found.kind in ("file", "other")
    }


def differences(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """What became of each path that is not as it was: created, changed or removed."""
    found: dict[str, str] = {}
    for path in sorted({*before, *after}):
        if path not in before:
            found[path] = "created"
        elif path not in after:
            found[path] = "removed"
        elif before[path] != after[path]:
            found[path] = "changed"
    return found


def _walk(folder: Path) -> Iterator[_Found]:
    """Everything in a folder, in any order; of what vanishes meanwhile, nothing."""
    waiting = [("", 1, os.fspath(folder))]
    while waiting:
        prefix, depth, place = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    found = _look(entry, prefix, depth)
                    if found.kind == "folder":
                        waiting.append((f"{found.path}/", depth + 1, found.place))
                    yield found


def _look(entry: os.DirEntry[str], prefix: str, depth: int) -> _Found:
    seen = entry.stat(follow_symlinks=False)
    kind: Kind = "other"
    if stat.S_ISREG(seen.st_mode):
        kind = "file"
    elif stat.S_ISDIR(seen.st_mode):
        kind = "folder"
    elif stat.S_ISLNK(seen.st_mode):
        kind = "link"
    size = seen.st_size if kind == "file" else 0
    return _Found(prefix + entry.name, depth, entry.path, kind, size)


def _entry(found: _Found) -> Entry:
    if found.kind == "file":
        data = _read(found.place)
        return Entry("file", "" if data is None else hashlib.sha256(data).hexdigest())
    if found.kind == "link":
        with contextlib.suppress(OSError):
            return Entry("link", os.readlink(found.place))
    return Entry(found.kind)


def _text(found: _Found) -> str:
    data = _read(found.place, MAX_BYTES + 1) if found.kind == "file" else None
    if data is None:
        return "<not a file>" if found.kind == "other" else "<cannot be read>"
    return data.decode("utf-8", "surrogateescape")


def _read(place: str, limit: int = MAX_TOTAL) -> bytes | None:
    """The start of a file, unless it is something else by now: no link, no pipe."""
    flags = os.O_RDONLY | _NO_WAITING
    try:
        with open(os.open(place, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return file.read(limit)
    except (OSError, ValueError):
        return None


# Windows has none of these, and needs O_BINARY instead.
_NO_WAITING = sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
)
