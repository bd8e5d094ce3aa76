"""`WHAT-CHANGED.md` of a student's clone: the differences between two versions of a lab, as what they mean for work
that has begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.emit.encode import Markdown, markdown_code, markdown_text
from labspec.emit.outputs import Printed

if TYPE_CHECKING:
    from labspec.differences import Differences
    from labspec.differences.model import Change, SectionId
    from labspec.emit import Step

WHAT_CHANGED: Final = "WHAT-CHANGED.md"

_TITLES: Final[dict[str, tuple[SectionId, ...]]] = {
    "Your loop": ("reasons", "rows", "budgets", "settings"),
    "Runs that have to end in another way": ("endings",),
    "Fixtures": ("fixtures",),
    "Points": ("gates", "goals"),
    "What you hand in": ("work",),
}
"""The sections for students, and which differences they tell. The others are the staff's."""

_HOW: Final = {
    "added": "is new",
    "removed": "is gone",
    "renamed": "has a new name",
    "moved": "stands at another place",
    "changed": "is not as it was",
}

_ONLY_WORDS: Final = "Only words changed: what your loop has to do, and what it is worth, is as it was."
_NOT_KNOWN: Final = "The version that you have does not say what it asks for, so read the README again."


class Item(NamedTuple):
    """One thing that changed, and in what."""

    text: Markdown
    details: tuple[Markdown, ...]


class Section(NamedTuple):
    """What changed in one respect."""

    title: Markdown
    items: tuple[Item, ...]


class WhatChanged(NamedTuple):
    """What the template prints."""

    versions: Markdown
    mine: Markdown | None
    summary: Markdown | None
    sections: tuple[Section, ...]
    open_files: tuple[Markdown, ...]


def plan_what_changed(old: str, new: str, found: Differences | None, steps: Sequence[Step]) -> Printed:
    """The file for a clone that goes from version `old` to `new` by these steps.

    `found` are the differences between the versions, None if the clone does not say what it was made of.
    """
    kept = [step.path for step in steps if step.status == "keep" and not step.held]
    sections = () if found is None else tuple(_sections(found))
    summary = _NOT_KNOWN if found is None else _ONLY_WORDS if not sections else None
    values = WhatChanged(
        _versions(old, new),
        Markdown(", ".join(map(markdown_code, kept))) if kept else None,
        None if summary is None else markdown_text(summary),
        sections,
        tuple(_open(step) for step in steps if step.is_open),
    )
    return Printed(WHAT_CHANGED, "shared/WHAT-CHANGED.md", Markdown, values)


def _versions(old: str, new: str) -> Markdown:
    if old == new:
        return Markdown(f"It is another one, though its version is still {markdown_code(new)}.")
    return Markdown(f"You had version {markdown_code(old)}, and now have version {markdown_code(new)}.")


def _open(step: Step) -> Markdown:
    beside = [change.path for change in step.changes if change.path != step.path]
    ours = f" and {markdown_code(beside[0])}" if beside else ""
    return Markdown(f"{markdown_code(step.path)}{ours}")


def _sections(found: Differences) -> Iterator[Section]:
    for title, parts in _TITLES.items():
        items = tuple(_item(change) for part in parts for change in found.of(part))
        if items:
            yield Section(markdown_text(title), items)


def _item(change: Change) -> Item:
    name, details = markdown_code(change.name), tuple(markdown_text(detail) for detail in change.details)
    if change.kind == "reason" and change.how == "renamed":
        return Item(Markdown(f"the reason {name} has a new name: give it wherever you gave the old one"), details)
    if change.kind.startswith("ending of"):
        return Item(name, details)
    return Item(Markdown(f"{markdown_text(f'the {change.kind}')} {name} {_HOW[change.how]}"), details)
