"""Looks at a target before anything is written: whether it may be ours, and what stands at the places of our files."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class WriteRefused(Exception):  # noqa: N818 - a refusal is an answer, and the name says which
    """The target is not ours to write, or can't be written. Nothing was changed."""

    def __init__(self, code: str, message: str, help: str) -> None:
        """`message` is a sentence about the target, and `help` says what to do about it."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


def check_paths(paths: Iterable[str]) -> None:
    """Every path stays inside the target, on every file system. Raises ValueError."""
    seen: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        strange = any(character in path for character in '\\:*?"<>|\0')
        if strange or any(part in ("", ".", "..") or part.endswith((".", " ")) for part in parts):
            raise ValueError(f"not a path for every file system: {path!r}")
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            raise ValueError(f"{other!r} and {path!r} are one file on some systems")
    for path in seen.values():
        for folder in PurePosixPath(path).parents:
            if str(folder).casefold() in seen:
                raise ValueError(f"{str(folder)!r} is both a file and a folder")


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
    for folder in reversed(PurePosixPath(path).parents[:-1]):
        place = target / folder
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            return str(folder)
    return None
