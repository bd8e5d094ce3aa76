"""Changes several files of a folder so that all of them change or none: staged first, put back on failure."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from labspec.emit.tree import File

FOLDER_MODE = 0o755


class _Change(NamedTuple):
    place: Path
    staged: Path | None
    """What comes to the place; None if what is there goes."""
    backup: Path | None
    """What was at the place; None if nothing was."""


class Transaction:
    """Stage changes, then `commit`. Until then, and after a failure, the folder is what it was.

    The staging folder must be on the same file system; whoever made it removes it.
    """

    def __init__(self, folder: Path, staging: Path) -> None:
        """Change files in `folder`, and keep what is needed for that in `staging`."""
        self._folder = folder
        self._staging = staging
        self._staged: list[_Change] = []
        self._done: list[_Change] = []
        self._made: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._roll_back()

    def stage(self, path: str, file: File) -> None:
        """Prepare the file at `path`, which may exist, to become `file`."""
        staged = self._staging / f"{len(self._staged)}.new"
        put_file(staged, file)
        self._staged.append(_Change(self._folder / path, staged, self._backup(path)))

    def stage_removal(self, path: str) -> None:
        """Prepare to remove the file at `path`."""
        self._staged.append(_Change(self._folder / path, None, self._backup(path)))

    def commit(self) -> None:
        """Make the changes, in the order they were staged. Raises OSError if one fails; leaving the context then puts
        everything back.
        """
        for change in self._staged:
            self._done.append(change)
            if change.staged is None:
                change.place.unlink()
            else:
                self._made += make_folder(change.place.parent, self._folder)
                change.staged.replace(change.place)
        self._remove_empty_folders()

    def _backup(self, path: str) -> Path | None:
        place = self._folder / path
        if not place.exists():
            return None
        backup = self._staging / f"{len(self._staged)}.old"
        shutil.copy2(place, backup)
        return backup

    def _remove_empty_folders(self) -> None:
        for change in self._staged:
            for folder in change.place.parents:
                if change.staged is not None or folder == self._folder:
                    break
                with contextlib.suppress(OSError):  # a folder with something in it stays
                    folder.rmdir()

    def _roll_back(self) -> None:
        for change in reversed(self._done):
            if change.backup is not None:
                change.backup.replace(change.place)
            elif change.staged is not None and not change.staged.exists():
                change.place.unlink()
        for folder in reversed(self._made):
            folder.rmdir()


def put_file(path: Path, file: File) -> None:
    """Write a new file with its own permissions, whatever the umask."""
    path.write_bytes(file.data)
    path.chmod(file.mode)


def make_folder(folder: Path, root: Path | None = None) -> list[Path]:
    """Make a folder, with its parents up to `root`, for everybody to read; returns those that were not there."""
    if folder == root or folder.is_dir():
        return []
    made = make_folder(folder.parent, root) if root is not None else []
    folder.mkdir()
    folder.chmod(FOLDER_MODE)
    return [*made, folder]
