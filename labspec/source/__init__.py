"""YAML text to values with places: reading, variants, and looking places up."""

from labspec.plain_file import name_of
from labspec.source.extends import resolve_extends
from labspec.source.locate import locate, locate_key
from labspec.source.merge import merge
from labspec.source.nodes import Entry, Mapping, Node, Plain, Scalar, Sequence, Source, plain, walk
from labspec.source.read import parse_text, read, read_data, read_text

__all__ = [
    "Entry",
    "Mapping",
    "Node",
    "Plain",
    "Scalar",
    "Sequence",
    "Source",
    "locate",
    "locate_key",
    "merge",
    "name_of",
    "parse_text",
    "plain",
    "read",
    "read_data",
    "read_text",
    "resolve_extends",
    "walk",
]
