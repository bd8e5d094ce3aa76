"""One tree of nodes laid over another: what `extends`, the `change` of a mistake and a stretch goal have in common.

Mappings merge by key; lists whose items have names merge by name; everything else is replaced. Each node keeps its
own place, so that a finding about the result points into the file that wrote the value.
"""

from __future__ import annotations

from typing import NamedTuple

from labspec.diagnostics import Related, Report
from labspec.diagnostics.suggest import did_you_mean
from labspec.source.locate import locate
from labspec.source.nodes import Entry, Mapping, Node, Scalar, Sequence

IDENTITY = ("id", "gate", "exit", "refuse")
"""The keys that can name an item of a list. The first that the item has names it."""

REMOVE = "remove"
PLACES = ("before", "after")


def merge(base: Node, overlay: Node, report: Report) -> Node:
    """The base with the overlay laid over it. Neither is changed.

    - Mappings merge by key, in the order of the base, new keys last. `remove: [key, …]` takes keys away first.
    - Lists of named items (see `IDENTITY`) merge by name, read from top to bottom: a known item is merged, a new one
      goes to the end; `before: name` or `after: name` puts it there; an item that is only `remove: [name, …]` takes
      items away.
    - Anything else replaces what the base has, also an empty list.

    Args:
        base: what is there.
        overlay: what is laid over it.
        report: receives findings about names that are not there, with places in the overlay.

    """
    if isinstance(base, Mapping) and isinstance(overlay, Mapping):
        return _merge_mappings(base, overlay, report)
    if isinstance(base, Sequence) and isinstance(overlay, Sequence):
        return _merge_lists(base, overlay, report)
    return overlay


def item_name(item: Node) -> str | None:
    """The name of a list item, or None if it has none."""
    scalar = _identity(item)
    return None if scalar is None else str(scalar.value)


def _identity(item: Node) -> Scalar | None:
    if not isinstance(item, Mapping):
        return None
    values = {entry.key: entry.value for entry in item.entries if entry.key in IDENTITY}
    first = next((values[key] for key in IDENTITY if key in values), None)
    return first if isinstance(first, Scalar) and isinstance(first.value, str) else None


def _merge_mappings(base: Mapping, overlay: Mapping, report: Report) -> Mapping:
    if not overlay.entries:
        return base
    merged = {entry.key: entry for entry in base.entries}
    for entry in overlay.entries:
        names = _removals(entry)
        for name in names or ():
            _remove_key(merged, name, report)
    for entry in overlay.entries:
        if _removals(entry) is None:
            there = merged.get(entry.key)
            value = entry.value if there is None else merge(there.value, entry.value, report)
            merged[entry.key] = Entry(entry.key, entry.key_span, value)
    return Mapping(tuple(merged.values()), overlay.span)


def _removals(entry: Entry) -> list[Scalar] | None:
    """The names that a `remove` takes away; None if the entry is no such key."""
    if entry.key != REMOVE or not isinstance(entry.value, Sequence):
        return None
    names = [item for item in entry.value.items if isinstance(item, Scalar) and isinstance(item.value, str)]
    return names if len(names) == len(entry.value.items) else None


def _remove_key(merged: dict[str, Entry], name: Scalar, report: Report) -> None:
    if merged.pop(str(name.value), None) is None:
        _report_unknown("remove-unknown", f"there is no key `{name.value}` to remove", name, list(merged), report)


def _report_unknown(code: str, message: str, name: Scalar, known: list[str], report: Report) -> None:
    near = did_you_mean(str(name.value), known)
    report.error(code, message, locate(name, ()), help=f"did you mean `{near}`?" if near else None)


def _merge_lists(base: Sequence, overlay: Sequence, report: Report) -> Sequence:
    if not overlay.items:
        return overlay
    by_name = all(item_name(item) is not None for item in base.items) and all(
        item_name(item) is not None or _list_removals(item) is not None for item in overlay.items
    )
    if not by_name:
        _refuse_instructions(base, overlay, report)
        return overlay
    merged = _NamedItems(base, report)
    for item in overlay.items:
        merged.apply(item)
    return Sequence(tuple(merged.items.values()), overlay.span)


def _list_removals(item: Node) -> list[Scalar] | None:
    if isinstance(item, Mapping) and len(item.entries) == 1:
        return _removals(item.entries[0])
    return None


def _refuse_instructions(base: Sequence, overlay: Sequence, report: Report) -> None:
    """A list that replaces the base's has no use for `remove`, `before` and `after`."""
    for item in overlay.items:
        keys = [entry for entry in item.entries if entry.key in PLACES] if isinstance(item, Mapping) else []
        if isinstance(item, Mapping) and _list_removals(item) is not None:
            keys = [item.entries[0]]
        for entry in keys:
            message = f"`{entry.key}` needs a list whose items all have a name"
            unnamed = next((other for other in (*base.items, *overlay.items) if item_name(other) is None), None)
            related = () if unnamed is None else (Related("this item has none", locate(unnamed, ())),)
            advice = f"give every item one of {', '.join(f'`{key}`' for key in IDENTITY)}, or write the whole list"
            report.error("list-without-names", message, entry.key_span, help=advice, related=related)


class _Place(NamedTuple):
    """Where an item shall go: before or after the item of that name."""

    word: str
    name: Scalar


class _NamedItems:
    """The items of a list while an overlay is applied to it: `apply` once for each item of the overlay."""

    def __init__(self, base: Sequence, report: Report) -> None:
        self._report = report
        self._applied: dict[str, Scalar] = {}
        self.items: dict[str, Mapping] = {}
        for item in base.items:
            self._add_from_base(item)

    def apply(self, item: Node) -> None:
        """Merge, add, move or remove."""
        for removed in _list_removals(item) or ():
            self._remove(removed)
        name = _identity(item)
        if name is None or not isinstance(item, Mapping):
            return
        if self._is_first(name, self._applied):
            self._merge_item(str(name.value), item)

    def _add_from_base(self, item: Node) -> None:
        name = _identity(item)
        if name is None or not isinstance(item, Mapping):
            return
        there = self.items.setdefault(str(name.value), item)
        if there is not item:
            first = _identity(there)
            self._report_twice(name, first if first is not None else name)

    def _is_first(self, name: Scalar, seen: dict[str, Scalar]) -> bool:
        first = seen.setdefault(str(name.value), name)
        if first is not name:
            self._report_twice(name, first)
        return first is name

    def _report_twice(self, name: Scalar, first: Scalar) -> None:
        related = (Related("the first one stands here", locate(first, ())),)
        message = f"two items of this list are called `{name.value}`"
        advice = "give each an `id` of its own"
        self._report.error("duplicate-item", message, locate(name, ()), help=advice, related=related)

    def _merge_item(self, name: str, item: Mapping) -> None:
        place, rest = self._take_place(item)
        there = self.items.get(name)
        self.items[name] = rest if there is None else _merge_mappings(there, rest, self._report)
        if place is not None:
            self._move(name, place)

    def _take_place(self, item: Mapping) -> tuple[_Place | None, Mapping]:
        """The item without `before` and `after`, and where it shall go."""
        words = [entry for entry in item.entries if entry.key in PLACES]
        rest = Mapping(tuple(entry for entry in item.entries if entry.key not in PLACES), item.span) if words else item
        if len(words) > 1:
            message, at = "an item goes `before` one item or `after` one, not both", words[1].key_span
            self._report.error("bad-place", message, at, help="keep one of them")
            return None, rest
        if not words:
            return None, rest
        name = words[0].value
        if isinstance(name, Scalar) and isinstance(name.value, str):
            return _Place(words[0].key, name), rest
        message = f"`{words[0].key}` takes the name of one item"
        self._report.error("bad-place", message, locate(name, ()))
        return None, rest

    def _move(self, name: str, place: _Place) -> None:
        target = str(place.name.value)
        if target == name:
            message = f"`{name}` cannot go {place.word} itself"
            self._report.error("bad-place", message, locate(place.name, ()))
            return
        if target not in self.items:
            known = [other for other in self.items if other != name]
            message = f"there is no item `{target}` to go {place.word}"
            _report_unknown("place-unknown", message, place.name, known, self._report)
            return
        moved = self.items.pop(name)
        names = list(self.items)
        names.insert(names.index(target) + (place.word == "after"), name)
        self.items = {key: moved if key == name else self.items[key] for key in names}

    def _remove(self, name: Scalar) -> None:
        if self.items.pop(str(name.value), None) is None:
            message = f"there is no item `{name.value}` to remove"
            _report_unknown("remove-unknown", message, name, list(self.items), self._report)
