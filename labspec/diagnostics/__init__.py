"""Findings as values, and one module per way of printing them."""

from labspec.diagnostics.model import Diagnostic, Related, Report, Severity, Span, Suggestion

__all__ = ["Diagnostic", "Related", "Report", "Severity", "Span", "Suggestion"]
