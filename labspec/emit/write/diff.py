"""What a change would do to the text of a file, as a diff: what `--check` shows, and writes nothing."""

from __future__ import annotations

import difflib
import io
from typing import TYPE_CHECKING

from labspec.emit.tree import PRISTINE
from labspec.emit.write.target import read_if_file

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.emit.write.steps import Change


def diff_of(change: Change, target: Path) -> str:
    """The diff that turns the file that is there into what it would become; empty for a file that comes or goes."""
    there = read_if_file(target / change.path)
    if there is None or change.file is None:
        return ""
    if change.path == PRISTINE:
        return "its copies of the files above differ\n"
    old, new = map(_lines, (there, change.file.data))
    lines = difflib.unified_diff(old, new, f"{change.path} (there)", f"{change.path} (from the spec)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    # Not `splitlines`, which also splits at characters that stand inside a line of text.
    return list(io.StringIO(data.decode("utf-8", "replace").replace("\r\n", "\n"), newline="\n"))
