"""Where an item can be added to a list of a spec by adding lines only, and the text with those lines in it.

Everything else in the file stays as it is, byte for byte: comments, layout, line ends, a byte order mark. Used by
`labspec check --fix`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.source.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from labspec.source.nodes import Node

_KEEPS_BLANK_LINES: Final = re.compile(r"[|>][1-9]?\+")


class InsertError(Exception):
    """Lines alone can't add the item; the sentence says why, and what the author can do."""


class Gap(NamedTuple):
    """A place between two lines.

    `after` is how many lines stand before it; `indent` is how many columns stand before the dashes; `opens` is the key
    whose list begins here, because it is not in the file yet. `spaced` says whether a blank line stands between items,
    and `apart` whether one can stand before the first new one: some texts would take it for a part of theirs.
    """

    after: int
    indent: int
    opens: str | None
    spaced: bool
    apart: bool


def find_gap(text: str, root: Mapping, key: str) -> Gap:
    """Where the next item of the list under `key` belongs; a list that is not there yet begins at the end of the file.

    Args:
        text: the text of the file, with line ends normalised.
        root: what `parse` made of it.
        key: a key of the root.

    Raises InsertError if added lines can't do it.

    """
    lines = text.split("\n")
    if not root.entries or _written(lines, root).startswith("{"):
        raise InsertError("the whole spec stands in braces; write one key to a line first")
    value = root.get(key)
    if value is None:
        margin, last = root.entries[0].key_span.column - 1, root.entries[-1].value
        apart = not _keeps_blank_lines(lines, last)
        return Gap(_end_of(lines, last, margin), margin + 2, key, spaced=True, apart=apart)
    if not isinstance(value, Sequence) or not _written(lines, value).startswith("-"):
        raise InsertError(f"`{key}` stands in brackets; write it as lines that begin with `- ` first")
    indent, last = value.span.column - 1, value.items[-1]
    spaced = _are_spaced(lines, value)
    apart = spaced and not _keeps_blank_lines(lines, last)
    return Gap(_end_of(lines, last, indent), indent, None, spaced, apart)


def insert(data: bytes, gap: Gap, item: str) -> bytes:
    """The content of the file with the lines of `item` in the gap, ended like those around them.

    A file whose last line has no end stays such a file.
    """
    lines = _lines(data.decode("utf-8"))
    before, behind = lines[: gap.after], lines[gap.after :]
    end = next(("\r\n" if line.endswith("\r\n") else "\n" for line in reversed(before) if line.endswith("\n")), "\n")
    opening = f"{' ' * (gap.indent - 2)}{gap.opens}:\n" if gap.opens else ""
    blank = "\n" if gap.apart and before[-1].strip() else ""
    added = f"{blank}{opening}{item}".replace("\n", end)
    if not before[-1].endswith("\n"):
        added = end + added.removesuffix(end)
    return "".join([*before, added, *behind]).encode("utf-8")


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends. Only LF ends a line: a spec has CR only before it."""
    whole, _, rest = text.rpartition("\n")
    lines = [f"{line}\n" for line in whole.split("\n")] if whole or text.startswith("\n") else []
    return [*lines, rest] if rest else lines


def _written(lines: list[str], node: Node) -> str:
    """The line of a node from where it begins."""
    return lines[node.span.line - 1][node.span.column - 1 :]


def _end_of(lines: list[str], node: Node, indent: int) -> int:
    """How many lines stand before the end of a node, with the comments that belong to it.

    Those are indented deeper than `indent`. What stands after a blank line or further to the left belongs to what
    comes next.
    """
    end = node.span.end_line
    if _keeps_blank_lines(lines, node):
        while end < len(lines) - 1 and not lines[end].strip():
            end += 1
    while end < len(lines) and _is_comment_behind(lines[end], indent):
        end += 1
    return end


def _is_comment_behind(line: str, indent: int) -> bool:
    bare = line.lstrip(" ")
    return bare.startswith("#") and len(line) - len(bare) > indent


def _keeps_blank_lines(lines: list[str], node: Node) -> bool:
    """Whether a node ends in a block that keeps the blank lines after it."""
    while not isinstance(node, Scalar):
        below = [entry.value for entry in node.entries] if isinstance(node, Mapping) else list(node.items)
        if not below or _written(lines, node).startswith(("{", "[")):
            return False
        node = below[-1]
    return _KEEPS_BLANK_LINES.match(_written(lines, node)) is not None


def _are_spaced(lines: list[str], items: Sequence) -> bool:
    """Whether blank lines stand between items: before most of them, or if there is only one."""
    blank = [
        any(not line.strip() for line in lines[one.span.end_line : other.span.line - 1])
        for one, other in pairwise(items.items)
    ]
    return 2 * sum(blank) >= len(blank)
