"""The page of a code, read from its file: `docs/codes/CODE.md`, which GitHub shows as it stands.

In a checkout (an editable install too) the pages stand in `docs/codes`, in a wheel inside this package.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

SUBJECTS: Final = (
    "Files",
    "Text and YAML",
    "Keys and values",
    "Names",
    "Variants",
    "Conditions",
    "Budgets and meters",
    "Decision table",
    "Tools and workspace",
    "Fixtures",
    "Rubric and mistakes",
    "Proof",
    "Stretch goals",
    "Handout",
    "Building",
    "Ledgers",
)
"""What pages are about, in the order in which the parts of a lab come into being."""

_INDEX: Final = "README"
_PACKAGE: Final = Path(__file__).resolve().parent
_HEAD: Final = re.compile(r"# (?P<title>.+)\n\n`(?P<code>[a-z0-9-]+)` \((?P<subject>[^)]+)\)\n\n")


class Page(NamedTuple):
    """A page: its code, what has happened in one sentence, what it is about, and its sections as Markdown."""

    code: str
    title: str
    subject: str
    body: str


@cache
def page_folder() -> Path:
    """The folder that holds the pages. Raises FileNotFoundError if it is not there."""
    for folder in (_PACKAGE / "pages", _PACKAGE.parent.parent / "docs" / "codes"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("the installation of labspec has no pages about codes")


@cache
def known_codes() -> tuple[str, ...]:
    """Every code that has a page, by the alphabet."""
    return tuple(sorted(path.stem for path in page_folder().glob("*.md") if path.stem != _INDEX))


def read_page(code: str) -> Page:
    """The page of a known code. Raises ValueError if its head is not that of a page of this code."""
    # A checkout on Windows may have CRLF.
    text = (page_folder() / f"{code}.md").read_bytes().decode("utf-8").replace("\r\n", "\n")
    head = _HEAD.match(text)
    if head is None or head["code"] != code or head["subject"] not in SUBJECTS:
        raise ValueError(f"{code}.md begins otherwise than a page of a code does")
    return Page(code, head["title"], head["subject"], text[head.end() :])
