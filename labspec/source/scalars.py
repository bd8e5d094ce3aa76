"""What an unquoted scalar means. Used by `parse`.

YAML 1.1 and 1.2 disagree about `no`, `0755`, `10:25` and many more, and so do their readers. Only the spellings on
which all agree are values; whatever one of them would take for something else than text has to be quoted.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_DIGITS = 18
"""The most digits of a number. Every integer of that length fits into 64 bits."""

_WORDS: dict[str, bool | None] = {"null": None, "true": True, "false": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")

_SWITCH_ON = frozenset({"y", "yes", "on"})
_SWITCH_OFF = frozenset({"n", "no", "off"})
_LONGEST_WORD = max(map(len, (*_WORDS, *_SWITCH_ON, *_SWITCH_OFF)))
_BEGINS_A_NUMBER = frozenset("+-.0123456789")
_NUMBER_LIKE = re.compile(r"[-+]?\.?[0-9][0-9A-Za-z_.:+-]*|[-+]?\.(?:inf|nan)", re.IGNORECASE)

# Compiled when first needed: few specs hold such a scalar, and every start would pay for it. Case does not matter.
_HEXADECIMAL = r"[-+]?0x[0-9a-f_]+"
_OCTAL = r"[-+]?0o[0-7_]+"
_BINARY = r"[-+]?0b[01_]+"
_SEXAGESIMAL = r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
_DATE = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"
_SPECIAL = r"[-+]?\.(?:inf|nan)"
_LOOSE_NUMBER = r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:e[-+]?[0-9]+)?"


class Refused(NamedTuple):
    """An unquoted scalar that has to be written in another way: the code, the sentence and the help of the finding."""

    code: str
    message: str
    help: str


def resolve(text: str) -> str | int | float | bool | Refused | None:
    """The value of a non-empty unquoted scalar, or why it is refused."""
    if len(text) > _LONGEST_WORD and text[0] not in _BEGINS_A_NUMBER:
        return text  # as most are
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if _is_short(text) else _refuse_length(text)
    if _DECIMAL.fullmatch(text):
        return float(text) if _is_short(text) else _refuse_length(text)
    return _refuse_word(text) or _refuse_number(text) or text


def _is_short(text: str) -> bool:
    return len(text) - text.count("-") - text.count(".") <= MAX_DIGITS


def _refuse_length(text: str) -> Refused:
    message = f"the number `{_short(text)}` has more than {MAX_DIGITS} digits"
    return Refused("number-too-long", message, "write a shorter number, or quote it if it is text")


def _refuse_word(text: str) -> Refused | None:
    word = text.lower()
    if word in _WORDS:
        return _ambiguous(text, word)
    if word in _SWITCH_ON:
        return _ambiguous(text, "true")
    if word in _SWITCH_OFF:
        return _ambiguous(text, "false")
    if text == "~":
        return _ambiguous(text, "null")
    if text in ("=", "<<"):
        return _ambiguous(text, None)
    return None


def _refuse_number(text: str) -> Refused | None:
    if not _NUMBER_LIKE.match(text):  # the common case: one test tells words from numbers
        return None
    for pattern, base in ((_HEXADECIMAL, 16), (_OCTAL, 8), (_BINARY, 2)):
        if _matches(pattern, text):
            return _ambiguous(text, _in_decimal(text, base))
    if _matches(_SPECIAL, text):
        return Refused("ambiguous-value", f"`{text}` is no number here", f'write a number, or `"{text}"` if it is text')
    if _matches(_SEXAGESIMAL, text) or _matches(_DATE, text):
        return _ambiguous(text, None)
    if _matches(_LOOSE_NUMBER, text):
        return _ambiguous(text, _plainly(text))
    return None


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text, re.IGNORECASE) is not None


def _in_decimal(text: str, base: int) -> str | None:
    digits = text.lower().replace("_", "").lstrip("+")
    if not digits.strip("-0xob") and digits.strip("-")[2:] == "":
        return None
    value = str(int(digits, base)) if len(digits) <= MAX_DIGITS else None
    return value if value is not None and _is_short(value) else None


def _plainly(text: str) -> str | None:
    """The number a loosely written number most likely means, in the one way we read; None if that is not sure."""
    number = text.replace("_", "").lstrip("+").lower()
    if len(number) > MAX_DIGITS:
        return None
    if "e" in number:
        number = f"{float(number):.15g}"
    sign = "-" if number.startswith("-") else ""
    whole, point, fraction = number.lstrip("-").partition(".")
    whole = whole.lstrip("0") or "0"
    plain = f"{sign}{whole}.{fraction or '0'}" if point else f"{sign}{whole}"
    is_plain = _INTEGER.fullmatch(plain) or _DECIMAL.fullmatch(plain)
    return plain if is_plain and _is_short(plain) else None


def _ambiguous(text: str, instead: str | None) -> Refused:
    shown = _short(text)
    message = f"`{shown}` means different things to different YAML readers"
    quoted = f'`"{shown}"` if it is text'
    return Refused("ambiguous-value", message, f"write {quoted if instead is None else f'`{instead}`, or {quoted}'}")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
