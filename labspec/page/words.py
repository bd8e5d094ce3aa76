"""Text on the page: pieces that are plain or code, what may be printed at all, and lines for the diagram."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from unicodedata import east_asian_width

from labspec.conditions.english import to_english
from labspec.conditions.phrases import Phrases
from labspec.emit.encode import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labspec.conditions import Expr


class Piece(NamedTuple):
    """A stretch of text; `code` says that it is a name or a literal."""

    text: str
    code: bool = False


Words: TypeAlias = tuple[Piece, ...]
"""A sentence, or a part of one."""

_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_MARK = "\x1f"
"""Stands around code in a condition. `visible` lets no such character through, so it can't come from an author."""


def words(text: str) -> Words:
    """The text, with what stands between two backticks as code."""
    return _alternating(_CODE.split(visible(text)))


def code(text: str) -> Words:
    """The text as code."""
    return (Piece(visible(text), code=True),)


def condition(when: Expr | None) -> Words:
    """What a row asks, in English."""
    if when is None:
        return (Piece("always"),)
    marked = Phrases(code=lambda text: f"{_MARK}{visible(text)}{_MARK}")
    return _alternating(to_english(when, marked).split(_MARK))


def _alternating(texts: list[str]) -> Words:
    """Plain and code by turns, beginning with plain."""
    return tuple(Piece(text, code=index % 2 == 1) for index, text in enumerate(texts) if text)


def plain(text: Words) -> str:
    """The words without their marks."""
    return "".join(piece.text for piece in text)


def counted(number: int, one: str, many: str = "") -> str:
    """A number and its noun; `many` is the plural where it is not made with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def shown(text: str) -> str:
    """The text as it may be printed: on one line, and nothing in it that nobody sees. Spaces at its ends stay."""
    before, after = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))
    return f"{' ' * before}{visible(text)}{' ' * after}" if text.strip() else " " * len(text)


# --- lines ---


def lines(text: Words, width: int) -> tuple[Words, ...]:
    """The words on lines of at most `width` columns. A word that is longer than a line is cut."""
    done: list[Words] = []
    line: list[Piece] = []
    for piece in _breakable(text, width):
        if line and columns(plain((*line, piece)).rstrip()) > width:
            done.append(_trimmed(line))
            line = []
        if line or piece.text.strip():
            line.append(piece)
    return (*done, _trimmed(line)) if line else tuple(done)


def columns(text: str) -> int:
    """How many columns of a fixed-width font a text takes."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _breakable(text: Words, width: int) -> Iterator[Piece]:
    for piece in text:
        for part in re.findall(r"\s+|\S+", piece.text):
            step = max(1, width // 2) if columns(part) > width else len(part)
            yield from (piece._replace(text=part[start : start + step]) for start in range(0, len(part), step))


def _trimmed(line: list[Piece]) -> Words:
    """The line without spaces at its end, neighbours of one kind in one piece."""
    while not line[-1].text.strip():
        line.pop()
    merged: list[Piece] = []
    for piece in line:
        if merged and merged[-1].code == piece.code:
            merged[-1] = piece._replace(text=merged[-1].text + piece.text)
        else:
            merged.append(piece)
    return tuple(merged)
