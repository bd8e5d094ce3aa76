"""Follows a spec: reads it whenever a file that it is made of has changed, and puts the page on the board."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TypeAlias

from labspec.pipeline import Loaded, OnRead, load
from labspec.plain_file import name_of
from labspec.preview.board import Board, Shown
from labspec.preview.page import LabView, plan_lab, plan_preview, print_preview
from labspec.watched_files import WatchedFiles

Read: TypeAlias = Callable[[Path, OnRead], Loaded]
"""What becomes of a spec file. Each file is told of before it is read."""


def check(spec: Path, on_read: OnRead) -> Loaded:
    """What `labspec check` makes of a spec."""
    return load(spec, proof=True, on_read=on_read)


class Follower:
    """Reads one spec again and again. `board` shows the page of what was read last."""

    def __init__(self, spec: Path, read: Read = check) -> None:
        """Read the spec for the first time."""
        self._spec = spec
        self._load = read
        self._lab: LabView | None = None
        self._stopped = Event()
        self._files = WatchedFiles(self._pause)
        self.board = Board(self._read())

    def follow(self) -> None:
        """Keep the board as the spec is, until `stop` is called by another thread."""
        try:
            while True:
                self._files.wait()
                self.board.show(self.board.shown()._replace(checking=True))
                self.board.show(self._read())
        except _StoppedError:
            return

    def stop(self) -> None:
        """Let `follow` come to its end."""
        self._stopped.set()

    def _pause(self, seconds: float) -> None:
        if self._stopped.wait(seconds):
            raise _StoppedError

    def _read(self) -> Shown:
        """The page of the spec as it is now.

        A fault of ours is shown as well, and does not end the preview: the next version may be without it.
        """
        self._files.forget()
        self._files.note(self._spec)
        try:
            return self._show(self._load(self._spec, self._files.note), self._lab)
        except Exception:
            fault = traceback.format_exc()
            sys.stderr.write(f"unexpected error: this is a fault of labspec, not of your files\n\n{fault}\n")
            return self._show(Loaded(), self._lab, fault)

    def _show(self, loaded: Loaded, lab: LabView | None, fault: str = "") -> Shown:
        if loaded.resolved is not None:
            lab = plan_lab(loaded.resolved)
        page = print_preview(plan_preview(name_of(self._spec), loaded, lab, fault))
        self._lab = lab
        return Shown(page.text.encode(), page.revision)


class _StoppedError(Exception):
    """Somebody has called `stop`."""
