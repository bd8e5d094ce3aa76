"""What is wrong with a condition, and where in its text. Callers turn it into a `Diagnostic` of the file."""

from __future__ import annotations

from typing import Literal, TypeAlias

ErrorCode: TypeAlias = Literal[
    "condition-syntax", "condition-unknown-name", "condition-unknown-moment", "condition-types", "condition-impossible"
]


class ConditionError(ValueError):
    """One finding about a condition. `parse` raises the first; `check_types` returns them all.

    `start` and `end` are offsets into the text of the condition; the end is exclusive, and both are equal to the
    length of the text when something is missing at its end. `code` is the stable name of the kind of finding.
    """

    def __init__(
        self, message: str, start: int, end: int, help: str | None = None, *, code: ErrorCode = "condition-syntax"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.help = help
        self.code = code
