"""Looks at a target before anything is written: whether it may be ours, and what stands at the places of our files."""

from __future__ import annotations

import stat
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class WriteRefused(Exception):  # noqa: N818 - a refusal is an answer, and the name says which
    """The target is not ours to write, or can't be written. Nothing was changed."""

    def __init__(self, code: str, message: str, help: str) -> None:
        """`message` is a sentence about the target, and `help` says what to do about it."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


_STRANGE: Final = frozenset('\\:*?"<>|\0')


def check_paths(paths: Iterable[str]) -> None:
    """Every path stays inside the target, on every file system. Raises ValueError."""
    _check_paths(tuple(paths))


@lru_cache(maxsize=64)
def _check_paths(paths: tuple[str, ...]) -> None:
    """The repositories of variants have the same paths, and what was found sound once is so again."""
    seen: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        if not _STRANGE.isdisjoint(path) or any(part in ("", ".", "..") or part.endswith((".", " ")) for part in parts):
            raise ValueError(f"not a path for every file system: {path!r}")
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            raise ValueError(f"{other!r} and {path!r} are one file on some systems")
    for path in seen.values():
        for folder in folders_of(path):
            if folder.casefold() in seen:
                raise ValueError(f"{folder!r} is both a file and a folder")


def folders_of(path: str) -> Iterator[str]:
    """The folders that a path of a repository leads through, the outermost first."""
    for index, character in enumerate(path):
        if character == "/":
            yield path[:index]


def check_can_hold(target: Path) -> None:
    """A target can be a repository: it is a directory or not there at all. Raises WriteRefused."""
    if target.parent == target:
        raise WriteRefused("target-is-root", f"{target} is the root of a file system", "name a folder for the lab")
    if target == _home():
        raise WriteRefused("target-is-home", f"{target} is your home directory", "name a folder for the lab")
    if target.is_symlink():
        message = f"{target} is a symbolic link"
        raise WriteRefused("target-is-symlink", message, "name the folder it leads to, or another one")
    if target.exists() and not target.is_dir():
        raise WriteRefused("target-is-file", f"{target} is not a directory", "name a folder for the lab")


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None


def read_if_file(path: Path) -> bytes | None:
    """The content of a regular file; None if there is nothing, or something else."""
    try:
        return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return None


def blocked_folder(path: str, target: Path) -> str | None:
    """The folder on the way to `path` in whose place stands something else, such as a file or a symbolic link."""
    for folder in folders_of(path):
        try:
            mode = (target / folder).lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISDIR(mode):
            return folder
    return None
