"""The tables of cases beside this module: blocks between blank lines, a condition first and what comes of it below."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labspec.conditions import ConditionError


def cases(name: str) -> list[tuple[str, str]]:
    """The pairs (first line, other lines) of a table."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    blocks = [block.strip("\n").partition("\n") for block in text.split("\n\n")]
    return [(first, others) for first, _, others in blocks]


def marked(error: ConditionError) -> str:
    """A finding as the tables show it: carets under the place, the sentence, the help."""
    carets = " " * error.start + "^" * max(1, error.end - error.start)
    lines = [f"{carets} {error.message}"]
    if error.help:
        lines.append(f"  help: {error.help}")
    return "\n".join(lines)
