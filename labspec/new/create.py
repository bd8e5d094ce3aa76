"""The last step: a tree becomes a new folder, all of it or nothing. Nothing that is there already is touched."""

from __future__ import annotations

import secrets
import shutil
import sys
from typing import TYPE_CHECKING

from labspec.emit.target import WriteRefused, check_paths
from labspec.emit.transaction import make_folder, put_file

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.emit.tree import Tree


def create(tree: Tree, target: Path) -> None:
    """Write a tree into the folder `target`, which is empty or not there.

    It is built beside its place and renamed. Raises WriteRefused if something is there or the disk refuses; then
    everything is as it was. Raises ValueError if a path of the tree could leave the target.
    """
    check_paths(tree)
    staging = target.parent / f".{target.name}.{secrets.token_hex(4)}.labspec"
    try:
        check_is_free(target)
        _build(tree, staging)
        if sys.platform == "win32" and target.is_dir():
            target.rmdir()  # there, a folder can't take the place of an empty one
        staging.rename(target)
    except OSError as error:
        check_is_free(target)  # somebody else may have been quicker
        reason = error.strerror or str(error)
        raise WriteRefused("write-failed", f"cannot write {target}: {reason}", "nothing was changed there") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def check_is_free(target: Path) -> None:
    """Nothing stands at a target, or an empty folder does. Raises WriteRefused."""
    if target.is_symlink():
        raise WriteRefused("target-is-symlink", f"{target} is a symbolic link", "give another name")
    if target.exists() and not target.is_dir():
        raise WriteRefused("target-is-file", f"{target} is not a directory", "give another name")
    if target.is_dir() and any(target.iterdir()):
        raise WriteRefused("target-not-empty", f"{target} is not empty", "give another name, or empty this folder")


def _build(tree: Tree, root: Path) -> None:
    make_folder(root)
    for path, file in tree.items():
        make_folder((root / path).parent, root)
        put_file(root / path, file)
