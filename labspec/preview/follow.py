"""Follows a spec: reads it whenever a file that it is made of has changed, and puts the page on the board."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from labspec.pipeline import Loaded, load
from labspec.plain_file import name_of
from labspec.preview.board import Board, Shown
from labspec.preview.page import LabView, plan_lab, plan_preview, print_preview

if TYPE_CHECKING:
    from threading import Event

INTERVAL = 0.1
"""How often files are looked at, in seconds. A change counts once they have stayed the same for as long."""


class Mark(NamedTuple):
    """What tells that a file was written."""

    changed: int
    size: int
    file: int


Marks: TypeAlias = "dict[Path, Mark | None]"
"""The files that count, each with its mark; None for one that is not there."""


def check(spec: Path) -> Loaded:
    """What `labspec check` makes of a spec."""
    return load(spec, proof=True)


class Follower:
    """Reads one spec again and again. `board` shows the page of what was read last."""

    def __init__(self, spec: Path, read: Callable[[Path], Loaded] = check) -> None:
        """Read the spec for the first time. `read` is what becomes of the file each time."""
        self._spec = spec
        self._load = read
        self._name = name_of(spec)
        self._lab: LabView | None = None
        self._marks: Marks = {spec: None}
        self.board = Board(self._read())

    def follow(self, stop: Event) -> None:
        """Keep the board as the spec is, until `stop` is set."""
        while not stop.wait(INTERVAL):
            marks = _look(self._marks)
            if marks == self._marks:
                continue
            self.board.show(self.board.shown()._replace(checking=True))
            # Editors write in several steps: a file may be empty, or gone, for a moment.
            while not stop.wait(INTERVAL) and marks != (marks := _look(marks)):
                pass
            self.board.show(self._read())

    def _read(self) -> Shown:
        """The page of the spec as it is now.

        A fault of ours is shown as well, and does not end the preview: the next version may be without it.
        """
        try:
            return self._show(self._read_all(), self._lab)
        except Exception:
            fault = traceback.format_exc()
            sys.stderr.write(f"unexpected error: this is a fault of labspec, not of your files\n\n{fault}\n")
            return self._show(Loaded(), self._lab, fault)

    def _read_all(self) -> Loaded:
        """The spec, read anew until no file turns up that nobody had looked at before it was read."""
        while True:
            self._marks = _look(self._marks)
            loaded = self._load(self._spec)
            files = _files(self._spec, loaded)
            if files <= self._marks.keys():
                self._marks = {path: self._marks[path] for path in files}
                return loaded
            self._marks = dict.fromkeys(files)

    def _show(self, loaded: Loaded, lab: LabView | None, fault: str = "") -> Shown:
        if loaded.resolved is not None:
            lab = plan_lab(loaded.resolved)
        page = print_preview(plan_preview(self._name, loaded, lab, fault))
        self._lab = lab
        return Shown(page.text.encode(), page.revision)


def _files(spec: Path, loaded: Loaded) -> set[Path]:
    """The files that decide what a spec says. Where one is missing, the folder tells when it comes."""
    files = {spec, *(Path(name) for name in loaded.texts if name != name_of(spec))}
    missing = any(finding.code == "file-not-found" for finding in loaded.report.diagnostics)
    return {*files, spec.parent} if missing else files


def _look(marks: Marks) -> Marks:
    return {path: _mark(path) for path in marks}


def _mark(path: Path) -> Mark | None:
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return Mark(found.st_mtime_ns, found.st_size, found.st_ino)
