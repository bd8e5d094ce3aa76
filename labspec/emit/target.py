"""Looks at a target before anything is written: whether it may be ours, and what in it is not as we left it."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from labspec.emit.tree import MANIFEST, Tree, digest

if TYPE_CHECKING:
    from labspec.emit.manifest import Manifest


class WriteRefused(Exception):  # noqa: N818 - a refusal is an answer, and the name says which
    """The target is not ours to write, or can't be written. Nothing was changed."""

    def __init__(self, code: str, message: str, help: str) -> None:
        """`message` is a sentence about the target, and `help` says what to do about it."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


def check_paths(tree: Tree) -> None:
    """Every path stays inside the target, on every file system. Raises ValueError."""
    seen: dict[str, str] = {}
    for path in tree:
        parts = path.split("/")
        strange = any(character in path for character in '\\:*?"<>|\0')
        if strange or any(part in ("", ".", "..") or part.endswith((".", " ")) for part in parts):
            raise ValueError(f"not a path for every file system: {path!r}")
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            raise ValueError(f"{other!r} and {path!r} are one file on some systems")
    for path in tree:
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


def edited_files(tree: Tree, target: Path, manifest: Manifest) -> list[str]:
    """The paths in the target, of the tree or of its manifest, that hold something which is neither as we wrote it nor
    what we are about to write. A file that is gone counts as unedited: it comes back.
    """
    paths = sorted({*tree, *manifest.digests} - {MANIFEST})
    return [path for path in paths if _is_edited(path, tree, target, manifest)]


def _is_edited(path: str, tree: Tree, target: Path, manifest: Manifest) -> bool:
    if _is_blocked(path, target):
        return True
    data = read_if_file(target / path)
    if data is None:
        return False
    found = digest(data)
    return found != manifest.digests.get(path) and (path not in tree or found != digest(tree[path].data))


def _is_blocked(path: str, target: Path) -> bool:
    """True when something stands at a path, or where one of its folders must be, that is no plain file or folder."""
    place = target
    for part in PurePosixPath(path).parent.parts:
        place = place / part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            return True
    return (target / path).is_symlink() or ((target / path).exists() and not (target / path).is_file())
