"""How text that others wrote is shown on a terminal: what would act instead of being seen is escaped.

Used by the terminal format. A spec can hold escape sequences, and characters that reorder the text around them.
"""

from __future__ import annotations

import unicodedata

TAB = "    "
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})
_JOINERS = "\u200c\u200d"  # they glue emoji and letters together, and nothing else


def escape(character: str) -> str:
    """One character as it is shown: a tab as spaces, what cannot be printed as an escape."""
    if character == "\t":
        return TAB
    if character == " " or character.isprintable() or character in _JOINERS:
        return character
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:  # a byte that is not UTF-8, as `surrogateescape` reads it
        return f"\\x{point - 0xDC00:02x}"
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def printable(text: str) -> str:
    """A text on one line, with everything that cannot be printed escaped."""
    if text.isprintable():
        return text
    return "".join("\\n" if character == "\n" else escape(character) for character in text)


def measure(text: str) -> int:
    """How many columns a text takes when it is shown through `escape`."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    shown = escape(character)
    if shown != character:
        return len(shown)
    if unicodedata.category(character) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
