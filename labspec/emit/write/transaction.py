"""Changes several files of a folder so that all of them change or none, even if the process is killed in between.

Everything is staged first, in a folder inside the target, so that it is on the same file system. Then a journal is put
there, and from then on the changes are bound to happen: they are only renames. Who fails puts everything back; who is
killed leaves the journal, and the next build brings the changes to their end (`recover`).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from labspec.emit.tree import digest
from labspec.emit.write.steps import Change, beside_names
from labspec.emit.write.target import WriteRefused, blocked_folder, check_paths, read_if_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from labspec.emit.tree import File

FOLDER_MODE: Final = 0o755
STAGING: Final = ".labspec/unfinished-build"
"""The folder of staged files in a target. Without a journal in it, nothing was changed yet."""

_JOURNAL: Final = "journal.json"


class Transaction:
    """Stage changes, then `commit`. Until then, and after a failure, the folder `target` is what it was."""

    def __init__(self, target: Path) -> None:
        """Begin with nothing staged. There is no other transaction in `target`."""
        self._target = target
        self._staging = target / STAGING
        self._staged: list[Change] = []
        self._made: list[Path] = []
        self._begun = 0

    def __enter__(self) -> Self:
        self._made = [] if self._staging.parent.is_dir() else [self._staging.parent]
        make_folder(self._staging, self._target)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._roll_back()
        with contextlib.suppress(OSError):  # what is left of it goes with the next build
            _remove_staging(self._staging)
        if kind is not None:
            for folder in reversed(self._made):
                with contextlib.suppress(OSError):  # somebody may have put a file there
                    folder.rmdir()

    def stage(self, change: Change) -> None:
        """Prepare a change. What is there now stays within reach until the end."""
        number = len(self._staged)
        if change.file is not None:
            put_file(_new(self._staging, number), change.file)
        with contextlib.suppress(FileNotFoundError):
            _link(self._target / change.path, _old(self._staging, number))
        self._staged.append(change)

    def commit(self) -> None:
        """Make the changes, in the order they were staged. Raises OSError if one fails; leaving the context then puts
        everything back.
        """
        _write_journal(self._staging, self._staged)
        for number, change in enumerate(self._staged):
            self._begun = number + 1
            place = self._target / change.path
            if change.file is None:
                place.unlink()
            else:
                self._made += make_folder(place.parent, self._target)
                _new(self._staging, number).replace(place)
        _remove_empty_folders(self._target, (change.path for change in self._staged if change.file is None))

    def _roll_back(self) -> None:
        """Put back what was there. Who is killed in here leaves what is needed to make the changes after all."""
        for number in reversed(range(self._begun)):
            change = self._staged[number]
            place, new, old = self._target / change.path, _new(self._staging, number), _old(self._staging, number)
            came = change.file is not None and not new.exists()
            if came and old.exists():
                _link(place, new)  # a link, so that there is something at the place all the time
            elif came:
                place.replace(new)
            if old.exists():
                make_folder(place.parent, self._target)
                old.replace(place)


def is_unfinished(target: Path) -> bool:
    """Whether a build that was killed has left changes that are bound to happen."""
    return blocked_folder(f"{STAGING}/{_JOURNAL}", target) is None and (target / STAGING / _JOURNAL).exists()


def recover(target: Path) -> None:
    """Bring a build that was killed to its end, or clear away what it had staged.

    What a person has changed since then stays, and what the build had for it is put beside it. Raises WriteRefused if
    what it left can't be understood, OSError if the disk refuses; then the next call goes on.
    """
    staging = target / STAGING
    if blocked_folder(STAGING, target) is not None or staging.is_symlink() or not staging.exists():
        return
    if is_unfinished(target):
        entries = _read_journal(staging)
        for number, entry in enumerate(entries):
            _finish(target, entry, _new(staging, number))
        _remove_empty_folders(target, (entry.path for entry in entries if entry.after is None))
    _remove_staging(staging)


class _Entry(NamedTuple):
    """A change in a journal: the digests of what was there and of what comes there, None for nothing."""

    path: str
    before: str | None
    after: str | None


def _write_journal(staging: Path, changes: Sequence[Change]) -> None:
    entries = [_entry(staging, number, change) for number, change in enumerate(changes)]
    unfinished = staging / "journal.new"
    unfinished.write_text(json.dumps(entries), encoding="ascii")
    unfinished.replace(staging / _JOURNAL)


def _entry(staging: Path, number: int, change: Change) -> _Entry:
    before = read_if_file(_old(staging, number))
    after = None if change.file is None else digest(change.file.data)
    return _Entry(change.path, None if before is None else digest(before), after)


def _read_journal(staging: Path) -> list[_Entry]:
    try:
        content: Any = json.loads((staging / _JOURNAL).read_bytes().decode("ascii"))
        entries = [_Entry(str(path), before, after) for path, before, after in content]
        check_paths(entry.path for entry in entries)  # it comes with the repository, and that from anywhere
    except (ValueError, TypeError, RecursionError) as error:
        message = f"{staging / _JOURNAL} is not a journal that this version of labspec can read"
        help = f"look for files of yours in {staging}, and remove that folder"
        raise WriteRefused("target-unfinished", message, help) from error
    return entries


def _finish(target: Path, entry: _Entry, new: Path) -> None:
    """Make one change that may have been made already."""
    place = target / entry.path
    if blocked_folder(entry.path, target) is not None:
        return
    there = read_if_file(place)
    found = None if there is None else digest(there)
    untouched = found in (None, entry.before, entry.after) and not place.is_symlink() and not place.is_dir()
    if entry.after is None:
        if untouched:
            place.unlink(missing_ok=True)
    elif _is_file(new):
        make_folder(place.parent, target)
        new.replace(place if untouched else _free(place))


def _free(place: Path) -> Path:
    """A name beside `place` that nothing has yet."""
    return next(beside for name in beside_names(place.name) if not os.path.lexists(beside := place.with_name(name)))


def _remove_staging(staging: Path) -> None:
    """The journal goes first: without it, what is left means nothing."""
    (staging / _JOURNAL).unlink(missing_ok=True)
    shutil.rmtree(staging)


def _new(staging: Path, number: int) -> Path:
    return staging / f"{number}.new"


def _old(staging: Path, number: int) -> Path:
    return staging / f"{number}.old"


def _is_file(path: Path) -> bool:
    return path.exists() and stat.S_ISREG(path.lstat().st_mode)


def _link(place: Path, name: Path) -> None:
    """Give a file a second name, which costs no space on a disk that may be full; a copy where there are no links."""
    try:
        name.hardlink_to(place)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copy2(place, name)


def _remove_empty_folders(target: Path, removed: Iterable[str]) -> None:
    for path in removed:
        for folder in (target / path).parents:
            if folder == target:
                break
            with contextlib.suppress(OSError):  # a folder with something in it stays
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
