"""The loop as a Mermaid flowchart: the four moments of a turn, and the rows of the decision table as the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions import MOMENTS as ORDER
from labspec.emit.encode import Markdown, mermaid_label
from labspec.emit.wording import MOMENTS, condition_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labspec.lab.model import Lab, Row


def plan_diagram(lab: Lab) -> tuple[Markdown, ...]:
    """The lines inside the Mermaid block. Node names are ours; everything of the author's is a quoted label."""
    return tuple(_lines(lab))


def _lines(lab: Lab) -> Iterator[Markdown]:
    yield Markdown("flowchart TD")
    for moment in ORDER:
        yield Markdown.of("    {}[{}]", Markdown(moment), mermaid_label(f"{moment}: {MOMENTS[moment]}"))
    for number, reason in enumerate(lab.taxonomy, start=1):
        yield Markdown.of("    reason{}([{}])", number, mermaid_label(reason.name))
    for moment, following in zip(ORDER, (*ORDER[1:], ORDER[0]), strict=True):
        for row in lab.table:
            if row.at == moment:
                yield _edge(lab, row)
        label = "next turn" if moment == "result" else "otherwise"
        yield Markdown.of("    {} -->|{}| {}", Markdown(moment), mermaid_label(label), Markdown(following))


def _edge(lab: Lab, row: Row) -> Markdown:
    words = f"{row.number}: {condition_words(row.when, code=str)}"
    if row.verb == "refuse":
        label = mermaid_label(f"{words} (refused, {row.outcome})")
        return Markdown.of("    {} -.->|{}| result", Markdown(row.at), label)
    reasons = [reason.name for reason in lab.taxonomy]
    target = reasons.index(row.outcome) + 1
    return Markdown.of("    {} -->|{}| reason{}", Markdown(row.at), mermaid_label(words), target)
