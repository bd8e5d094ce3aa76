"""The Markdown that all pages of the reference are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

WRITTEN: Final = "<!-- Written by `python -m tests.regen` from the code. Change the words there. -->"


def page(title: str, *parts: str) -> str:
    """A page: its title, then its parts, each as one or more paragraphs."""
    return "\n\n".join([f"# {title}", WRITTEN, *(part.strip("\n") for part in parts if part)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. A cell is Markdown on one line; a `|` in it is escaped, as it has to be even within code."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """A text as code within a line."""
    fence = "``" if "`" in text else "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def anchor(heading: str) -> str:
    """What GitHub calls a heading, in links to it."""
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")


def sentence(text: str) -> str:
    """A text that begins with a capital letter, and ends with a full stop."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", ":", "?")) else ".")
