"""Findings for people: the source line with a caret under the place. Used by every command that prints to a terminal.

Plain ANSI and nothing imported that costs start-up time, because the most frequent run is the one with a typo in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.diagnostics.display import escape, measure, printable
from labspec.diagnostics.model import Diagnostic, Report, Severity, Span

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_WIDTH = 100
"""How many columns of a source line are shown; a longer line is cut around the caret."""

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.NOTE: "\x1b[1;36m"}
_HELP_COLOUR = "\x1b[32m"
_CUT = "..."


def to_terminal(report: Report, texts: Mapping[str, str], colour: bool) -> str:
    """All findings by place, then how many there are; nothing if there are none.

    Args:
        report: the findings.
        texts: the text of each file, for the source lines; a finding in another file is shown without one.
        colour: write ANSI colours.

    """
    findings = report.sorted()
    if not findings:
        return ""
    printer = _Printer({file: text.split("\n") for file, text in texts.items()}, colour)
    blocks = ["\n".join(printer.finding(finding)) for finding in findings]
    return "\n\n".join([*blocks, count(report)]) + "\n"


def count(report: Report) -> str:
    """How many findings there are: `2 errors, 1 warning`."""
    numbers = dict.fromkeys(Severity, 0)
    for finding in report.sorted():
        numbers[finding.severity] += 1
    return ", ".join(
        f"{number} {severity}{'' if number == 1 else 's'}" for severity, number in numbers.items() if number
    )


class _Printer:
    """Prints findings against the lines of their files."""

    def __init__(self, lines: dict[str, list[str]], colour: bool) -> None:
        self._lines = lines
        self._colour = colour

    def finding(self, finding: Diagnostic) -> list[str]:
        """The lines of one finding."""
        colour = _COLOURS[finding.severity]
        head = self._paint(f"{finding.severity}[{printable(finding.code)}]", colour)
        lines = [f"{self._place(finding.span)}{head} {printable(finding.message)}"]
        lines += self._excerpt(finding.span, colour)
        if finding.help is not None:
            lines.append(f"  {self._paint('help:', _HELP_COLOUR)} {printable(finding.help)}")
        for related in finding.related:
            lines.append(f"  {self._place(related.span)}{printable(related.message)}")
            lines += self._excerpt(related.span, _COLOURS[Severity.NOTE])
        return lines

    def _place(self, span: Span | None) -> str:
        if span is None:
            return ""
        return self._paint(f"{printable(span.file)}:{span.line}:{span.column}:", _BOLD) + " "

    def _excerpt(self, span: Span | None, colour: str) -> list[str]:
        """The source line and the carets under the marked part; nothing where the line is not known."""
        lines = self._lines.get(span.file, []) if span is not None else []
        if span is None or not 0 < span.line <= len(lines):
            return []
        line = lines[span.line - 1]
        if not line:
            return []
        end = span.end_column - 1 if span.end_line == span.line else len(line)
        shown, before, width = _cut(line, span.column - 1, end)
        carets = self._paint("^" * width, colour)
        return [f"{span.line:>4} | {shown}".rstrip(), f"     | {' ' * before}{carets}"]

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour else text


def _cut(line: str, start: int, end: int) -> tuple[str, int, int]:
    """The part of a line around [start, end), ready to print; how many columns stand before the marked part, and how
    many it has (at least one).
    """
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line))
    first = _first_shown(line, start, end)
    shown = _CUT if first else ""
    columns = before = len(shown)
    width = 0
    for place in range(first, len(line)):
        wide = measure(line[place])
        if columns + wide > MAX_WIDTH or place - first >= 2 * MAX_WIDTH:
            shown += _CUT
            break
        shown, columns = shown + escape(line[place]), columns + wide
        before += wide if place < start else 0
        width += wide if start <= place < end else 0
    return shown, before, max(width, 1)


def _first_shown(line: str, start: int, end: int) -> int:
    """The first character to show: that of the line if the marked part then fits, else one a little before it."""
    if end <= MAX_WIDTH and measure(line[:end]) <= MAX_WIDTH:
        return 0
    first, columns = start, 0
    while 0 < first > start - MAX_WIDTH and columns <= MAX_WIDTH // 2:
        first -= 1
        columns += measure(line[first])
    return first
