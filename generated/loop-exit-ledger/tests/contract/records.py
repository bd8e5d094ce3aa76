r"""The bytes of a ledger, read strictly and without losing any of them.

A ledger is JSON Lines: one object per line, every line ended by "\n". Reading gives a
value for each line, the record or what is wrong with it, and never raises. Python's
`json` alone would let a good deal through: NaN, a key that stands twice (the last one
wins), a byte order mark, other encodings; `splitlines` would cut a line at U+2028.
"""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple, TypeAlias

from .wording import printable

MAX_BYTES = 1024 * 1024
MAX_LINES = 10_000
MAX_DIGITS = 18  # of a number: enough for every count, and quick to read
MAX_DEPTH = 16  # of lists and objects inside each other; a record needs two
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

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
    if raw.startswith(BYTE_ORDER_MARK):
        return Problem("starts with a byte order mark, which JSON does not allow")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem(f"is not UTF-8 (byte {error.start + 1})")
    if not text.strip():
        return Problem("is empty")
    return _parse(text)


def _parse(text: str) -> Record | Problem:
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        return Problem(f"is not JSON (column {error.colno}: {printable(error.msg)})")
    except _NotStrictError as error:
        return Problem(str(error))
    except RecursionError:
        return Problem("is nested too deeply")
    if _is_deeper(value, MAX_DEPTH):
        return Problem("is nested too deeply")
    if not isinstance(value, dict):
        return Problem("is JSON, but not an object")
    return value


class _NotStrictError(ValueError):
    """Something that `json` would have accepted."""


def _object(pairs: list[tuple[str, Any]]) -> Record:
    record: Record = {}
    for key, value in pairs:
        if key in record:
            raise _NotStrictError(f'has the key "{printable(key)}" twice')
        record[key] = value
    return record


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _NotStrictError(f"has a number of more than {MAX_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _NotStrictError("has a number that is too large")
    return number


def _refuse_constant(name: str) -> float:
    raise _NotStrictError(f"has {name}, which is not JSON")


def _is_deeper(value: object, depth: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return False
    return depth == 0 or any(_is_deeper(item, depth - 1) for item in value)
