"""What a build is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from labspec.emit import Edition, Policy
from labspec.stamps.stamp import key_of

Mode: TypeAlias = Literal["write", "dry-run", "check"]


class Request(NamedTuple):
    """Into which folder repositories are built, which edition of them, whether they are written or looked at, and
    whether each gets an archive.
    """

    output: Path
    edition: Edition = Edition()
    mode: Mode = "write"
    policy: Policy = Policy()
    zipped: bool = False

    @property
    def can_recall(self) -> bool:
        """Whether a stamp answers it: stamps know nothing of archives."""
        return self.mode == "write" and not self.zipped

    def key(self, spec: Path) -> str:
        """By which the stamp of a build is found."""
        return key_of(str(spec), str(self.output), self.edition.name)
