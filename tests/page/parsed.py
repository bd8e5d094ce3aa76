"""A page in HTML taken apart, for the tests of our pages."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser


class Parsed(HTMLParser):
    """A page taken apart: its tags, attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.shapes: set[tuple[str, ...]] = set()
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.code: Counter[str] = Counter()
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        self.shapes.add((tag, *sorted(name for name, _ in attrs)))
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.code[self._inside] += 1
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All that can be read, without the marks between."""
        return " ".join("".join(self.texts).split())

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.attributes if name in names]
