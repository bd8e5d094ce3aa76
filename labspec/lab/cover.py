"""Resolve the cover: what the lab is called, what it is about, and how its time is spent."""

from __future__ import annotations

from collections.abc import Iterator

from labspec.lab.model import AgendaItem, Cover
from labspec.lab.names import check_name
from labspec.lab.places import Places
from labspec.spec.cover import CoverSpec


def resolve_cover(spec: CoverSpec, places: Places) -> Cover:
    """The cover of a spec. Its id has to be a name that a folder can have, and its agenda has to add up."""
    check_name(spec.id, places, "id")
    return Cover(
        id=spec.id,
        version=spec.version,
        title=spec.title,
        summary=spec.summary,
        goal=spec.goal,
        minutes=spec.minutes,
        objectives=tuple(spec.objectives),
        agenda=_agenda(spec, places),
        limitations=tuple(spec.limitations),
        skip_if=tuple(spec.skip_if),
    )


def _agenda(spec: CoverSpec, places: Places) -> tuple[AgendaItem, ...]:
    """The agenda with the minute each item starts and ends at."""
    total = sum(item.minutes for item in spec.agenda)
    if total != spec.minutes:
        message = f"the agenda takes {total} minutes, but the lab takes {spec.minutes}"
        places.error("agenda-does-not-add-up", message, "minutes", help="change `minutes`, or the minutes of one item")
    return tuple(_timed(spec))


def _timed(spec: CoverSpec) -> Iterator[AgendaItem]:
    start = 0
    for item in spec.agenda:
        yield AgendaItem(start, start + item.minutes, item.title, item.says)
        start += item.minutes
