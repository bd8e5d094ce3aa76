"""The values of a YAML file together with their places: what `read` returns and every later step points into."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from labspec.diagnostics import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"


class Scalar(NamedTuple):
    """A leaf. `lead` is how many columns of the source stand before the first character of a text value
    (0 for plain, 1 for quoted text), or None where characters of the value and of the source do not match one to one
    (escapes, folded lines).
    """

    value: str | int | float | bool | None
    span: Span
    lead: int | None = None

    def part(self, start: int, end: int) -> Span:
        """The place of the characters [start, end) of a text value; the whole scalar where that is not known."""
        if self.lead is None:
            return self.span
        column = self.span.column + self.lead
        return Span(self.span.file, self.span.line, column + start, self.span.line, column + max(end, start + 1))


class Sequence(NamedTuple):
    """A list, in the order of the file."""

    items: tuple[Node, ...]
    span: Span


class Entry(NamedTuple):
    """One key of a mapping with its value. Keys are always text."""

    key: str
    key_span: Span
    value: Node


class Mapping(NamedTuple):
    """A mapping, in the order of the file; no key twice."""

    entries: tuple[Entry, ...]
    span: Span

    def get(self, key: str) -> Node | None:
        """The value under `key`, or None."""
        entry = self.entry(key)
        return None if entry is None else entry.value

    def entry(self, key: str) -> Entry | None:
        """The entry under `key`, or None."""
        return next((entry for entry in self.entries if entry.key == key), None)


Node: TypeAlias = "Scalar | Sequence | Mapping"


class Source(NamedTuple):
    """One spec as it was read: the file shown in messages, its text (line ends normalised), and its root.

    `texts` holds the text of every file that took part (a variant and what it extends), for showing source lines.
    """

    file: str
    root: Mapping
    texts: dict[str, str]


def plain(node: Node) -> Plain:
    """The bare value of a node, without places."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {entry.key: plain(entry.value) for entry in node.entries}


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in the order of the file."""
    yield node
    if isinstance(node, Sequence):
        for item in node.items:
            yield from walk(item)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            yield from walk(entry.value)
