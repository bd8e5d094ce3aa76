"""The pages of specs, as text that can be reviewed: what can be read on them, a line for each block."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from labspec.preview import Follower

CASES: Final = Path(__file__).parent / "cases"
ROOT: Final = Path(__file__).parents[2]
SPECS: Final = ROOT / "tests" / "specs"

_BLOCKS: Final = {
    "article", "aside", "button", "div", "dl", "h1", "h2", "h3", "h4", "header", "li", "nav", "ol", "p", "pre",
    "section", "summary", "table", "tr", "ul",
}  # fmt: skip
_AFTER: Final = {"span": " ", "td": " | ", "th": " | ", "dt": ": "}
_VOID: Final = {"br", "hr", "link", "meta"}
_UNREAD: Final = {"svg", "style", "script", "title", "dialog"}


def cases() -> list[Path]:
    """The specs that are shown."""
    return sorted(CASES.glob("*.yaml"))


@cache
def page_of(spec: Path) -> str:
    """The page of a spec, which must exist."""
    assert spec.is_file()
    return Follower(spec).board.shown().page.decode()


def read_out(case: Path) -> str:
    """What can be read on the page of a case, which the tests compare with what was reviewed."""
    page = page_of(case.relative_to(ROOT))
    return "".join(f"{line}\n" for line in _Reader(page).lines())


class _Reader(HTMLParser):
    """Reads a page: its parts by name, its blocks one below the other, and marked text in brackets.

    It leaves out the lines of a spec that have no findings, and what other tests look at: the files of the handout, and
    the pages about codes.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._line = ""
        self._open: list[bool] = []
        """For each open tag that is not read through, whether it is left out."""
        self.feed(page)
        self.close()

    def lines(self) -> Iterator[str]:
        """The lines that say something."""
        self._end_line()
        return iter(self._lines)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS:
            self._end_line()
        if tag not in _VOID:
            self._open.append(_is_left_out(tag, values))
        if "data-part" in values:
            self._lines += ["", f"==== {values['data-part']}"]
        if "data-turn" in values:
            self._lines += [f"-- turn {values['data-turn']}"]
        if tag == "mark":
            self._line += "["

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self._line += "]"
        if tag in _BLOCKS:
            self._end_line()
        self.handle_data(_AFTER.get(tag, ""))
        if tag not in _VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            self._line += data

    def _end_line(self) -> None:
        text = " ".join(self._line.split())
        if text:
            self._lines.append(text)
        self._line = ""


def _is_left_out(tag: str, values: dict[str, str]) -> bool:
    classes = values.get("class", "").split()
    is_quiet_line = "data-line" in values and "found" not in classes
    return tag in _UNREAD or is_quiet_line or not {"document", "explained"}.isdisjoint(classes)


def regenerate() -> None:
    """Write what can be read on the page of each case beside it."""
    for case in cases():
        case.with_suffix(".txt").write_bytes(read_out(case).encode())
