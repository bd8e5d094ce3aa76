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
from labspec.source.digest import section_texts, spec_digest
from labspec.source.nodes import Mapping, plain, walk
from labspec.source.parse import MAX_NODES, parse
from labspec.source.sections import cut, is_cut_right
from labspec.spec.cover import COVER_SECTIONS, CoverSpec
from labspec.spec.validate import validate_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    from labspec.lab.model import Lab
    from labspec.source.nodes import Entry, Source
    from labspec.source.sections import Section

MOST: Final = 32
"""How many labs are known at once, beyond which the one that was asked for longest ago is forgotten."""


class _Known(NamedTuple):
    sections: tuple[Entry, ...]
    """The sections below its cover."""
    texts: dict[str, str]
    """What they say, as the digest of a spec takes it."""
    written: tuple[str, ...] | None
    """How they are written, if that is all in one file and can be told."""
    values: int
    """How many keys and values there are in them, at most."""
    lab: Lab


class KnownLabs:
    """Labs whose specs had no findings, by all that these say below their covers. For one thread at a time."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def recall(self, source: Source) -> Lab | None:
        """The lab of a spec, if only its cover has to be looked at to know it, and there is nothing to find in that."""
        below = _below_the_cover(source.root)
        key = self._key(below)
        known = self._known.get(key)
        if known is None:
            return None
        self._known[key] = known._replace(sections=below, written=_written_in(source) or known.written)
        return self._with_cover(key, source.root)

    def recall_text(self, text: str) -> Lab | None:
        """The same of a spec that was not parsed, as `read_text` returns it: of one known lab it may be a copy.

        What is written below the cover was parsed before, so only the cover is.
        """
        sections = cut(text) or ()
        below = _written(sections)
        key = next((key for key, known in self._known.items() if known.written == below), None)
        if key is None:
            return None
        cover = "".join(section.text for section in sections if section.key in COVER_SECTIONS)
        report = Report()
        root = parse(cover, "", report)
        if root is None or report.diagnostics or not is_cut_right(cut(cover) or (), root):
            return None
        values = self._known[key].values + _values(root.entries)
        return self._with_cover(key, root) if values < MAX_NODES else None

    def add(self, source: Source, lab: Lab) -> None:
        """Know the lab of a spec that had no findings."""
        if len(self._known) >= MOST:
            del self._known[next(iter(self._known))]
        below = _below_the_cover(source.root)
        known = _Known(below, section_texts(below), _written_in(source), _values(below), lab)
        self._known[self._key(below)] = known

    def _with_cover(self, key: str, root: Mapping) -> Lab | None:
        """A known lab with the cover of a spec, unless there is something to find in that."""
        known = self._known[key] = self._known.pop(key)  # the latest is the last
        report = Report()
        sections = tuple(entry for entry in root.entries if entry.key in COVER_SECTIONS)
        spec = validate_as(CoverSpec, Mapping(sections, root.span), report, called="the spec")
        cover = None if spec is None else resolve_cover(spec, Places(root, report))
        if cover is None or report.diagnostics:
            return None
        return known.lab._replace(**cover._asdict(), digest=spec_digest(known.texts | section_texts(sections)))

    def _key(self, sections: tuple[Entry, ...]) -> str:
        """All that the sections say. Keys inside them stay in the spec's order: reasons and budgets have it as well."""
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


def _written(sections: Iterable[Section]) -> tuple[str, ...]:
    """How the sections below the cover are written."""
    return tuple(sorted(section.text for section in sections if section.key not in COVER_SECTIONS))


def _written_in(source: Source) -> tuple[str, ...] | None:
    """How the sections below the cover of a spec are written, if that is all in one file and can be told.

    A spec that extends another is cut into sections that are not those of its root: `extends` is among them.
    """
    sections = cut(source.texts[source.file]) or ()
    return _written(sections) if is_cut_right(sections, source.root) else None


def _values(sections: Iterable[Entry]) -> int:
    """How many keys and values there are in sections at most: every value has a key, but for the items of lists."""
    return sum(2 for entry in sections for _ in walk(entry.value))
