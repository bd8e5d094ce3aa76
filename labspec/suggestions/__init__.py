"""Suggested fixtures: from a plan that the explorer found to a fixture that an author can read, keep and reword."""

from labspec.suggestions.suggestion import Suggestion, SuggestionError, suggest

__all__ = ["Suggestion", "SuggestionError", "suggest"]
