"""Where the parts of a spec stand: what `resolve` points at when it reports."""

from __future__ import annotations

from typing import NamedTuple

from labspec.diagnostics import Report, Span
from labspec.source.locate import locate, locate_key
from labspec.source.nodes import Mapping, Node, Scalar, Sequence

Step = str | int


class Places(NamedTuple):
    """The nodes of one spec (or of one with a mistake in it), and the report that findings go to."""

    root: Mapping
    report: Report

    def node(self, *path: Step) -> Node | None:
        """The node at `path`, or None."""
        node: Node | None = self.root
        for step in path:
            if isinstance(node, Mapping) and isinstance(step, str):
                node = node.get(step)
            elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
                node = node.items[step]
            else:
                return None
        return node

    def require(self, *path: Step) -> Node:
        """The node at `path`. Raises LookupError if there is none, which a validated spec rules out."""
        node = self.node(*path)
        if node is None:
            raise LookupError(path)
        return node

    def at(self, *path: Step) -> Span:
        """The place of the value at `path`, or of the nearest thing around it."""
        return locate(self.root, path)

    def key(self, *path: Step) -> Span:
        """The place of the last key of `path`."""
        return locate_key(self.root, path)

    def part(self, start: int, end: int, *path: Step) -> Span:
        """The place of the characters [start, end) of the text at `path`."""
        node = self.node(*path)
        return node.part(start, end) if isinstance(node, Scalar) else self.at(*path)

    def error(self, code: str, message: str, *path: Step, help: str | None = None) -> None:
        """Report an error at the value at `path`."""
        self.report.error(code, message, self.at(*path), help=help)

    def key_error(self, code: str, message: str, *path: Step, help: str | None = None) -> None:
        """Report an error at the last key of `path`."""
        self.report.error(code, message, self.key(*path), help=help)
