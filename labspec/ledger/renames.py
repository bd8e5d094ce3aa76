"""What became of the reasons of earlier versions of a lab: `was: old_name` in the taxonomy says it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from labspec.ledger.faults import Fault, nearest, quoted

if TYPE_CHECKING:
    from labspec.lab.model import Reason


class Renames:
    """The reasons of a taxonomy, and the one new name of each old one.

    An old name that is also a reason today, or that two reasons had, could mean either: it is ambiguous.
    """

    def __init__(self, taxonomy: Iterable[Reason]) -> None:
        """Read the names and the former names of a taxonomy."""
        self._heirs: dict[str, list[str]] = {}
        reasons = {reason.name: reason for reason in taxonomy}
        self._reasons = tuple(reasons)
        for reason in reasons.values():
            if reason.was is not None and reason.was != reason.name:
                self._heirs.setdefault(reason.was, []).append(reason.name)

    def new_name(self, reason: str) -> str | Fault:
        """What a reason is called today; a fault if there is no answer, or more than one."""
        heirs = self._heirs.get(reason, [])
        if reason in self._reasons:
            return _ambiguous(reason, [reason, *heirs]) if heirs else reason
        if len(heirs) == 1:
            return heirs[0]
        return _ambiguous(reason, heirs) if heirs else self._unknown(reason)

    def fault(self, reason: str) -> Fault | None:
        """What is wrong with a reason in a ledger of today's version."""
        new = self.new_name(reason)
        if reason in self._reasons:  # in a ledger of today it means itself
            return None
        if isinstance(new, Fault):
            return new
        message = f"the reason `{reason}` is called `{new}` now"
        return Fault("ledger-renamed-reason", message, "reason", "`labspec ledger migrate` rewrites it")

    def _unknown(self, reason: str) -> Fault:
        help = partial(nearest, reason, self._reasons, f"the lab has {', '.join(self._reasons)}")
        message = f"the taxonomy has no reason {quoted(reason)}"
        return Fault("ledger-unknown-reason", message, "reason", help)


def _ambiguous(reason: str, meanings: list[str]) -> Fault:
    told = " or ".join(f"`{name}`" for name in meanings)
    message = f"the reason `{reason}` could mean {told} today"
    help = "the old and the new meaning share a name: migrate with a spec that uses another one in between"
    return Fault("ledger-ambiguous-reason", message, "reason", help)
