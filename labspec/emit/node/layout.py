"""Lays out generated JavaScript in lines of at most `WIDTH` columns, as Prettier would.

A document is text with places where a line may be broken. `shown` prints it: a group stays on one line if it fits, and
otherwise all of its own places are broken.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from labspec.emit.node.encode import JavaScript

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 80
"""The line length of what comes out, in columns."""

STEP = 2
"""How far a level of indentation goes in, in columns."""


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a line may be broken. `flat` stands there if it is not; a hard one always is."""

    flat: JavaScript
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that stay on one line, if they fit."""

    parts: Doc


@dataclass(frozen=True, slots=True)
class Indent:
    """Parts whose new lines are indented by one step more."""

    parts: Doc


@dataclass(frozen=True, slots=True)
class IfBroken:
    """Text that is there only if the group around it is broken."""

    text: JavaScript


@dataclass(frozen=True, slots=True)
class Comment:
    """Words as line comments, as many as are needed."""

    words: tuple[JavaScript, ...]


Doc: TypeAlias = "JavaScript | Break | Group | Indent | IfBroken | Comment | tuple[Doc, ...]"

LINE = Break(JavaScript(" "))
SOFT = Break(JavaScript(""))
HARD = Break(JavaScript(""), hard=True)
EMPTY = JavaScript("")


def text(source: str) -> JavaScript:
    """Source code of our own."""
    return JavaScript(source)


def joined(separator: Doc, parts: Iterable[Doc]) -> Doc:
    """The parts with the separator between them."""
    together: list[Doc] = []
    for part in parts:
        together += [separator, part] if together else [part]
    return tuple(together)


def lines(statements: Iterable[Doc]) -> Doc:
    """Statements, each on a line of its own."""
    return joined(HARD, statements)


def block(head: Doc, body: Iterable[Doc]) -> Doc:
    """`HEAD {`, the statements of the body, and `}`."""
    return (head, text(" {"), Indent((HARD, lines(body))), HARD, text("}"))


def listed(opening: str, items: Sequence[Doc], closing: str, inner: Break = SOFT) -> Doc:
    """Items with commas between them: on one line, or each on its own and with a comma at the end."""
    if not items:
        return text(opening + closing)
    between = joined((text(","), LINE), items)
    return Group((text(opening), Indent((inner, between)), IfBroken(text(",")), inner, text(closing)))


def expanded(pairs: Iterable[tuple[JavaScript, Doc]]) -> Doc:
    """An object literal with each property on a line of its own."""
    properties = [(key, text(": "), value, text(",")) for key, value in pairs]
    return (text("{"), Indent((HARD, lines(properties))), HARD, text("}")) if properties else text("{}")


def flat_object(pairs: Iterable[tuple[JavaScript, Doc]]) -> Doc:
    """An object literal on one line, if it fits."""
    return listed("{", [(key, text(": "), value) for key, value in pairs], "}", inner=LINE)


# --- printing ---

_Waiting: TypeAlias = "tuple[int, bool, Doc]"
"""An indentation in columns, whether breaks are flat, and what is to be printed so."""


def shown(doc: Doc, indent: int = 0, before: int = 0) -> JavaScript:
    """The document as source. It begins after `before` columns, on a line that is indented by `indent`."""
    printed: list[str] = []
    column = before
    waiting: list[_Waiting] = [(indent, False, doc)]
    while waiting:
        margin, flat, part = waiting.pop()
        match part:
            case tuple():
                waiting += [(margin, flat, each) for each in reversed(part)]
            case Indent(parts=parts):
                waiting.append((margin + STEP, flat, parts))
            case Group(parts=parts):
                fits = flat or _fits((margin, True, parts), waiting, WIDTH - column)
                waiting.append((margin, fits, parts))
            case Break(flat=words, hard=hard) if not flat or hard:
                _trim(printed)
                printed.append("\n" + " " * margin)
                column = margin
            case Comment(words=words):
                printed.append(_comment(words, margin))
            case _:
                source = _flat_text(part, flat)
                printed.append(source)
                column += len(source)
    _trim(printed)
    return JavaScript("".join(printed))


def _flat_text(part: Doc, flat: bool) -> str:
    match part:
        case IfBroken(text=words):
            return "" if flat else words
        case Break(flat=words):
            return words
    return str(part)


def _comment(words: Sequence[str], margin: int) -> str:
    filled = textwrap.wrap(" ".join(words), WIDTH - margin - 3, break_long_words=False, break_on_hyphens=False)
    return ("\n" + " " * margin).join(f"// {line}" for line in filled)


def _trim(printed: list[str]) -> None:
    """Take the blanks at the end away: the indentation of an empty line."""
    while printed:
        printed[-1] = printed[-1].rstrip(" ")
        if printed[-1]:
            return
        printed.pop()


def _fits(first: _Waiting, rest: Sequence[_Waiting], room: int) -> bool:
    """Whether the line that begins with `first`, and goes on with `rest` up to its first break, has room."""
    waiting, following = [first], len(rest)
    while room >= 0:
        if not waiting:
            if following == 0:
                return True
            following -= 1
            waiting.append(rest[following])
        margin, flat, part = waiting.pop()
        match part:
            case tuple():
                waiting += [(margin, flat, each) for each in reversed(part)]
            case Indent(parts=parts) | Group(parts=parts):
                waiting.append((margin, flat, parts))
            case Break(hard=hard) if not flat or hard:
                return True
            case Comment():
                return True
            case _:
                room -= len(_flat_text(part, flat))
    return False
