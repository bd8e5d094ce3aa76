"""The specs that the schema is held against, as the values that labspec itself reads."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from labspec.diagnostics import Report
from labspec.source import Source, read, resolve_extends
from labspec.source.nodes import Plain, plain
from tests.regen import cases

ROOT = Path(__file__).resolve().parents[2]
SOUND = sorted(
    path
    for folder in ("specs", "tests/specs/valid", "tests/specs/published")
    for path in (ROOT / folder).glob("*.yaml")
)
"""Specs whose form is right: labspec finds nothing wrong with it, whatever else it may find."""

_FINDING = re.compile(r"^(?P<file>[^:\n]+):\d+:\d+: (?:error|warning)\[(?P<code>[a-z0-9-]+)\]", re.MULTILINE)


class Broken(NamedTuple):
    """A spec with findings: its own values, those with what it extends laid under, and the codes of either.

    Values are None where labspec can't read them.
    """

    path: Path
    written: Plain
    written_codes: frozenset[str]
    whole: Plain
    whole_codes: frozenset[str]


def values_of(path: Path) -> tuple[Plain, Plain]:
    """What a spec says, and what it says together with what it extends; None where labspec can't read it."""
    report = Report()
    source = read(path, report)
    whole = None if source is None else resolve_extends(source, path, report, read)
    return _plain(source), _plain(whole)


@cache
def broken() -> tuple[Broken, ...]:
    """Every spec of `specs/invalid/`."""
    return tuple(map(_broken, cases()))


def _broken(path: Path) -> Broken:
    written, whole = values_of(path)
    found = list(_FINDING.finditer(path.with_suffix(".txt").read_text(encoding="utf-8")))
    own = frozenset(finding["code"] for finding in found if finding["file"] == path.name)
    return Broken(path, written, own, whole, frozenset(finding["code"] for finding in found))


def _plain(source: Source | None) -> Plain:
    return None if source is None else plain(source.root)
