"""What a target says about itself: whose repository it is, and what its files were when they were handed out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from labspec.emit.manifest import Manifest, read_manifest, read_pristine
from labspec.emit.tree import MANIFEST, PRISTINE, Tree, digest
from labspec.emit.write.target import WriteRefused, blocked_folder, check_paths, read_if_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Known:
    """The manifest of the directory `target`, and the digests of the files that are made for it.

    Its pristine copies are read when the first is asked for.
    """

    manifest: Manifest
    target: Path
    made: Mapping[str, str]

    def is_pristine(self, path: str, data: bytes) -> bool:
        """Whether this is what labspec wrote to `path`, line ends aside."""
        return self.manifest.digests.get(path) == digest(data)

    def pristine(self, path: str) -> bytes | None:
        """The pristine copy of a file. One that is not what the manifest says is no base for a merge."""
        copy = self._copies.get(path)
        return copy if copy is not None and self.is_pristine(path, copy) else None

    @cached_property
    def _copies(self) -> Mapping[str, bytes]:
        data = read_if_file(self.target / PRISTINE)
        return {} if data is None else read_pristine(data)


def read_known(tree: Tree, target: Path) -> Known:
    """What the existing directory `target` says of itself; nothing if it is empty.

    Raises WriteRefused if it holds something else than an earlier version of this repository.
    """
    wanted = _own_manifest(tree)
    if blocked_folder(MANIFEST, target) is not None:
        raise WriteRefused("target-not-ours", f"{target / '.labspec'} is not a folder", _ELSEWHERE)
    data = read_if_file(target / MANIFEST)
    if data is None:
        if any(target.iterdir()):
            message = f"{target} is not empty, and labspec did not write it"
            raise WriteRefused("target-not-empty", message, "name a new folder, or empty this one")
        return Known(wanted._replace(digests={}, held={}), target, wanted.digests)
    found = read_manifest(data)
    if found is None or not (found.digests.keys() <= tree.keys() or _stays_inside(found)):
        message = f"{target / MANIFEST} is not a manifest that this version of labspec can read"
        raise WriteRefused("target-not-ours", message, _ELSEWHERE)
    if found.lab != wanted.lab:
        message = f"{target} holds the lab `{found.lab}`, not `{wanted.lab}`"
        raise WriteRefused("target-other-lab", message, "build every lab into a folder of its own")
    if found.edition != wanted.edition:
        message = f"{target} holds the {found.edition}, and would become the {wanted.edition}"
        raise WriteRefused("target-other-edition", message, "name another folder with `-o`, or remove this one first")
    return Known(found, target, wanted.digests)


_ELSEWHERE = "build into a new folder and move your own files over"


def _own_manifest(tree: Tree) -> Manifest:
    manifest = read_manifest(tree[MANIFEST].data)
    if manifest is None:
        raise ValueError("the tree has no manifest of ours")
    return manifest


def _stays_inside(manifest: Manifest) -> bool:
    """A manifest comes with a repository, and that from anywhere: it may name no file outside."""
    try:
        check_paths(manifest.digests)
    except ValueError:
        return False
    return True
