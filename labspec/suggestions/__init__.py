"""Suggested fixtures: from a plan that the explorer found to a fixture that an author can read, keep and reword."""

from labspec.suggestions.suggestion import Author, SuggestionError, Wanted

__all__ = ["Author", "SuggestionError", "Wanted"]
