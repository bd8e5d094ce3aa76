"""Encoders for JavaScript: the only way text of an author's reaches a generated module."""

from __future__ import annotations

import re

from labspec.conditions import javascript as conditions_in_javascript
from labspec.emit.encode import Encoded, visible


class JavaScript(Encoded):
    """JavaScript source."""

    __slots__ = ()


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def javascript_name(text: str) -> JavaScript:
    """An identifier. Raises ValueError if `text` is not made of ASCII letters, digits and underscores."""
    if not _NAME.fullmatch(text):
        raise ValueError(f"not an identifier: {text!r}")
    return JavaScript(text)


def javascript_text(text: str) -> JavaScript:
    """A string literal in ASCII, quoted as the formatter quotes it: double, unless single needs fewer escapes."""
    return JavaScript(conditions_in_javascript.javascript_text(text))


def javascript_key(text: str) -> JavaScript:
    """The name of a property in an object literal, in quotes only where it needs them."""
    return JavaScript(text) if _NAME.fullmatch(text) else javascript_text(text)


def javascript_words(text: str) -> list[JavaScript]:
    """The words of a text, for a line comment: no line break and no character that nobody can see is left in them."""
    return [JavaScript(word) for word in visible(text).split(" ")] if text.strip() else []


def camel_case(name: str) -> str:
    """A name with underscores the way JavaScript writes it: `tool_calls` is `toolCalls`."""
    return re.sub(r"_+([a-z0-9])", lambda match: match.group(1).upper(), name)
