"""JSON, read strictly: what two programs could read in two ways is refused.

Python's `json` alone would let a good deal through: NaN, a key that stands twice (the
last one wins), a byte order mark, other encodings, numbers that take minutes to read.
"""

from __future__ import annotations

import json
import math
from typing import Any

from .wording import printable

MAX_DIGITS = 18  # of a number: enough for every count, and quick to read
MAX_DEPTH = 16  # of lists and objects inside each other; a record needs two
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NotStrictError(ValueError):
    """The bytes are no strict JSON. The text is the rest of a sentence: "is empty"."""


def read_json(data: bytes) -> Any:
    """The JSON value in these bytes. Raises NotStrictError."""
    if data.startswith(BYTE_ORDER_MARK):
        raise NotStrictError("starts with a byte order mark, which JSON does not allow")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotStrictError(f"is not UTF-8 (byte {error.start + 1})") from None
    if not text.strip():
        raise NotStrictError("is empty")
    value = _parse(text.rstrip(" \t\r\n"))
    brackets = text.count("{") + text.count("[")
    if brackets > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise NotStrictError("is nested too deeply")
    return value


def _parse(text: str) -> Any:
    try:
        return _JSON.decode(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        place = f"{line}column {error.colno}"
        raise NotStrictError(f"is not JSON ({place}: {printable(error.msg)})") from None
    except RecursionError:
        raise NotStrictError("is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise NotStrictError(f'has the key "{printable(key)}" twice')
        found[key] = value
    return found


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotStrictError(f"has a number of more than {MAX_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NotStrictError("has a number that is too large")
    return number


def _refuse_constant(name: str) -> float:
    raise NotStrictError(f"has {name}, which is not JSON")


# Kept: to make one takes longer than it takes to read a record.
_JSON = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_refuse_constant,
)


def _is_deeper(value: object, depth: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return False
    return depth == 0 or any(_is_deeper(item, depth - 1) for item in value)
