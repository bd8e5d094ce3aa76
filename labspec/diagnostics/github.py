"""Findings for GitHub Actions: workflow commands, which become annotations on a pull request.

Used by `--format github`. https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from labspec.diagnostics.display import printable
from labspec.diagnostics.model import Diagnostic, Report, Severity, Span

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def to_github(report: Report) -> str:
    """One workflow command for each finding, by place; nothing if there are none."""
    return "".join(f"{_command(finding)}\n" for finding in report.sorted())


def _command(finding: Diagnostic) -> str:
    properties = _place(finding.span) | {"title": finding.code}
    written = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {written}::{_escape(_message(finding))}"


def _message(finding: Diagnostic) -> str:
    lines = [finding.message]
    if finding.help is not None:
        lines.append(f"help: {finding.help}")
    lines += [f"{place.span.file}:{place.span.line}:{place.span.column}: {place.message}" for place in finding.related]
    return "\n".join(printable(line) for line in lines)


def _place(span: Span | None) -> dict[str, str]:
    if span is None:
        return {}
    place = {"file": span.file, "line": str(span.line)}
    if span.line != span.end_line:  # GitHub refuses columns on an annotation of several lines
        return place | {"endLine": str(span.end_line)}
    return place | {"col": str(span.column), "endLine": str(span.end_line), "endColumn": str(span.end_column)}


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(printable(text)).replace(":", "%3A").replace(",", "%2C")
