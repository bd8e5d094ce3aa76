"""The last step: a tree becomes a repository on disk, all of it or nothing, `Tree -> Written`.

A new target is built beside its place and renamed. An existing one must be ours and unedited; its files are staged
beside it, replaced one by one with the manifest last, and put back if anything fails. Files that are not ours are never
touched.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.manifest import Manifest, read_manifest
from labspec.emit.target import WriteRefused, check_can_hold, check_paths, edited_files, read_if_file
from labspec.emit.transaction import Transaction, make_folder, put_file
from labspec.emit.tree import MANIFEST, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # Windows, where two builds at once are not told apart
    fcntl = None  # type: ignore[assignment]  # a module that a system may lack


class Written(NamedTuple):
    """What `write` did: the paths it wrote and removed, and how many files were as they should be already."""

    target: Path
    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int


def write(tree: Tree, target: Path) -> Written:
    """Make the directory `target` hold this tree.

    Missing parent folders are created. Raises WriteRefused if the target is not ours to write or the disk refuses; then
    the target is byte for byte what it was. Raises ValueError if a path of the tree could leave the target.
    """
    check_paths(tree)
    target = Path(os.path.abspath(target))  # noqa: PTH100 - `resolve` would follow the symlink that is refused
    try:
        check_can_hold(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target.parent):
            return _update(tree, target) if target.is_dir() else _create(tree, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteRefused("write-failed", f"cannot write {target}: {reason}", "nothing was changed there") from error


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait until no other build writes into `folder`."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target, on the same file system."""
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".labspec", dir=target.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _create(tree: Tree, target: Path) -> Written:
    with _staging(target) as staging:
        root = staging / "new"
        make_folder(root)
        for path, file in tree.items():
            make_folder((root / path).parent, root)
            put_file(root / path, file)
        root.rename(target)
    return Written(target, tuple(tree), (), 0)


def _update(tree: Tree, target: Path) -> Written:
    manifest = _manifest_of(target, tree)
    _refuse_edited(tree, target, manifest)
    changed = [path for path, file in tree.items() if read_if_file(target / path) != file.data]
    gone = [path for path in manifest.digests if path not in tree and read_if_file(target / path) is not None]
    changed.sort(key=lambda path: path == MANIFEST)  # last: until it is there, the old one still tells what is ours
    with _staging(target) as staging, Transaction(target, staging) as transaction:
        for path in changed:
            transaction.stage(path, tree[path])
        for path in gone:
            transaction.stage_removal(path)
        transaction.commit()
    return Written(target, tuple(sorted(changed)), tuple(sorted(gone)), len(tree) - len(changed))


def _manifest_of(target: Path, tree: Tree) -> Manifest:
    """The manifest of an existing target. Raises WriteRefused if there is none, or not that of this lab."""
    wanted = _own_manifest(tree)
    data = read_if_file(target / MANIFEST)
    if data is None:
        if any(target.iterdir()):
            message = f"{target} is not empty, and labspec did not write it"
            raise WriteRefused("target-not-empty", message, "name a new folder, or empty this one")
        return Manifest(wanted.lab, wanted.edition, {}, wanted.spec)
    found = read_manifest(data)
    if found is None:
        message = f"{target / MANIFEST} is not a manifest that this version of labspec can read"
        raise WriteRefused("target-not-ours", message, "build into a new folder and move your own files over")
    if found.lab != wanted.lab:
        message = f"{target} holds the lab `{found.lab}`, not `{wanted.lab}`"
        raise WriteRefused("target-other-lab", message, "build every lab into a folder of its own")
    if found.edition != wanted.edition:
        message = f"{target} holds the {found.edition}, and would become the {wanted.edition}"
        raise WriteRefused("target-other-edition", message, "name another folder with `-o`, or remove this one first")
    return found


def _own_manifest(tree: Tree) -> Manifest:
    manifest = read_manifest(tree[MANIFEST].data)
    if manifest is None:
        raise ValueError("the tree has no manifest of ours")
    return manifest


def _refuse_edited(tree: Tree, target: Path, manifest: Manifest) -> None:
    edited = edited_files(tree, target, manifest)
    if edited:
        message = f"{len(edited)} file(s) in {target} are not as labspec wrote them: {', '.join(edited)}"
        raise WriteRefused("target-edited", message, "move the changes into the spec, or build into a new folder")
