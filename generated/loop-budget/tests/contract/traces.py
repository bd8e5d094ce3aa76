"""The bytes of a trace, read strictly: a JSON array of the events of one run.

Only what the contract speaks of is looked at: the type of an event, its turn, name and
error, and what a closing event says. Whatever else a runner writes down is its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from .records import MAX_BYTES, Problem
from .signature import canonical
from .strict import NotStrictError, read_json
from .wording import show, show_name

MAX_EVENTS = 10_000
CLOSING_TYPES = ("stop", "budget", "error")

Event: TypeAlias = "dict[str, Any]"
"""An event as it was written: an object whose `type` is text."""

EventWords: TypeAlias = "tuple[str, int, str | None, str | None]"
"""What the contract says of an event: its type, turn, name and error."""

COMPARED = ("type", "turn", "name", "error")


class Trace(NamedTuple):
    """The events of a run, in the order they were written."""

    events: tuple[Event, ...]

    @property
    def steps(self) -> tuple[Event, ...]:
        """Every event that tells of a step: all but the closing ones."""
        return tuple(each for each in self.events if not is_closing(each))

    @property
    def closings(self) -> tuple[Event, ...]:
        """The closing events. There should be one."""
        return tuple(each for each in self.events if is_closing(each))


def read_trace(data: bytes) -> Trace | Problem:
    """The trace in these bytes, or why it cannot be read. Never raises."""
    if len(data) > MAX_BYTES:
        return Problem(f"is larger than {MAX_BYTES:,} bytes")
    try:
        events = read_json(data)
    except NotStrictError as error:
        return Problem(str(error))
    if not isinstance(events, list):
        return Problem("is JSON, but not an array of events")
    if len(events) > MAX_EVENTS:
        return Problem(f"has more than {MAX_EVENTS:,} events")
    return _checked(events)


def _checked(events: list[Any]) -> Trace | Problem:
    for number, event in enumerate(events, start=1):
        if not isinstance(event, dict):
            return Problem(f"has something else than an object as event {number}")
        if not isinstance(event.get("type"), str):
            return Problem(f"has no type in event {number}")
    return Trace(tuple(events))


def is_closing(event: Event) -> bool:
    """Whether an event says how the run ended."""
    return event["type"] in CLOSING_TYPES


def as_event(words: EventWords) -> Event:
    """The event that these words describe; what is None is left out."""
    pairs = zip(COMPARED, words, strict=True)
    return {key: value for key, value in pairs if value is not None}


def same_step(one: Event, other: Event) -> bool:
    """Whether two events agree in type, turn, name and error; null is as good as none.

    A turn that is 1.0 or true is not turn 1.
    """
    return all(canonical(one.get(key)) == canonical(other.get(key)) for key in COMPARED)


def show_event(event: Event) -> str:
    """An event in a few words: tool_error write_file (turn 3): path_escape."""
    words = show_name(event["type"])
    if event.get("name") is not None:
        words += f" {show_name(event['name'])}"
    if event["type"] == "turn":
        words += f" {show(event['turn'])}" if "turn" in event else " (no number)"
    elif "turn" in event:
        words += f" (turn {show(event['turn'])})"
    if event.get("error") is not None:
        words += f": {show_name(event['error'])}"
    return words


def show_closing(event: Event) -> str:
    """A closing event in a few words: stop, reason tests_green."""
    reason = show_name(event["reason"]) if "reason" in event else "missing"
    return f"{show_name(event['type'])}, reason {reason}"
