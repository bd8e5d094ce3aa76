"""Differences as Markdown, for the description of a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from labspec.differences.terminal import shown_lines
from labspec.emit.encode import Markdown, markdown_text

if TYPE_CHECKING:
    from labspec.differences.model import Change, Differences


def to_markdown(found: Differences) -> str:
    """The verdict as a heading, the runs, then a list for each section. No text of an author's is markup."""
    told = f"{found.old} → {found.new}. {found.note} {found.runs.sentence}"
    blocks = [f"## {_text(found.headline)}", _text(told)]
    if found.runs.shown is not None:
        blocks.append("\n".join(f"- {_text(line)}" for line in shown_lines(found.runs.shown)))
    for section in found.sections:
        items = "\n".join(line for change in section.changes for line in _change(change))
        blocks.append(f"### {_text(section.title)}\n\n{items}")
    return "\n\n".join(blocks) + "\n"


def _change(change: Change) -> Iterator[str]:
    how = "" if change.how == "changed" else f" {change.how}"
    yield f"- {_text(change.kind)} **{_text(change.name)}**{how}"
    yield from (f"  - {_text(detail)}" for detail in change.details)


def _text(text: str) -> Markdown:
    return markdown_text(" ".join(text.split()))
