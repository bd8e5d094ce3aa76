"""The last step: a tree becomes a new folder, all of it or nothing. Nothing that is there already is touched."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from labspec.emit.write.create import create_folder
from labspec.emit.write.lock import locked
from labspec.emit.write.target import WriteRefused, check_paths

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.emit.tree import Tree


def create(tree: Tree, target: Path) -> None:
    """Write a tree into the folder `target`, which is empty or not there.

    Raises WriteRefused if something is there or the disk refuses; then everything is as it was. Raises ValueError if a
    path of the tree could leave the target.
    """
    check_paths(tree)
    try:
        with locked(target.parent):
            check_is_free(target)
            if sys.platform == "win32" and target.is_dir():
                target.rmdir()  # there, a folder can't take the place of an empty one
            create_folder(tree, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteRefused("write-failed", f"cannot write {target}: {reason}", "nothing was changed there") from error


def check_is_free(target: Path) -> None:
    """Nothing stands at a target, or an empty folder does. Raises WriteRefused."""
    if target.is_symlink():
        raise WriteRefused("target-is-symlink", f"{target} is a symbolic link", "give another name")
    if target.exists() and not target.is_dir():
        raise WriteRefused("target-is-file", f"{target} is not a directory", "give another name")
    if target.is_dir() and any(target.iterdir()):
        raise WriteRefused("target-not-empty", f"{target} is not empty", "give another name, or empty this folder")
