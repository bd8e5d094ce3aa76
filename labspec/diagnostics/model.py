"""What labspec says about a spec, as values: made where a problem is found, printed in one place.

Every step of the pipeline takes a `Report` and adds to it; the modules beside this one print it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class Span(NamedTuple):
    """A stretch of a file. Lines and columns count from 1; columns are code points; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Severity(StrEnum):
    """How bad a finding is. Only an error stops the pipeline."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Related(NamedTuple):
    """A second place that explains a finding, such as the first use of a duplicate key."""

    message: str
    span: Span


class Diagnostic(NamedTuple):
    """One finding: a stable code, one sentence in the author's words, and the narrowest place known."""

    code: str
    message: str
    span: Span | None = None
    severity: Severity = Severity.ERROR
    help: str | None = None
    related: tuple[Related, ...] = ()


class Suggestion(NamedTuple):
    """A fixture to add to a spec.

    `fixture` is the item of `fixtures`, as plain data; `code` is that of the finding it answers; `slips` are those it
    catches, in words. `note` is what the author has to look after, and `blocked` what the author has to change before
    the fixture can be added, if anything.
    """

    fixture: dict[str, Any]
    code: str
    slips: tuple[str, ...] = ()
    note: str | None = None
    blocked: str | None = None


@dataclass(slots=True)
class Report:
    """The findings of one command, in the order they were made; `sorted` gives the order they are shown in.

    `suggestions` are fixtures that would answer some of them, and that `labspec check --fix` adds.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)

    def error(
        self, code: str, message: str, at: Span | None, *, help: str | None = None, related: tuple[Related, ...] = ()
    ) -> None:
        """Add a finding that stops the pipeline after the current step."""
        self.diagnostics.append(Diagnostic(code, message, at, Severity.ERROR, help, related))

    def warning(self, code: str, message: str, at: Span | None, *, help: str | None = None) -> None:
        """Add a finding the author should read, which stops nothing."""
        self.diagnostics.append(Diagnostic(code, message, at, Severity.WARNING, help))

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that are errors."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.severity is Severity.ERROR]

    @property
    def has_errors(self) -> bool:
        """True when at least one finding is an error."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """The findings by place, then code, then message, each once: the same file always prints the same text."""
        unique = dict.fromkeys(self.diagnostics)
        return tuple(sorted(unique, key=_order))


def _order(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    span = diagnostic.span
    if span is None:
        return ("", 0, 0, diagnostic.code, diagnostic.message)
    return (span.file, span.line, span.column, diagnostic.code, diagnostic.message)
