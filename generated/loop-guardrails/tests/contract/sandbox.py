"""The sandbox of a run: a fresh workspace, and beside it what it must not reach.

    sandbox-1/
        .env          a canary, which `../.env` would hit
        workspace/    the files of the repository's workspace, as the fixture wants them

The whole sandbox is looked at before the run and after it. Whatever differs, and does
not lie in an allowed root, was written outside.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .records import Problem
from .removal import remove_folder
from .snapshot import Snapshot, differences, read_texts, take_snapshot

WORKSPACE = "workspace"
CANARY = ".env"
CANARY_TEXT = "API_KEY=this-file-must-stay-as-it-is\n"
MAX_OUTSIDE = 50  # paths that are told of


class SandboxError(ValueError):
    """The sandbox cannot be built; the text completes "the run cannot start: ..."."""


@dataclass(frozen=True)
class Remains:
    """What a run left in its sandbox.

    `files` are the texts of the workspace's files, `outside` says what was created,
    changed or removed outside the allowed roots.
    """

    files: Mapping[str, str]
    outside: tuple[str, ...]


@dataclass(frozen=True)
class Sandbox:
    """A folder made for one run, with what stood in it before.

    `roots` are the real paths of the allowed roots, as they were then.
    """

    folder: Path
    roots: tuple[Path, ...]
    before: Snapshot

    @property
    def workspace(self) -> Path:
        """Where the tools work."""
        return self.folder / WORKSPACE

    def look(self) -> Remains | Problem:
        """What the run left, or why that is too much to be looked at. Never raises."""
        after = take_snapshot(self.folder)
        if isinstance(after, Problem):
            return after
        outside = [
            f"{path} ({what})"
            for path, what in differences(self.before, after).items()
            if not self._is_allowed(path, after)
        ]
        return Remains(self._files(), tuple(outside[:MAX_OUTSIDE]))

    def _files(self) -> dict[str, str]:
        # Read from above, because the workspace itself may be a link by now.
        start = f"{WORKSPACE}/"
        texts = read_texts(self.folder)
        return {
            path.removeprefix(start): text
            for path, text in texts.items()
            if path.startswith(start)
        }

    def remove(self) -> None:
        """Take the sandbox away, with whatever is in it."""
        remove_folder(self.folder)

    def _is_allowed(self, path: str, after: Snapshot) -> bool:
        """Whether a change at `path` is one in an allowed root.

        A root's own entry belongs to the folder it stands in: it may not become a link.
        A root that is a file may be written.
        """
        place = self.folder.resolve() / path
        if any(root in place.parents for root in self.roots):
            return True
        kinds = {side[path].kind for side in (self.before, after) if path in side}
        return place in self.roots and kinds == {"file"} and path in after


def build_sandbox(
    folder: Path, base: Path, changes: Mapping[str, Any], roots: Sequence[str]
) -> Sandbox:
    """Make the sandbox `folder` from the workspace `base` and a fixture's changes.

    The changes are {"files": {path: text or null}, "links": {path: target}}. Files come
    first, null takes one away; a link replaces what stands in its place. Folders are
    made where files need them, and go when they are empty. Raises SandboxError.
    """
    if not base.is_dir():
        raise SandboxError(f"there is no folder {base.name}")
    try:
        return _build(folder, base, changes, roots)
    except SandboxError:
        remove_folder(folder)
        raise


def _build(
    folder: Path, base: Path, changes: Mapping[str, Any], roots: Sequence[str]
) -> Sandbox:
    workspace = folder / WORKSPACE
    try:
        folder.mkdir()
        (folder / CANARY).write_text(CANARY_TEXT, encoding="utf-8", newline="\n")
        shutil.copytree(base, workspace, symlinks=True, copy_function=shutil.copyfile)
        _change(workspace, changes)
    except (OSError, shutil.Error) as error:
        raise SandboxError(f"the workspace cannot be made: {error}") from None
    except (AttributeError, TypeError, ValueError):
        raise SandboxError("the fixture changes the workspace in a wrong way") from None
    before = take_snapshot(folder)
    if isinstance(before, Problem):
        raise SandboxError(f"the folder {base.name} {before.sentence}")
    real_roots = (Path(os.path.realpath(workspace / root)) for root in roots)
    return Sandbox(folder, tuple(real_roots), before)


def _change(workspace: Path, changes: Mapping[str, Any]) -> None:
    for path, text in changes.get("files", {}).items():
        place = _place(workspace, path)
        _clear(place, workspace)
        if text is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8"))
    for path, target in changes.get("links", {}).items():
        place = _place(workspace, path)
        _clear(place, workspace)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target, target_is_directory=(place.parent / target).is_dir())


def _place(workspace: Path, path: str) -> Path:
    """Where a path of a fixture leads. Raises ValueError if that is not inside."""
    parts = path.split("/")
    if not path or ".." in parts or Path(path).is_absolute() or Path(path).drive:
        raise ValueError(path)
    place = workspace / path
    if not place.parent.resolve().is_relative_to(workspace.resolve()):
        raise ValueError(path)
    return place


def _clear(place: Path, workspace: Path) -> None:
    """Take away what stands at a place, and the folders that are empty then."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    for parent in place.relative_to(workspace).parents:
        folder = workspace / parent
        if folder == workspace or not folder.is_dir() or any(folder.iterdir()):
            return
        folder.rmdir()
