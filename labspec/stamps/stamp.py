"""A stamp is about one spec and the repository built of it.

It has what the system says of each file that the outcome depends on (size, times, inode), as git has it of its work
tree, and the digest of the file: one that looks changed, or may have changed within the grain of the clock, is read.
A stamp is only a hint: without one, or with one that makes no sense, the build is done in full.

Stamps are about one machine, so they are kept in the user's cache and not in the repository.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from binascii import crc32
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from labspec.stamps.compiler import compiler_looks, newest_of_compiler

GRAIN: Final = 2_000_000_000
"""Nanoseconds within which two changes of a file can have the same time: the coarsest clock of a file system (FAT)."""

FORM: Final = 1
"""The form of the file of a stamp. One of another form counts for nothing."""

UNSETTLED: Final = (".labspec-new", "unfinished-build")
"""What is part of a name in a target if a build has something to say there: a copy beside a file, a killed build."""


class Key(NamedTuple):
    """Which build a stamp is about: the spec and the folder for repositories, as they were named, and where."""

    spec: str
    output: str
    edition: str
    folder: str

    @classmethod
    def of(cls, spec: str, output: str, edition: str) -> Key:
        """The key of a build of these paths, which is started here."""
        return cls(_plain(spec), _plain(output), edition, os.getcwd())


def _plain(path: str) -> str:
    """The path without what has no say in it, as pathlib has it. `..` stays: a link may stand before it."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


class Settled(NamedTuple):
    """A build after which there is nothing to do until something changes."""

    target: str
    """The folder of the repository, absolute."""
    said: str
    """What a build says that has nothing to do."""
    sources: Mapping[str, str]
    """The files of the spec, absolute, and their digests (`tree.digest`)."""
    files: Mapping[str, str]
    """The files of the repository, relative, and their digests."""


class Recalled(NamedTuple):
    """The target of a build that has nothing to do, absolute, and what it says."""

    target: str
    said: str


def recall(key: Key) -> Recalled | None:
    """What a build comes to that has nothing to do; None if it has to be done to know."""
    now = time.time_ns()
    try:
        with open(_place(key), encoding="utf-8") as file:
            content: Any = json.load(file)
        if content["form"] != FORM or content["key"] != list(key) or content["compiler"] != compiler_looks():
            return None
        target, known = content["target"], content["files"]
        looks, had_to_read = _hold(target, known, content["began"] - GRAIN)
        if not _is_settled(target, known):
            return None
        if had_to_read:  # the next time it is enough to look
            _put(key, {**content, "files": looks, "began": now})
        return Recalled(str(target), str(content["said"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, _ChangedError):
        return None


def remember(key: Key, settled: Settled, began: int) -> None:
    """Leave a stamp of a build that began to read at the time `began` (`time.time_ns()`).

    None is left where the compiler itself has just changed, and a cache that can't be written to is left alone.
    """
    if newest_of_compiler() >= began - GRAIN:
        return
    digests = {**settled.sources, **settled.files}
    try:
        looks = {path: [*_look(os.path.join(settled.target, path)), known] for path, known in digests.items()}
    except (OSError, _ChangedError):  # somebody was faster
        return
    content = {"form": FORM, "key": key, "compiler": compiler_looks(), "target": settled.target, "said": settled.said}
    _put(key, {**content, "began": began, "files": looks})


class _ChangedError(Exception):
    """A file is not as the stamp says."""


def _hold(target: str, known: Mapping[str, Sequence[Any]], settled: int) -> tuple[dict[str, list[Any]], bool]:
    """Hold every file against what is known of it; returns how they look, and whether one had to be read.

    A look is worth something if the file has not changed since the time `settled`.
    """
    looks: dict[str, list[Any]] = {}
    had_to_read = False
    for path, (*before, digest) in known.items():
        place = os.path.join(target, path)
        look = _look(place)
        if look != before or look[2] >= settled:
            had_to_read = True
            if _digest(place) != digest:
                raise _ChangedError
        looks[path] = [*look, digest]
    return looks, had_to_read


def _look(place: str) -> list[int]:
    """The size of a file, the times of the last changes of its content and its inode, and the inode's number."""
    found = os.lstat(place)
    if not stat.S_ISREG(found.st_mode):
        raise _ChangedError
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _digest(place: str) -> str:
    from labspec.emit.tree import digest  # not needed where looking is enough

    with open(place, "rb") as file:
        return digest(file.read())


def _is_settled(target: str, paths: Iterable[str]) -> bool:
    """Whether the folders of a target are folders, and hold nothing that a build would have to speak of."""
    for folder in {os.path.dirname(path) for path in paths if not os.path.isabs(path)}:
        place = os.path.join(target, folder) if folder else target
        if not stat.S_ISDIR(os.lstat(place).st_mode):
            return False
        if any(mark in name for name in os.listdir(place) for mark in UNSETTLED):
            return False
    return True


def _place(key: Key) -> str:
    """The file of a stamp. Two builds may have the same: the later one takes it."""
    name = f"{crc32(repr(key).encode('utf-8', 'surrogatepass')):08x}.json"
    return os.path.join(_cache(), "labspec", "builds", name)


def _cache() -> str:
    """The user's cache (XDG Base Directory Specification; on Windows the folder for local data)."""
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    folder = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(folder):
        raise FileNotFoundError("nobody's home")
    return folder


def _put(key: Key, content: object) -> None:
    """Write a stamp as a whole. Without one, the next build is only slower."""
    with contextlib.suppress(OSError):
        place = _place(key)
        unfinished = f"{place}.{os.getpid()}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(unfinished, "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(unfinished, place)
