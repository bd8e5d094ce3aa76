"""Where in the file a finding about a value belongs: a pydantic `loc` put back to a place.

Used by the validation of the spec and by every check that names a value by its path.
"""

from __future__ import annotations

from labspec.diagnostics import Span
from labspec.source.nodes import Entry, Mapping, Node, Scalar, Sequence

_KEY_PART = "[key]"
"""What pydantic puts behind a key of a dictionary when the key itself is wrong."""


def locate(root: Node, loc: tuple[str | int, ...]) -> Span:
    """The place of the value at `loc`, on one line.

    Where there is no such value, this is the place of the nearest enclosing one: a missing key is marked at the mapping
    that should hold it. Parts that begin with `<` name members of a union and are skipped.
    """
    node, entry, missing = _follow(root, loc)
    if entry is not None and missing == _KEY_PART:
        return entry.key_span
    return _mark(node)


def locate_key(root: Node, loc: tuple[str | int, ...]) -> Span:
    """The place of the last key of `loc`; of the item, if `loc` ends in an index; else as `locate`."""
    node, entry, missing = _follow(root, loc)
    if entry is not None and missing in (None, _KEY_PART):
        return entry.key_span
    return _mark(node)


def narrow(span: Span) -> Span:
    """The span, if it is on one line; else its first character."""
    if span.line == span.end_line:
        return span
    return Span(span.file, span.line, span.column, span.line, span.column + 1)


def _follow(root: Node, loc: tuple[str | int, ...]) -> tuple[Node, Entry | None, str | int | None]:
    """The last node on the way, the entry it is the value of (None for an item), and the first part not found."""
    node, entry = root, None
    for part in loc:
        if isinstance(part, str) and part.startswith("<"):
            continue
        if isinstance(node, Mapping) and (found := node.entry(str(part))) is not None:
            node, entry = found.value, found
        elif isinstance(node, Sequence) and isinstance(part, int) and 0 <= part < len(node.items):
            node, entry = node.items[part], None
        else:
            return node, entry, part
    return node, entry, None


def _mark(node: Node) -> Span:
    span = node.span
    if span.line == span.end_line or isinstance(node, Scalar | Sequence) or not node.entries:
        return narrow(span)
    first = node.entries[0].key_span
    # After a merge the first key may stand in another file than the mapping it was merged into.
    is_inside = first.file == span.file and span.line <= first.line <= span.end_line
    return narrow(first if is_inside else span)
