"""Differences for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from labspec.diagnostics.display import printable

if TYPE_CHECKING:
    from labspec.differences.model import Change, Differences, How, Shown

_SIGNS: Final[dict[How, str]] = {"added": "+", "removed": "-", "renamed": "=", "moved": "↕", "changed": "~"}


def to_terminal(found: Differences) -> str:
    """The verdict, the runs, then a block for each section."""
    lines = [found.headline, "", f"  {found.old} → {found.new}", *([f"  {found.note}"] if found.note else [])]
    lines.append(f"  {found.runs.sentence}")
    if found.runs.shown is not None:
        lines += [f"  {line}" for line in shown_lines(found.runs.shown)]
    for section in found.sections:
        lines += ["", section.title]
        lines += [line for change in section.changes for line in _change(change)]
    return "".join(f"{printable(line)}\n" for line in lines)


def shown_lines(shown: Shown) -> Iterator[str]:
    """The shortest plan, and what either lab makes of it."""
    yield f"plan: {', then '.join(shown.told)}"
    yield f"  was: {shown.old}"
    yield f"  now: {shown.new}"


def _change(change: Change) -> Iterator[str]:
    yield f"  {_SIGNS[change.how]} {change.kind} {change.name} {'' if change.how == 'changed' else change.how}".rstrip()
    yield from (f"      {detail}" for detail in change.details)
