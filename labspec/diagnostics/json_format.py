"""Findings for programs: one JSON document. Used by `--format json`."""

from __future__ import annotations

import json
from typing import Any

from labspec.diagnostics.model import Diagnostic, Related, Report, Severity, Span


def to_json(report: Report) -> str:
    """One JSON document: that of `to_document`."""
    return json.dumps(to_document(report), indent=2) + "\n"


def to_document(report: Report) -> dict[str, Any]:
    """The findings as plain data: `diagnostics` by place, and how many `errors` and `warnings` there are.

    Lines and columns count from 1; columns are code points and the end is exclusive. A finding without a place has
    `null` for each of `file`, `line`, `column`, `end_line` and `end_column`.
    """
    findings = report.sorted()
    return {
        "diagnostics": [_finding(finding) for finding in findings],
        "errors": sum(finding.severity is Severity.ERROR for finding in findings),
        "warnings": sum(finding.severity is Severity.WARNING for finding in findings),
    }


def _finding(finding: Diagnostic) -> dict[str, Any]:
    return {
        **_place(finding.span),
        "severity": finding.severity.value,
        "code": finding.code,
        "message": finding.message,
        "help": finding.help,
        "related": [_related(related) for related in finding.related],
    }


def _related(related: Related) -> dict[str, Any]:
    return {**_place(related.span), "message": related.message}


def _place(span: Span | None) -> dict[str, Any]:
    return {
        "file": span.file if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_line": span.end_line if span else None,
        "end_column": span.end_column if span else None,
    }
