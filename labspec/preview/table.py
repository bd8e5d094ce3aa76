"""The decision table, as the handout says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from labspec.emit.wording import last_error_markdown, row_markdown
from labspec.page.words import Words, code, words
from labspec.preview.markdown import to_inline_html

if TYPE_CHECKING:
    from markupsafe import Markup

    from labspec.lab.model import Lab, Row


class TableRow(NamedTuple):
    """A row of the table. `then` says what a refusal does."""

    number: int
    id: str
    at: str
    asks: Markup
    outcome: Words
    then: str
    look: Literal["done", "budget", "error", "refuse"]
    last_error: Markup
    mistakes: tuple[Words, ...]


def plan_table(lab: Lab) -> tuple[TableRow, ...]:
    """Every row, in the order in which they are asked."""
    return tuple(_row(row, lab) for row in lab.table)


def _row(row: Row, lab: Lab) -> TableRow:
    return TableRow(
        number=row.number,
        id=row.id,
        at=row.at,
        asks=to_inline_html(row_markdown(row)),
        outcome=code(row.outcome),
        then=_then(row),
        look="refuse" if row.verb == "refuse" else lab.reason(row.outcome).kind,
        last_error=to_inline_html(last_error_markdown(row)),
        mistakes=tuple(words(mistake.says) for mistake in lab.mistakes if mistake.row == row.id),
    )


def _then(row: Row) -> str:
    """What a refusal means for the call; a row that ends the run says it all with its reason."""
    if row.verb == "exit":
        return ""
    return "refuses the call" if row.counted else "refuses the call, which does not count"
