"""How the runs of a lab are set: what they leave, and where their tools may work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Setting:
    """Whether runs leave a trace, and the workspace of their tools, if they have one.

    `workspace` is the folder with the files that every run starts with; `roots` are the
    allowed roots in it, relative to it.
    """

    traced: bool = False
    workspace: Path | None = None
    roots: tuple[str, ...] = ()


PLAIN = Setting()
"""Nothing but a ledger."""


def read_setting(data: Mapping[str, Any], root: Path) -> Setting:
    """The setting that `gates.json` gives, for the repository in the folder `root`.

    Raises KeyError, TypeError or ValueError if it is damaged.
    """
    traced = data.get("traced", False)
    workspace = data.get("workspace")
    if type(traced) is not bool:
        raise TypeError("traced is neither true nor false")
    if workspace is None:
        return Setting(traced)
    roots = workspace["roots"]
    if not isinstance(roots, list) or not all(isinstance(each, str) for each in roots):
        raise TypeError("roots is not a list of text")
    return Setting(traced, root / workspace["folder"], tuple(roots))
