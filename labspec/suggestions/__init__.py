"""Suggested fixtures: from a plan that the explorer found to a fixture that an author can read, keep and reword."""

from labspec.suggestions.suggestion import Author, Suggestion, SuggestionError, Wanted

__all__ = ["Author", "Suggestion", "SuggestionError", "Wanted"]
