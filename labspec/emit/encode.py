"""Encoders: the only way text of an author's reaches a generated file.

Every place text can land in has one encoder, and every encoder returns a marked text (`Python`, `Markdown`, ...).
Templates print marked text of their own file's kind and refuse everything else (see `render`), so forgetting to encode
is an error while building, not a hole in a student's repository. Marked texts are combined with `of` and `joined`,
which refuse unmarked parts for the same reason; `of` takes its pattern from our own source code, never from a value.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Self

from labspec.conditions import python as conditions_in_python

if TYPE_CHECKING:
    from collections.abc import Iterable


class Encoded(str):
    """Text that is finished for one kind of file."""

    __slots__ = ()

    @classmethod
    def of(cls, pattern: str, *parts: Encoded | int) -> Self:
        """The pattern with each `{}` replaced by a part of this kind or a whole number.

        Raises TypeError for any other part.
        """
        for part in parts:
            cls.admit(part)
        return cls(pattern.format(*parts))

    @classmethod
    def joined(cls, separator: str, parts: Iterable[Encoded]) -> Self:
        """The parts with the separator between them. Raises TypeError if a part is not of this kind."""
        return cls(separator.join(cls.admit(part) for part in parts))

    @classmethod
    def admit(cls, value: object) -> str:
        """The text of a value that may be printed into a file of this kind; raises TypeError for any other value."""
        if isinstance(value, cls):
            return value
        if type(value) is int:
            return str(value)
        raise TypeError(f"{type(value).__name__} is not encoded for a {cls.__name__} file: {value!r:.80}")


class Python(Encoded):
    """Python source."""

    __slots__ = ()


class Markdown(Encoded):
    """Markdown as GitHub reads it, Mermaid diagrams included."""

    __slots__ = ()


class Toml(Encoded):
    """TOML."""

    __slots__ = ()


# --- shared: how text is shown ---

_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """The text on one line: runs of white space become one space, characters nobody can see their escapes."""
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(_shown(character) for character in line)


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return ascii(character)[1:-1]


# --- Python ---

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def python_name(text: str) -> Python:
    """An identifier. Raises ValueError if `text` is not made of ASCII letters, digits and underscores."""
    if not _NAME.fullmatch(text):
        raise ValueError(f"not an identifier: {text!r}")
    return Python(text)


def python_text(text: str) -> Python:
    """A string literal in ASCII, quoted as `ruff format` quotes it: double, unless single needs fewer escapes."""
    return Python(conditions_in_python.python_text(text))


def python_value(value: Any) -> Python:
    """A literal on one line: text, numbers, truth values, None, and tuples, lists and dicts of these."""
    if isinstance(value, str):
        return python_text(value)
    if isinstance(value, tuple):
        inner = Python.joined(", ", map(python_value, value))
        return Python.of("({},)" if len(value) == 1 else "({})", inner)
    if isinstance(value, list):
        return Python.of("[{}]", Python.joined(", ", map(python_value, value)))
    if isinstance(value, dict):
        pairs = (Python.of("{}: {}", python_value(key), python_value(item)) for key, item in value.items())
        return Python.of("{{{}}}", Python.joined(", ", pairs))
    if value is None or isinstance(value, bool | int | float):
        return Python(repr(value))
    raise TypeError(f"no literal for a {type(value).__name__}")


def python_words(text: str) -> list[Python]:
    """The words of a text, each safe inside a docstring delimited by three double quotes and not starting with space.

    White space between words is not kept; joined by single spaces the words read as the text does.
    """
    escaped = visible(text.replace("\\", "\\\\"))
    escaped = re.sub(r'""+|^"|"$', lambda quotes: r"\x22" * len(quotes.group()), escaped)
    return [Python(word) for word in escaped.split(" ")] if escaped else []


def python_comment(text: str) -> Python:
    """What may follow `# ` on a comment line."""
    return Python(visible(text))


# --- JSON and TOML ---


def json_text(value: Any) -> str:
    """JSON on one line, in ASCII. Raises ValueError for numbers that JSON does not have."""
    return json.dumps(value, allow_nan=False)


def toml_text(text: str) -> Toml:
    """A TOML basic string, in ASCII."""
    return Toml('"' + "".join(map(_toml_character, text)) + '"')


def _toml_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character <= "~":
        return character
    point = ord(character)
    return f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"


# --- Markdown ---

_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~$])")
_CODE = re.compile(r"(?<!`)(`[^`|\s](?:[^`|]*[^`|\s])?`)(?!`)")
"""A code span that means the same in a table cell as anywhere else."""

_BLOCK_START = re.compile(r"^(?:([-+=:])|(\d{1,9})([.)]))")


def markdown_text(text: str) -> Markdown:
    """One line of Markdown that shows the text and nothing else, wherever it stands: paragraph, item, heading, cell.

    What an author puts between two backticks is shown as code; nothing else is markup.
    """
    pieces = _CODE.split(visible(text))
    escaped = (piece if index % 2 else _SPECIAL.sub(r"\\\1", piece) for index, piece in enumerate(pieces))
    return Markdown(_BLOCK_START.sub(_escape_start, "".join(escaped)))


def _escape_start(match: re.Match[str]) -> str:
    mark, digits, closing = match.groups()
    return f"\\{mark}" if mark else f"{digits}\\{closing}"


def markdown_paragraphs(text: str) -> Markdown:
    """Text of several paragraphs, which blank lines separate."""
    blocks = re.split(r"\n[ \t]*\n", text.strip())
    return Markdown("\n\n".join(markdown_text(block) for block in blocks))


def markdown_code(text: str) -> Markdown:
    """A code span for running text."""
    shown = visible(text)
    runs = {len(run) for run in re.findall(r"`+", shown)}
    fence = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    padding = " " if not shown or shown[0] in "` " or shown[-1] in "` " else ""
    return Markdown(f"{fence}{padding}{shown}{padding}{fence}")


def markdown_cell_code(text: str) -> Markdown:
    """A code span for a table cell, where a bar would end the cell even inside code."""
    return Markdown(markdown_code(text).replace("|", "\\|"))


def markdown_block(text: str) -> Markdown:
    """A fenced block that shows the lines of a text as they are; characters nobody can see become their escapes."""
    lines = ["".join(map(_shown, line)) for line in text.removesuffix("\n").split("\n")]
    fence = "`" * max([3, *(len(run) + 1 for line in lines for run in re.findall(r"`+", line))])
    return Markdown("\n".join([f"{fence}text", *lines, fence]))


_MERMAID_PLAIN = re.compile(r"[^\w .,:'+/()?!-]", re.ASCII)


def mermaid_label(text: str) -> Markdown:
    """A quoted Mermaid label; everything with a meaning for Mermaid or HTML becomes one of Mermaid's entities."""
    return Markdown('"' + _MERMAID_PLAIN.sub(_mermaid_entity, visible(text)) + '"')


def _mermaid_entity(match: re.Match[str]) -> str:
    character = match.group()
    return character if character.isalnum() else f"#{ord(character)};"
