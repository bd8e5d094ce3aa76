"""The text of a condition cut into tokens: the first half of `parse`.

Everything that can be refused without knowing the grammar is refused here: foreign words and signs, numbers that are
not plain decimal integers, texts without an end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from labspec.conditions.errors import ConditionError
from labspec.conditions.habits import FOREIGN_SIGNS, FOREIGN_WORDS
from labspec.conditions.syntax import LARGEST_NUMBER, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

TokenKind: TypeAlias = Literal["literal", "name", "keyword", "sign", "end"]

KEYWORDS = frozenset({"and", "or", "not", "in"})

_TRUTH = {"true": True, "false": False}

_TOKEN = re.compile(
    r"""
      (?P<space>[ \t\r\n]+)
    | (?P<number>[0-9][0-9A-Za-z_]*(?:\.[0-9A-Za-z_]+)*)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
    | (?P<text>"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*')
    | (?P<foreign>===|!==|&&|\|\||<>|~=|=<|=>|\*\*|//|\+\+|--|\+=|-=|:=|\?\.|\{\{|\}\})
    | (?P<sign>==|!=|<=|>=|[<>+\-()\[\],])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# Control characters, line separators and lone surrogates: what would break a line of a message or of a README.
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {'"': '"', "'": "'", "\\": "\\", "n": "\n"}


class Token(NamedTuple):
    """A word, a sign or a literal. `text` is what stands in the condition; `value` is what a literal means."""

    kind: TokenKind
    text: str
    start: int
    end: int
    value: Value = ""


def read_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of `text`, closed by one of kind `end`. Raises `ConditionError` at the first that is none."""
    return (*_tokens(text), Token("end", "", len(text), len(text)))


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        found, start, end = match.group(), match.start(), match.end()
        match match.lastgroup:
            case "space":
                continue
            case "number":
                yield Token("literal", found, start, end, _number(found, start, end))
            case "word":
                yield _word(found, start, end)
            case "text":
                yield Token("literal", found, start, end, _unescaped(found, start))
            case "sign":
                yield Token("sign", found, start, end)
            case _:
                raise _foreign(found, start, end, len(text))


def _number(found: str, start: int, end: int) -> int:
    if not found.isdigit():
        raise ConditionError(f"`{found}` is not a whole number", start, end, "write digits only")
    if found != "0" and found.startswith("0"):
        raise ConditionError(f"the number `{found}` starts with 0", start, end, "leave the zeros in front out")
    number = int(found)
    if number > LARGEST_NUMBER:
        raise ConditionError("the number is too large", start, end, f"the largest number is {LARGEST_NUMBER}")
    return number


def _word(found: str, start: int, end: int) -> Token:
    if found in _TRUTH:
        return Token("literal", found, start, end, _TRUTH[found])
    if found in KEYWORDS:
        return Token("keyword", found, start, end)
    if found in FOREIGN_WORDS:
        raise ConditionError(f"a condition has no `{found}`", start, end, FOREIGN_WORDS[found])
    return Token("name", found, start, end)


def _unescaped(found: str, start: int) -> str:
    unreadable = next((place for place, character in enumerate(found) if _is_unreadable(character)), None)
    if unreadable is not None:
        message = f"a text cannot hold the character {_shown(found[unreadable])}"
        hint = r"a line break is written \n; other control characters have no place in a condition"
        raise ConditionError(message, start + unreadable, start + unreadable + 1, hint)
    for escape in _ESCAPE.finditer(found):
        if escape[1] not in _ESCAPED:
            place = start + escape.start()
            hint = r"a text knows the escapes \" \' \\ and \n"
            raise ConditionError(f"the text has an unknown escape `{_shown(escape[0])}`", place, place + 2, hint)
    return _ESCAPE.sub(lambda escape: _ESCAPED[escape[1]], found[1:-1])


def _is_unreadable(character: str) -> bool:
    """Control characters, line separators and halves of surrogate pairs."""
    return (
        character < " "
        or "\x7f" <= character <= "\x9f"
        or character in "\u2028\u2029"
        or "\ud800" <= character <= "\udfff"
    )


def _foreign(found: str, start: int, end: int, length: int) -> ConditionError:
    if found in {'"', "'"}:
        hint = f"end it with `{found}` on the same line; a line break in a text is written `\\n`"
        return ConditionError("the text has no end", start, length, hint)
    return ConditionError(f"a condition has no `{_shown(found)}`", start, end, FOREIGN_SIGNS.get(found))


def _shown(found: str) -> str:
    """The characters themselves, or their numbers where they would be invisible or change the line they stand in."""
    return "".join(char if char.isprintable() and char != "\u00a0" else f"U+{ord(char):04X}" for char in found)
