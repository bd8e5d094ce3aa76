"""How values and failures are put into words.

Whatever a student's program wrote is shown in plain ASCII and shortened: no message
grows without bound, and no byte of it can steer a terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

MAX_VALUE = 200
MAX_LINE = 160
MAX_OUTPUT_LINES = 8
MAX_MESSAGE = 6_000

EXIT_FIELDS = ("reason", "turns", "tool_names", "last_error")
LABEL_WIDTH = 10

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_:.-]*")
_NOT_WORDS = ("null", "true", "false", "missing")


class ContractFailure(AssertionError):
    """A run does not do what was agreed. The message is all a reader needs."""

    # Reports name the module before the class, unless it is built in.
    __module__ = "builtins"


def contract_failure(headline: str, rows: Mapping[str, str]) -> ContractFailure:
    """A failure with its headline and, below it, one labelled row for each entry."""
    lines = [headline]
    for label, text in rows.items():
        first, *rest = text.split("\n")
        lines.append(f"  {label:<{LABEL_WIDTH}}{first}")
        lines.extend(f"  {'':<{LABEL_WIDTH}}{line}" for line in rest)
    return ContractFailure(shorten("\n".join(lines), MAX_MESSAGE))


def shorten(text: str, limit: int) -> str:
    """The text, or as much of it as fits into `limit` characters and three dots."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def printable(text: str, limit: int = MAX_LINE) -> str:
    """Text from outside on one line of plain ASCII; everything else is escaped."""
    escaped = (
        char if " " <= char <= "~" else ascii(char)[1:-1] for char in text[: limit + 1]
    )
    return shorten("".join(escaped), limit)


def show(value: object) -> str:
    """A value as JSON, so that true, 1, 1.0 and "1" look different."""
    text = json.dumps(value).replace("\x7f", "\\u007f")
    return shorten(text, MAX_VALUE)


def show_name(value: object) -> str:
    """A reason or the name of a tool: bare when it is a plain word."""
    if isinstance(value, str) and _WORD.fullmatch(value) and value not in _NOT_WORDS:
        return shorten(value, MAX_VALUE)
    return show(value)


def show_names(values: object) -> str:
    """A list of names: [get_weather, get_weather]."""
    if not isinstance(values, list):
        return show(values)
    return shorten("[" + ", ".join(map(show_name, values)) + "]", MAX_VALUE)


def show_exit(record: Mapping[str, object], fields: Sequence[str] = EXIT_FIELDS) -> str:
    """An exit in one line: reason completed, turns 2, tool_names [...], ..."""
    return ", ".join(_show_field(record, name) for name in fields)


def _show_field(record: Mapping[str, object], name: str) -> str:
    if name not in record:
        return f"{name} missing"
    printers = {"reason": show_name, "tool_names": show_names}
    return f"{name} {printers.get(name, show)(record[name])}"


def show_lines(*lines: bytes) -> str:
    """Lines of a ledger as they were written, in plain ASCII, each shortened."""
    texts = (line[: 2 * MAX_LINE].decode("utf-8", "backslashreplace") for line in lines)
    return "\n".join(map(printable, texts))


def last_lines(output: str) -> str:
    """The end of what a program printed, where the cause of a crash usually stands."""
    lines = [line for line in output.splitlines() if line.strip()]
    return "\n".join(map(printable, lines[-MAX_OUTPUT_LINES:]))


def show_exit_code(code: int | None) -> str:
    """An exit code in words; signals end a process with a negative one."""
    if code is None:
        return "no exit code"
    return f"exit code {code}" if code >= 0 else f"ended by signal {-code}"
