"""Three versions of a file made one: what was handed out, what a person made of it, what the spec makes of it now."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

MERGE_SECONDS: Final = 60.0
"""After how many seconds git is given up on. It takes milliseconds."""

_FAILED: Final = 128
"""From here on an exit code of `git merge-file` is an error; below, it is the number of conflicts."""

_NAMES: Final = ("edited by hand", "as handed out before", "from the spec")


class Merged(NamedTuple):
    """The merge of a file. With conflicts, `data` holds both sides between markers."""

    data: bytes
    conflicts: bool


def merge(base: bytes, edited: bytes, made: bytes) -> Merged | None:
    """Make the changes from `base` to `made` in `edited`, whose line ends are kept; None if that can't be tried.

    It can't where a side is no text, or where there is no git. Raises OSError if the disk refuses.
    """
    if any(b"\0" in side for side in (base, edited, made)):
        return None
    sides = [unix_lines(side) for side in (edited, base, made)]
    with tempfile.TemporaryDirectory(prefix="labspec-merge-") as folder:
        places = [Path(folder, name) for name in ("edited", "base", "made")]
        for place, side in zip(places, sides, strict=True):
            place.write_bytes(side)
        names = [word for name in _NAMES for word in ("-L", name)]
        try:
            git = subprocess.run(  # noqa: S603 - the arguments are ours
                ["git", "merge-file", "-p", *names, *(place.name for place in places)],  # noqa: S607 - the user's git
                cwd=folder,  # never in a repository of somebody's, whose configuration can run programs
                env={**_environment(), "GIT_CEILING_DIRECTORIES": str(Path(folder).parent)},
                capture_output=True,
                timeout=MERGE_SECONDS,
                check=False,
            )
        except (FileNotFoundError, subprocess.TimeoutExpired):
            return None
    if git.returncode not in range(_FAILED):
        return None
    return Merged(like(edited, git.stdout), conflicts=git.returncode > 0)


def _environment() -> dict[str, str]:
    """Ours, without what tells git of a repository or of somebody's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def has_markers(data: bytes) -> bool:
    """Whether this is a text with both sides of a conflict in it, which a merge has left."""
    return f"<<<<<<< {_NAMES[0]}\n".encode("ascii") in unix_lines(data)


def unix_lines(data: bytes) -> bytes:
    """The text with LF at the end of every line."""
    return data.replace(b"\r\n", b"\n")


def like(existing: bytes, data: bytes) -> bytes:
    """The text `data`, whose lines end in LF, with line ends as in a clone that holds `existing`."""
    lines = existing.count(b"\n")
    if lines and existing.count(b"\r\n") == lines and b"\0" not in data:
        return unix_lines(data).replace(b"\n", b"\r\n")
    return data
