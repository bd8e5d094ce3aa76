"""What is shown at the moment, between the thread that follows the spec and those that answer browsers."""

from __future__ import annotations

from threading import Condition
from typing import NamedTuple


class Shown(NamedTuple):
    """A page and the name of its content; `checking` says that the spec has changed and is being read."""

    page: bytes
    revision: str
    checking: bool = False


class Board:
    """Holds what is shown, and wakes those who wait for a change."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._changed = Condition()

    def shown(self) -> Shown:
        """What is shown now."""
        with self._changed:
            return self._shown

    def show(self, shown: Shown) -> None:
        """Show something else from now on."""
        with self._changed:
            self._shown = shown
            self._changed.notify_all()

    def wait(self, seen: Shown, seconds: float) -> Shown:
        """What is shown now, as soon as it is something else than `seen`, and at the latest after some `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: self._shown is not seen, seconds)
            return self._shown
