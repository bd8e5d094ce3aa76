"""Pages for people at a terminal: their Markdown as plain text that fits the window. Used by `labspec explain`.

Pages use little of Markdown (headings, paragraphs, lists, fenced blocks), so this is quicker than a library for all
of it would be to import.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from labspec.codes.page import SUBJECTS, Page

_RESET: Final = "\x1b[0m"
_BOLD: Final = "\x1b[1m"
_FENCE: Final = "```"
_HEADING: Final = "## "
_ITEM: Final = re.compile(r"- |[0-9]+\. ")
_INDENT: Final = "  "
_BLOCK_INDENT: Final = "      "


def show_page(page: Page, width: int, *, emphasis: bool) -> str:
    """A page as text of at most `width` columns, but for lines of YAML; headings stand out with `emphasis`."""
    head = [_strong(page.title, emphasis), f"{page.code} ({page.subject})", ""]
    return "\n".join([*head, *_body(page.body, width, emphasis)]).rstrip() + "\n"


def list_pages(pages: Iterable[Page], width: int, *, emphasis: bool) -> str:
    """A line for each page, by subject. A title that is too long for the window goes on in the next line."""
    by_subject = sorted(pages, key=lambda page: (SUBJECTS.index(page.subject), page.code))
    column = max((len(page.code) for page in by_subject), default=0) + 2
    lines: list[str] = []
    for subject, group in groupby(by_subject, key=lambda page: page.subject):
        lines += [_strong(subject, emphasis)]
        for page in group:
            start = f"{_INDENT}{page.code:<{column}}"
            lines += textwrap.wrap(page.title, width, initial_indent=start, subsequent_indent=" " * len(start))
        lines += [""]
    return "\n".join(lines)


def _body(markdown: str, width: int, emphasis: bool) -> Iterator[str]:
    paragraph: list[str] = []
    language: str | None = None
    for line in [*markdown.split("\n"), ""]:
        if language is not None:
            closed = line == _FENCE
            yield from () if closed else _block_line(line, language, width)
            language = None if closed else language
            continue
        begins_something = not line or line.startswith((_FENCE, _HEADING)) or _ITEM.match(line)
        if begins_something and paragraph:
            yield from _wrap(paragraph, width)
            paragraph = []
        if line.startswith(_FENCE):
            language = line.removeprefix(_FENCE)
        elif line.startswith(_HEADING):
            yield _strong(line.removeprefix(_HEADING), emphasis)
        elif line:
            paragraph.append(line)
        else:
            yield ""


def _wrap(paragraph: list[str], width: int) -> list[str]:
    """A paragraph, or an item of a list, which hangs from its sign."""
    text = " ".join(line.strip() for line in paragraph)
    sign = _ITEM.match(text)
    hanging = _INDENT + " " * (sign.end() if sign else 0)
    return textwrap.wrap(
        text, width, initial_indent=_INDENT, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )


def _block_line(line: str, language: str, width: int) -> list[str]:
    """A line of a fenced block. What labspec prints may be wrapped; a line of YAML would mean something else then."""
    if language.startswith("yaml") or not line:
        return [f"{_BLOCK_INDENT}{line}".rstrip()]
    margin = _BLOCK_INDENT + " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.lstrip(),
        width,
        initial_indent=margin,
        subsequent_indent=f"{margin}{_INDENT}",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _strong(text: str, emphasis: bool) -> str:
    return f"{_BOLD}{text}{_RESET}" if emphasis else text
