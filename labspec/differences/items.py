"""Named things of two labs, side by side: which came, which went, which are not as they were, which stand elsewhere."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from labspec.differences.model import Change

Item = TypeVar("Item")


def changes(
    kind: str,
    old: Mapping[str, Item],
    new: Mapping[str, Item],
    differ: Callable[[Item, Item], Iterator[str]],
    told: Callable[[Item], Iterator[str]] = lambda _: iter(()),
) -> Iterator[Change]:
    """What went, what came, and what is not as it was; `differ` says in what, `told` what something is."""
    for name, item in old.items():
        if name not in new:
            yield Change("removed", kind, name, tuple(told(item)))
    for name, item in new.items():
        if name not in old:
            yield Change("added", kind, name, tuple(told(item)))
        elif details := tuple(differ(old[name], item)):
            yield Change("changed", kind, name, details)


def from_to(what: str, old: object, new: object) -> Iterator[str]:
    """`what: old → new`, if they differ."""
    if old != new:
        yield f"{what}: {shown(old)} → {shown(new)}"


def lists(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Which names of a list came and which went."""
    if gone := [name for name in old if name not in new]:
        yield f"{what} taken out: {', '.join(gone)}"
    if came := [name for name in new if name not in old]:
        yield f"{what} put in: {', '.join(came)}"


def shown(value: object) -> str:
    """A value in a sentence."""
    if value is None or value == "" or value == ():
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)


def moved(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """As few names as can be that have to move to bring those that both have into the new order."""
    places = {name: place for place, name in enumerate(old)}
    common = [name for name in new if name in places]
    tails: list[int] = []
    lengths: list[int] = []
    for name in common:
        at = bisect_left(tails, places[name])
        tails[at : at + 1] = [places[name]]
        lengths.append(at + 1)
    wanted, stays = len(tails), set[str]()
    for name, length in zip(reversed(common), reversed(lengths), strict=True):
        if length == wanted and all(places[name] < places[other] for other in stays):
            stays.add(name)
            wanted -= 1
    return [name for name in common if name not in stays]
