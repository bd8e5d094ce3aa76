"""The colours of our pages can be read, by day and by night."""

from __future__ import annotations

import re

import pytest

from labspec.emit.templates import template_text

PAIRS = [
    ("ink", "paper"), ("ink", "card"), ("ink", "faint"), ("soft", "paper"), ("soft", "card"), ("soft", "faint"),
    ("link", "paper"), ("link", "card"), ("bad", "paper"), ("bad", "card"), ("bad-ink", "card"), ("teal", "paper"),
    ("good-ink", "good-back"), ("bad-ink", "bad-back"), ("warn-ink", "warn-back"), ("ink", "warn-back"),
    ("ink", "bad-back"), ("teal", "card"), ("paper", "ink"),
]  # fmt: skip
"""Colours of text and of what it stands on."""


def colours(dark: bool) -> dict[str, str]:
    found = re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", template_text("page/base.css"))
    half = len(found) // 2
    assert [name for name, _ in found[:half]] == [name for name, _ in found[half:]], "both have every colour"
    return dict(found[half:] if dark else found[:half])


def luminance(colour: str) -> float:
    """As WCAG defines it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_stands_out_from_what_it_is_on(text: str, ground: str, dark: bool) -> None:
    """At least 4.5 to 1, by day and by night."""
    first, second = (luminance(colours(dark)[name]) for name in (text, ground))
    assert (max(first, second) + 0.05) / (min(first, second) + 0.05) >= 4.5
