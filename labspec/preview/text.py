"""Text of an author's that keeps its spaces and lines: lines of a spec, and data."""

from __future__ import annotations

from markupsafe import Markup, escape

from labspec.diagnostics.display import printable


def as_written(text: str) -> Markup:
    """A text as it is written, line by line; characters that nobody would see are shown as what they are."""
    return Markup("\n").join(escape(printable(line)) for line in text.split("\n"))
