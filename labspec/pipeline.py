"""The steps from a spec file to a lab, one after the other: what every command starts with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from labspec.diagnostics import Report

if TYPE_CHECKING:
    from labspec.diagnostics import Span
    from labspec.known import KnownLabs
    from labspec.lab.model import Lab
    from labspec.source import Source
    from labspec.source.extends import Read

OnRead: TypeAlias = Callable[[Path], None]
"""Is told of a file before it is read."""


@dataclass(slots=True)
class Loaded:
    """What became of one spec file. `lab` is None exactly if the report has errors.

    `texts` has the text of every file that was read, by its name in messages.
    `resolved` is what the spec means, whatever is wrong with that; None if it means nothing.
    """

    report: Report = field(default_factory=Report)
    texts: dict[str, str] = field(default_factory=dict)
    lab: Lab | None = None
    resolved: Lab | None = None


def load(
    path: Path,
    data: bytes | None = None,
    *,
    proof: bool = False,
    limit: int | None = None,
    on_read: OnRead | None = None,
    known: KnownLabs | None = None,
) -> Loaded:
    """Read, validate, resolve and check the spec at `path`; with `data`, as if that were the content of the file.

    With `proof`, slips that no gate sees are findings as well, with the fixtures that would catch them. `limit` is how
    many turns the explorer takes before it gives up. `on_read` is told of the spec and of each that it extends.
    `known` are labs that were loaded in the same way before, with the same `proof` and `limit`; this one is added.
    A step starts only if the one before had no errors. Nothing is raised for anything a file can hold.
    """
    from labspec.checks import check
    from labspec.lab.resolve import resolve
    from labspec.machine.explorer import TURN_LIMIT
    from labspec.spec.validate import validate

    loaded = Loaded()
    report = loaded.report
    source = _read(path, data, loaded, on_read, known)
    if source is None:
        return loaded
    spec = validate(source.root, report)
    if spec is None:
        return loaded
    lab = loaded.resolved = resolve(spec, source.root, report)
    if lab is not None and not report.has_errors:
        check(lab, source.root, report, proof=proof, limit=TURN_LIMIT if limit is None else limit)
    loaded.lab = None if report.has_errors else lab
    if known is not None and lab is not None and not report.diagnostics:
        known.add(source, lab)
    return loaded


def _read(
    path: Path, data: bytes | None, loaded: Loaded, on_read: OnRead | None, known: KnownLabs | None
) -> Source | None:
    """The spec with all that it extends; None if there was an error, or if its lab is known and `loaded` has it."""
    from labspec.source import name_of, parse_text, read, read_text, resolve_extends

    report = loaded.report
    if on_read is not None and data is None:
        on_read(path)
    text = read_text(path, report, data, texts=loaded.texts)
    if text is not None and known is not None:
        loaded.lab = loaded.resolved = known.recall_text(text)
    if text is None or loaded.lab is not None:
        return None
    source = parse_text(text, name_of(path), report)
    if source is None:
        return None
    read_base = read if on_read is None else _telling(on_read, read)
    source = resolve_extends(source, path, report, read_base, texts=loaded.texts)
    if source is not None and known is not None:
        loaded.lab = loaded.resolved = known.recall(source)
    return source if loaded.lab is None else None


def _telling(on_read: OnRead, read: Read) -> Read:
    """`read`, which tells of each file first."""

    def read_file(
        path: Path,
        report: Report,
        *,
        shown_as: str | None = None,
        at: Span | None = None,
        texts: dict[str, str] | None = None,
    ) -> Source | None:
        on_read(path)
        return read(path, report, shown_as=shown_as, at=at, texts=texts)

    return read_file
