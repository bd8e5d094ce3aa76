"""Variants: a spec that says `extends: ./other.yaml` is laid over the other, before anything is validated.

What a base may be is narrow, because a spec is hostile until proven otherwise: a file in the folder of the spec that
is being compiled, or below it.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from labspec.source.locate import locate
from labspec.source.merge import merge
from labspec.source.nodes import Entry, Mapping, Scalar, Source

if TYPE_CHECKING:
    from labspec.diagnostics import Report, Span

EXTENDS = "extends"

MAX_CHAIN = 8
"""The most specs in a chain, the variant included."""

_URL_OR_DRIVE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Read(Protocol):
    """How a base is read: `labspec.source.read.read`, or a stand-in that reads from memory."""

    def __call__(
        self,
        path: Path,
        report: Report,
        *,
        shown_as: str | None = None,
        at: Span | None = None,
        texts: dict[str, str] | None = None,
    ) -> Source | None:
        """Read one file."""


def resolve_extends(
    source: Source, path: Path, report: Report, read: Read, *, texts: dict[str, str] | None = None
) -> Source | None:
    """The source laid over what it extends, and that over what it extends in turn.

    Args:
        source: the spec as `read` returned it.
        path: the file it was read from; `extends` is relative to it, and no base lies outside its folder.
        report: receives the findings.
        read: reads a base.
        texts: receives the text of every base even if there are findings.

    Returns:
        The source without `extends`, with the texts of all files; None if there was an error.

    """
    walk = _Walk(_real(path.parent), report, read, {} if texts is None else texts)
    before = len(report.diagnostics)
    resolved = walk.resolve(source, (_Link(_real(path), source.file),))
    return None if len(report.diagnostics) > before else resolved


def _real(path: Path) -> Path:
    """The path without symlinks. Unlike `Path.resolve`, this raises nothing where symlinks go round in circles."""
    return Path(os.path.realpath(path))


class _Link(NamedTuple):
    """A file of the chain: its real path, and its name in messages."""

    real: Path
    shown: str


class _Walk(NamedTuple):
    """What stays the same along a chain. `folder` is the real path that no base may leave."""

    folder: Path
    report: Report
    read: Read
    texts: dict[str, str]

    def resolve(self, source: Source, chain: tuple[_Link, ...]) -> Source | None:
        """The source laid over its base; `chain` ends with the file of the source."""
        entry = source.root.entry(EXTENDS)
        if entry is None:
            return source
        base = self._read_base(entry, chain)
        if base is None:
            return None
        overlay = Mapping(tuple(other for other in source.root.entries if other is not entry), source.root.span)
        root = merge(base.root, overlay, self.report)
        return Source(source.file, root, base.texts | source.texts) if isinstance(root, Mapping) else None

    def _read_base(self, entry: Entry, chain: tuple[_Link, ...]) -> Source | None:
        at = locate(entry.value, ())
        reference = self._reference(entry, at)
        link = None if reference is None else self._follow(reference, at, chain[-1])
        if link is None or not self._can_go_on(link, at, chain):
            return None
        base = self.read(link.real, self.report, shown_as=link.shown, at=at, texts=self.texts)
        return None if base is None else self.resolve(base, (*chain, link))

    def _reference(self, entry: Entry, at: Span) -> str | None:
        """The text of `extends`, if it is a relative path."""
        value = entry.value.value if isinstance(entry.value, Scalar) else None
        example = "write a path such as `./other.yaml`"
        if not isinstance(value, str) or not value.strip():
            self.report.error("extends-not-a-path", "`extends` takes the path of one other spec", at, help=example)
        elif value.startswith(("/", "~")) or _URL_OR_DRIVE.match(value):
            message = "`extends` takes a relative path, not a URL or an absolute path"
            self.report.error("extends-not-relative", message, at, help=example)
        elif "\\" in value:
            message = "folders are separated by `/`, on every system"
            self.report.error("extends-not-a-path", message, at, help=f"write `{value.replace(chr(92), '/')}`")
        else:
            return value
        return None

    def _follow(self, reference: str, at: Span, current: _Link) -> _Link | None:
        """The file that a reference of the current file leads to, if it lies in the folder."""
        real = _real(current.real.parent / reference)
        if not real.is_relative_to(self.folder):
            message = f"`{reference}` leads out of the folder of the spec"
            self.report.error("extends-leaves-folder", message, at, help="copy the other spec beside this one")
            return None
        return _Link(real, posixpath.normpath(posixpath.join(posixpath.dirname(current.shown), reference)))

    def _can_go_on(self, link: _Link, at: Span, chain: tuple[_Link, ...]) -> bool:
        if any(link.real == earlier.real for earlier in chain):
            names = " -> ".join(earlier.shown for earlier in (*chain, link))
            self.report.error("extends-loops", f"these specs extend each other: {names}", at)
            return False
        if len(chain) >= MAX_CHAIN:
            message = f"more than {MAX_CHAIN} specs extend one another"
            self.report.error("extends-too-long", message, at, help="lay some of them together")
            return False
        return True
