"""A text cut into the sections of a spec, without parsing it: how two specs can be seen to say the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from labspec.source.nodes import Mapping

_KEY = re.compile(r"^([a-z_]+):(?=\s)", re.MULTILINE)
_NO_SECTION = re.compile(r"^(?:---|\.\.\.|%)", re.MULTILINE)
"""What begins or ends a document, or stands before one."""


class Section(NamedTuple):
    """The text from the line that begins with a key to the next such line, with that line's number in the whole."""

    key: str
    line: int
    text: str


def cut(text: str) -> tuple[Section, ...] | None:
    """The sections of a text as `decode` returns it; None if it can't be cut so.

    What is cut is a guess: a line inside a quoted text can look like a key. Only the parser tells (see `is_cut_right`).
    """
    starts = list(_KEY.finditer(text))
    if not starts or not text.endswith("\n") or _NO_SECTION.search(text):
        return None
    head = text[: starts[0].start()]
    if any(line.strip(" ") and not line.startswith("#") for line in head.split("\n")):
        return None
    ends = [*(start.start() for start in starts[1:]), len(text)]
    sections, line = [], 1 + head.count("\n")
    for start, end in zip(starts, ends, strict=True):
        section = Section(start[1], line, text[start.start() : end])
        sections.append(section)
        line += section.text.count("\n")
    return tuple(sections)


def is_cut_right(sections: tuple[Section, ...], root: Mapping) -> bool:
    """Whether the parser found the same sections in the text, whose root this is, and no others.

    Then each of them is a whole entry of the mapping, which begins and ends between two lines: put together in another
    order, or with such sections of another text, they say the same as they did.
    """
    found = [(entry.key, entry.key_span.line, entry.key_span.column) for entry in root.entries]
    return found == [(section.key, section.line, 1) for section in sections]
