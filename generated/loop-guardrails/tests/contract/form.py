"""The form of a record: its fields, their types, and what an error text may be."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

from .records import Record
from .wording import printable, show

FIELDS = (
    "fixture_id",
    "last_error",
    "reason",
    "run_id",
    "stopped_on_turn",
    "tool_names",
    "turns",
)

# Control characters, halves of surrogate pairs, line and paragraph separators.
UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


def field_problems(record: Record, run_id: str, fixture_id: str) -> Iterator[str]:
    """What is wrong with the fields of a record, one sentence for each finding."""
    for name in FIELDS:
        if name not in record:
            yield f"{name} is missing"
        elif not _has_type(name, record[name]):
            yield f"{name} is {show(record[name])}, which is not {_TYPES[name][0]}"
    for name, given in (("run_id", run_id), ("fixture_id", fixture_id)):
        if isinstance(record.get(name), str) and record[name] != given:
            yield f"{name} is {show(record[name])}, but {show(given)} was given"
    for name in record:
        if name not in FIELDS:
            yield f"{printable(name, 80)} is not a field of a record"


def error_problem(record: Record, max_chars: int) -> str | None:
    """What is wrong with the last error of a record, as the rest of a sentence."""
    text = record.get("last_error")
    if text is None:
        return None if "last_error" in record else "is missing"
    if not isinstance(text, str):
        return "is not text"
    if not text.strip():
        return "is empty"
    if any(unicodedata.category(char) in UNPRINTABLE for char in text):
        return "holds a line break or another control character"
    if len(text) > max_chars:
        return f"has {len(text)} characters"
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_text_or_null(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_TYPES: dict[str, tuple[str, Callable[[object], bool]]] = {
    "fixture_id": ("text", _is_text),
    "last_error": ("text or null", _is_text_or_null),
    "reason": ("text", _is_text),
    "run_id": ("text", _is_text),
    "stopped_on_turn": ("a whole number", _is_count),
    "tool_names": ("a list of text", _is_list_of_text),
    "turns": ("a whole number", _is_count),
}


def _has_type(name: str, value: object) -> bool:
    _, holds = _TYPES[name]
    return holds(value)
