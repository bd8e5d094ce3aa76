r"""The bytes of a ledger, read strictly and without losing any of them.

A ledger is JSON Lines: one object per line, every line ended by "\n". Reading gives a
value for each line, the record or what is wrong with it, and never raises. It splits at
"\n" only, because `splitlines` would cut a line at U+2028.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from .strict import NotStrictError, read_json

MAX_BYTES = 1024 * 1024
MAX_LINES = 10_000

Record: TypeAlias = "dict[str, Any]"
"""A ledger line that could be read: its fields, in the order they were written."""


class Problem(NamedTuple):
    """Why something could not be read, as the rest of a sentence: "is not JSON"."""

    sentence: str


class Line(NamedTuple):
    """One line: its number from 1, its bytes with the line end, and what they say."""

    number: int
    raw: bytes
    content: Record | Problem


def read_ledger(data: bytes) -> tuple[Line, ...] | Problem:
    """The lines of a ledger, or a problem when it is too large to be looked at.

    The `raw` bytes of all lines, put together, are `data` again.
    """
    if len(data) > MAX_BYTES:
        return Problem(f"is larger than {MAX_BYTES:,} bytes")
    if data.count(b"\n") > MAX_LINES:
        return Problem(f"has more than {MAX_LINES:,} lines")
    return tuple(
        Line(number, raw, _read_line(raw))
        for number, raw in enumerate(_split(data), start=1)
    )


def _split(data: bytes) -> list[bytes]:
    *ended, rest = data.split(b"\n")
    lines = [line + b"\n" for line in ended]
    return [*lines, rest] if rest else lines


def _read_line(raw: bytes) -> Record | Problem:
    if not raw.endswith(b"\n"):
        return Problem("does not end with a newline, so it may have been cut off")
    try:
        value = read_json(raw)
    except NotStrictError as error:
        return Problem(str(error))
    if not isinstance(value, dict):
        return Problem("is JSON, but not an object")
    return value
