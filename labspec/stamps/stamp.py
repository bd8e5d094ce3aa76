"""A stamp is about one spec and the repository built of it.

It has what the system says of each file that the outcome depends on (size, times, inode), as git has it of its work
tree, and the digest of the file: one that looks changed, or may have changed within the grain of the clock, is read.
A stamp is only a hint: without one, or with one that makes no sense, the build is done in full.

Stamps are about one machine, so they are kept in the user's cache and not in the repository.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from binascii import crc32

from labspec.stamps.compiler import compiler_looks, newest_of_compiler

TYPE_CHECKING = False  # as `typing` says it, whose import would take as long as all that is done here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Final

GRAIN: Final = 2_000_000_000
"""Nanoseconds within which two changes of a file can have the same time: the coarsest clock of a file system (FAT)."""

FORM: Final = "labspec stamp 1"
"""The beginning of the file of a stamp. One that begins in another way counts for nothing."""

UNSETTLED: Final = (".labspec-new", "unfinished-build")
"""What is part of a name in a target if a build has something to say there: a copy beside a file, a killed build."""

MOST_STAMPS: Final = 4000
"""How many stamps are kept, of some 30 kB each."""

_OF_A_FILE: Final = 6
"""How many fields a stamp has for each file: path, digest, and how it looks."""


def key_of(spec: str, output: str, edition: str) -> str:
    """By which the stamp of a build is found that is started here: the spec and the folder of repositories as they are
    named, and the name of the edition.
    """
    return "\n".join((_plain(spec), _plain(output), edition, os.getcwd()))


def _plain(path: str) -> str:
    """The path without what has no say in it, as pathlib has it. `..` stays: a link may stand before it."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def recall(key: str) -> tuple[str, str] | None:
    """The target of a build, absolute, and what it says, if it has nothing to do; None if it has to be done to know."""
    now = time.time_ns()
    try:
        with open(_place(key), encoding="utf-8", newline="") as file:
            form, whose, compiler, target, said, began, *fields = file.read().split("\0")
        if (form, whose, compiler) != (FORM, key, compiler_looks()):
            return None
        known = [fields[start : start + _OF_A_FILE] for start in range(0, len(fields), _OF_A_FILE)]
        looks = [_hold(os.path.join(target, path), before, digest, int(began)) for path, digest, *before in known]
        if not _is_settled(target, (path for path, *_ in known)):
            return None
    except (OSError, ValueError, _ChangedError):
        return None
    if any(before != look for (_, _, *before), look in zip(known, looks, strict=True)) or _is_hasty(looks, int(began)):
        settled = [[path, digest, *look] for (path, digest, *_), look in zip(known, looks, strict=True)]
        _put(key, [target, said, str(now)], settled)  # some had to be read: the next time it is enough to look
    return target, said


def remember(
    key: str, target: str, said: str, sources: Mapping[str, str], files: Mapping[str, str], *, began: int
) -> None:
    """Leave a stamp of a build after which there is nothing to do until something changes.

    None is left where the compiler itself has just changed, and a cache that can't be written to is left alone.

    Args:
        key: see `key_of`.
        target: the folder of the repository, absolute.
        said: what a build says that has nothing to do.
        sources: the files of the spec, absolute, and their digests (`tree.digest`) when they were read.
        files: the files of the repository, relative, and their digests.
        began: the time, in nanoseconds, before which nothing of all this was read.

    """
    if newest_of_compiler() >= began - GRAIN:
        return
    digests = {**sources, **files}
    try:
        settled = [[path, known, *_look(os.path.join(target, path))] for path, known in digests.items()]
    except (OSError, _ChangedError):  # somebody was faster
        return
    _put(key, [target, said, str(began)], settled)


class _ChangedError(Exception):
    """A file is not as the stamp says."""


def _hold(place: str, before: list[str], digest: str, began: int) -> list[str]:
    """How a file looks that is what the stamp says; raises _ChangedError if it is not."""
    look = _look(place)
    if (look != before or _is_hasty([look], began)) and _digest(place) != digest:
        raise _ChangedError
    return look


def _is_hasty(looks: list[list[str]], began: int) -> bool:
    """Whether a file was changed so shortly before the stamp was made that it could look the same after a change."""
    return any(int(changed) >= began - GRAIN for _, _, changed, _ in looks)


def _look(place: str) -> list[str]:
    """The size of a file, the times of the last changes of its content and its inode, and the inode's number."""
    found = os.lstat(place)
    if not stat.S_ISREG(found.st_mode):
        raise _ChangedError
    return [str(found.st_size), str(found.st_mtime_ns), str(found.st_ctime_ns), str(found.st_ino)]


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


def _place(key: str) -> str:
    """The file of a stamp, which two builds may share: the later one takes it. Raises OSError if there is no cache."""
    return os.path.join(_cache(), "labspec", "builds", f"{crc32(os.fsencode(key)):08x}")


def _cache() -> str:
    """The user's cache (XDG Base Directory Specification; on Windows the folder for local data)."""
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    folder = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(folder):
        raise FileNotFoundError("nobody's home")
    return folder


def _put(key: str, head: list[str], files: list[list[str]]) -> None:
    """Write a stamp as a whole. Without one, the next build is only slower."""
    fields = [FORM, key, compiler_looks(), *head, *(field for file in files for field in file)]
    with contextlib.suppress(OSError, UnicodeEncodeError):  # a name that is no text has no stamp
        place = _place(key)
        unfinished = f"{place}.{os.getpid()}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if not os.path.exists(place):
            _make_room(os.path.dirname(place))
        with open(unfinished, "w", encoding="utf-8", newline="") as file:
            file.write("\0".join(fields))
        os.replace(unfinished, place)


def _make_room(folder: str) -> None:
    """Remove the older half of the stamps where there are too many: folders that were built into once are forgotten."""
    stamps = sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime_ns)
    for entry in stamps[: len(stamps) // 2] if len(stamps) >= MOST_STAMPS else ():
        os.remove(entry.path)
