"""Stamps: what a build remembers, so that the next one can tell, without thinking, that there is nothing to do.

These modules are imported before anything else is, so they take nothing that is slow to import, pathlib included.
"""
