"""Where the values of a record stand in its line: for the places of findings, and for changing one value only."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Place(NamedTuple):
    """A stretch of a line, in characters from 0; the end is exclusive."""

    start: int
    end: int


def value_places(line: str) -> dict[str, Place]:
    """The place of each value by its key. The line must hold a JSON object that has been read already."""
    places: dict[str, Place] = {}
    at = _skip(line, line.index("{") + 1)
    while line[at] != "}":
        key, at = _DECODER.raw_decode(line, at)
        start = _skip(line, _skip(line, at) + 1)  # the colon
        _, end = _DECODER.raw_decode(line, start)
        places[key] = Place(start, end)
        at = _skip(line, end)
        at = _skip(line, at + 1) if line[at] == "," else at
    return places


def _skip(line: str, at: int) -> int:
    found = _BLANK.match(line, at)
    return at if found is None else found.end()
