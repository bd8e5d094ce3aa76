"""From the bytes of a spec file to its text; the first thing `read` does with them.

Everything a YAML reader, an editor or a terminal could understand in two ways is a finding here: bytes that are not
UTF-8, control characters, line ends other than LF and CRLF, and characters that reorder the text around them.
"""

from __future__ import annotations

import re
import unicodedata

from labspec.diagnostics import Report, Span

MAX_CHARACTER_FINDINGS = 20
"""A binary file would otherwise give a finding for every byte."""

_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_FORBIDDEN = re.compile(
    r"[\udc80-\udcff]+"  # a run of bytes that are not UTF-8, as `surrogateescape` writes them
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_ESCAPE = re.compile(
    r"\\(?:x(?P<two>[0-9a-fA-F]{2})|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>00[01][0-9a-fA-F]{5})|(?P<letter>.))"
)
_SHORT_ESCAPES = dict(zip("0abvfreNLP", "\x00\x07\x08\x0b\x0c\r\x1b\x85\u2028\u2029", strict=True))
_SAVE_AS_UTF8 = "save the file as UTF-8"
_NAMES = {
    "\x00": "NUL",
    "\x07": "BEL",
    "\x08": "BACKSPACE",
    "\x1b": "ESC",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
    "\ufeff": "BYTE ORDER MARK",
}


def decode(data: bytes, file: str, report: Report) -> str:
    """The text of a file, without a byte order mark and with every line ended by LF.

    Bytes that are not UTF-8 are findings; the text has lone surrogates in their place, so that places stay right.
    """
    encoding = _other_encoding(data)
    if encoding is not None:
        at = Span(file, 1, 1, 1, 2)
        report.error("not-utf-8", f"the file is {encoding}, not UTF-8", at, help=_SAVE_AS_UTF8)
        return ""
    text = data.removeprefix(_BOM).decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    _check_characters(text, file, report)
    return text


def forbidden_character(value: str) -> str | None:
    """The first character of a text value that no text of a spec may contain, or None."""
    match = _FORBIDDEN.search(value)
    return None if match is None else match.group()[0]


def find_escape(written: str, character: str) -> str:
    """The first escape of double-quoted YAML in `written` that stands for `character`; the empty text without one."""
    for match in _ESCAPE.finditer(written):
        digits = match["two"] or match["four"] or match["eight"]
        if character == (chr(int(digits, 16)) if digits else _SHORT_ESCAPES.get(match["letter"])):
            return match.group()
    return ""


def name_character(character: str) -> str:
    """What a character is called in a message: `U+001B (ESC)`."""
    name = _NAMES.get(character) or unicodedata.name(character, "")
    point = f"U+{ord(character):04X}"
    return f"{point} ({name})" if name else point


def character_code(character: str) -> str:
    """The code of the finding about a forbidden character."""
    if character in "\x85\u2028\u2029":
        return "line-separator"
    if unicodedata.category(character) == "Cs":
        return "surrogate"
    if unicodedata.category(character) == "Cf" and character != "\ufeff":
        return "bidi-control"
    return "control-character"


def _other_encoding(data: bytes) -> str | None:
    for bom, name in _OTHER_BOMS.items():
        if data.startswith(bom):
            return name
    if len(data) >= 2 and (data[0] == 0) != (data[1] == 0):
        return "UTF-16 or binary"
    return None


def _check_characters(text: str, file: str, report: Report) -> None:
    places = _Places(text)
    whole_file = set[str]()
    for number, match in enumerate(_FORBIDDEN.finditer(text)):
        at = places.span(file, match.start(), match.end())
        if number == MAX_CHARACTER_FINDINGS:
            report.error("too-many-findings", "more characters that may not stand in a spec follow", at)
            return
        kind = _kind_of_file_fault(match.group()[0])
        if kind not in whole_file:
            _report_character(match.group(), at, report)
        whole_file |= {kind} - {""}


def _kind_of_file_fault(character: str) -> str:
    """What is wrong with the file as a whole where such a character stands; the empty text if only that is wrong.

    The first place is enough then: one way of saving the file mends them all.
    """
    if "\udc80" <= character <= "\udcff":
        return "encoding"
    return "line ends" if character == "\r" else ""


def _report_character(found: str, at: Span, report: Report) -> None:
    character = found[0]
    if "\udc80" <= character <= "\udcff":
        count = "the byte" if len(found) == 1 else "the bytes"
        shown = " ".join(f"{ord(byte) - 0xDC00:02X}" for byte in found[:8])
        report.error("not-utf-8", f"{count} {shown} {_be(found)} not UTF-8", at, help=_SAVE_AS_UTF8)
    elif character == "\r":
        message = "a carriage return stands alone; lines end with LF or CRLF"
        report.error("lone-carriage-return", message, at, help="save the file with LF line ends")
    else:
        message = f"{name_character(character)} may not stand in a spec"
        report.error(character_code(character), message, at, help="delete the character")


def _be(found: str) -> str:
    return "is" if len(found) == 1 else "are"


class _Places:
    """Turns growing offsets of a text into spans, walking over the text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._start = 0

    def span(self, file: str, start: int, end: int) -> Span:
        """The place of the characters [start, end), which stand on one line after every earlier place."""
        self._line += self._text.count("\n", self._start, start)
        self._start = self._text.rfind("\n", self._start, start) + 1 or self._start
        column = start - self._start + 1
        return Span(file, self._line, column, self._line, column + end - start)
