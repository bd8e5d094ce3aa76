"""Promises of the condition language."""
