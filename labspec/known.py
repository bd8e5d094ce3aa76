"""The labs that a process knows: what a spec has in common with one of them is not worked out a second time.

Staff build many variants of a few labs at once, and variants often differ in their covers only. Nothing below the cover
depends on it, so where a spec without any finding said the same below its cover, neither this one nor its fixtures and
mistakes have to be looked at again.
"""

from __future__ import annotations

import json
from operator import is_
from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.diagnostics import Report
from labspec.lab.cover import resolve_cover
from labspec.lab.places import Places
from labspec.source.digest import digest, section_texts
from labspec.source.nodes import Mapping, plain
from labspec.spec.cover import COVER_SECTIONS, CoverSpec
from labspec.spec.validate import validate_as

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.source.nodes import Entry

MOST: Final = 32
"""How many labs are known at once, beyond which the one that was asked for longest ago is forgotten."""


class _Known(NamedTuple):
    sections: tuple[Entry, ...]
    """The sections below its cover."""
    texts: dict[str, str]
    """What they say, as the digest of a spec takes it."""
    lab: Lab


class KnownLabs:
    """Labs whose specs had no findings, by all that these say below their covers."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def recall(self, root: Mapping) -> Lab | None:
        """The lab of a spec, if only its cover has to be looked at to know it, and there is nothing to find in that."""
        below = _below_the_cover(root)
        key = self._key(below)
        known = self._known.pop(key, None)
        if known is None:
            return None
        self._known[key] = known._replace(sections=below)  # the latest is the last
        report = Report()
        sections = tuple(entry for entry in root.entries if entry.key in COVER_SECTIONS)
        spec = validate_as(CoverSpec, Mapping(sections, root.span), report, called="the spec")
        cover = None if spec is None else resolve_cover(spec, Places(root, report))
        if cover is None or report.diagnostics:
            return None
        return known.lab._replace(**cover._asdict(), digest=digest(known.texts | section_texts(sections)))

    def add(self, root: Mapping, lab: Lab) -> None:
        """Know the lab of a spec that had no findings."""
        if len(self._known) >= MOST:
            del self._known[next(iter(self._known))]
        sections = _below_the_cover(root)
        self._known[self._key(sections)] = _Known(sections, section_texts(sections), lab)

    def _key(self, sections: tuple[Entry, ...]) -> str:
        """All that the sections say, with their keys in the spec's order."""
        for key, known in self._known.items():
            if _are_the_same(known.sections, sections):
                return key
        return json.dumps([(entry.key, plain(entry.value)) for entry in sections])


def _below_the_cover(root: Mapping) -> tuple[Entry, ...]:
    return tuple(sorted((entry for entry in root.entries if entry.key not in COVER_SECTIONS), key=_name))


def _name(entry: Entry) -> str:
    return entry.key


def _are_the_same(one: tuple[Entry, ...], other: tuple[Entry, ...]) -> bool:
    """Whether the values are those of one and the same file that both specs extend."""
    return len(one) == len(other) and all(map(is_, (entry.value for entry in one), (entry.value for entry in other)))
