"""Words that the handout, the tests and the loop share: one thing is said in one way in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions.english import to_english
from labspec.conditions.phrases import Phrases
from labspec.conditions.syntax import Constant
from labspec.emit.encode import Markdown, markdown_cell_code, markdown_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from labspec.conditions import Expr, Moment
    from labspec.lab.model import Kind, Meter, Reason, Row

MOMENTS: dict[Moment, str] = {
    "turn": "the loop is about to ask the model",
    "decision": "the model answered",
    "call": "the loop is about to run the tool",
    "result": "the tool answered, or the call failed",
}
"""What has just happened, or is about to, at each moment."""

KINDS: dict[Kind, str] = {"done": "done", "budget": "a budget is used up", "error": "an error"}
"""What a reason of each kind says about the run."""

METERS = {
    "turns": "decisions received from the model",
    "tool_calls": "calls the model asked for",
    "failures": "failed results",
    "write_bytes": "bytes written",
}
"""What the built-in meters count."""

_IN_MARKDOWN = Phrases(code=lambda text: str(markdown_cell_code(text)))


def condition_words(when: Expr | None, code: Callable[[str], str] = "`{}`".format) -> str:
    """A row's condition as plain text; `code` marks the names and literals in it."""
    return "always" if when is None else to_english(when, Phrases(code=code))


def condition_markdown(when: Expr | None) -> Markdown:
    """A row's condition as Markdown for a table cell.

    The printer's own words are plain letters; what the author wrote (names, literals) goes through the encoder given.
    """
    return Markdown("always" if when is None else to_english(when, _IN_MARKDOWN))


def row_words(row: Row) -> str:
    """A row in words: the author's if there are any, and otherwise its condition."""
    return row.says or condition_words(row.when)


def row_markdown(row: Row) -> Markdown:
    """A row in words for the projector: the author's first, and always what the row really asks."""
    condition = condition_markdown(row.when)
    return condition if row.says is None else Markdown.of("{} ({})", markdown_text(row.says), condition)


def outcome_markdown(row: Row) -> Markdown:
    """What a row does: the reason it ends the loop with, or the code it refuses the call with."""
    code = markdown_cell_code(row.outcome)
    if row.verb == "exit":
        return code
    return Markdown.of("refuses the call: {}" if row.counted else "refuses the call, which does not count: {}", code)


def last_error_markdown(row: Row) -> Markdown:
    """What a row leaves as `last_error`."""
    if row.verb == "refuse":
        return markdown_cell_code(row.outcome)
    error = row.last_error
    if error.source == "text":
        return markdown_cell_code(error.text or "")
    return Markdown("`null`") if error.source == "none" else Markdown("code of the last failure, or `null`")


def meter_words(name: str) -> str:
    """What a meter counts, as plain text."""
    return METERS.get(name, name.replace("_", " "))


def meter_cells(meter: Meter) -> tuple[Markdown, ...]:
    """A meter as the cells of a table: its name, what it counts, when it is charged, set back and given back."""
    amount = Markdown("1" if meter.add == Constant(1) else to_english(meter.add, _IN_MARKDOWN))
    charged = Markdown.of("at {}: {}", markdown_cell_code(meter.at), amount)
    if meter.when is not None:
        charged = Markdown.of("{}, if {}", charged, condition_markdown(meter.when))
    never = Markdown("never")
    return (
        markdown_cell_code(meter.name),
        markdown_text(meter.says or meter_words(meter.name)),
        charged,
        never if meter.resets_when is None else condition_markdown(meter.resets_when),
        never if meter.refund_when is None else condition_markdown(meter.refund_when),
    )


def reason_cells(reason: Reason) -> tuple[Markdown, ...]:
    """A reason as the cells of a table: its name, kind, exit code and meaning."""
    return (
        markdown_cell_code(reason.name),
        markdown_text(KINDS[reason.kind]),
        Markdown.of("{}", reason.exit_code),
        markdown_text(reason.says),
    )
