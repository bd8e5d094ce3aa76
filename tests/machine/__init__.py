"""Promises of the machine."""
