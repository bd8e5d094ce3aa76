"""How a finding of `validate` names what it is about: in the author's words, from the inside out.

A pydantic `loc` such as `("rubric", 2, "points")` becomes "`points` of gate `retries`".
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, TypeAlias

from labspec.source.nodes import Mapping, Node, Scalar, Sequence

Loc: TypeAlias = tuple[int | str, ...]

KEY_PART: Final = "[key]"
"""What pydantic puts behind a key of a dictionary when the key itself is wrong."""

MAX_SHOWN: Final = 40
"""How many characters of an author's text are quoted in a message."""

_NAMES_IN_LISTS: Final = ("id", "gate", "exit", "refuse", "title", "call", "file", "command", "text")

_SINGULAR: Final = {
    "table": "row",
    "fixtures": "fixture",
    "mistakes": "mistake",
    "rubric": "gate",
    "agenda": "agenda item",
    "exercises": "exercise",
    "steps": "step",
    "checks": "check",
    "budgets": "budget",
    "meters": "meter",
    "tools": "tool",
    "taxonomy": "reason",
    "submission": "submission item",
}
_NAMED_BY_KEY: Final = frozenset({"budgets", "meters", "tools", "taxonomy"})
"""The sections whose keys are the author's own names."""


def subject(root: Node, loc: Loc) -> str:
    """What `loc` is about; the empty text for the root."""
    words: list[str] = []
    node: Node | None = root
    section = ""
    for part in steps(loc):
        node = _child(node, part)
        if isinstance(part, int):
            words.append(f"{singular(section)} {_item_name(node, part)}")
        elif section in _NAMED_BY_KEY and words[-1] == quoted(section):
            words.append(f"{singular(section)} {quoted(part)}")
        else:
            section = part
            words.append(quoted(part))
    return _join(words)


def singular(section: str) -> str:
    """What one member of a section is called."""
    return _SINGULAR.get(section, "item")


def steps(loc: Loc) -> list[int | str]:
    """The parts of a loc that are keys and indices: without the tags of unions and pydantic's mark for keys."""
    return [part for part in loc if isinstance(part, int) or not (part.startswith("<") or part == KEY_PART)]


def node_at(root: Node, loc: Loc) -> Node | None:
    """The node at `loc`, or None."""
    node: Node | None = root
    for part in steps(loc):
        node = _child(node, part)
    return node


def what_stands_there(node: Node | None) -> str:
    """A value in words: "a list", "the text `half an hour`"."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if node is None:
        return "nothing"
    return _value_in_words(node.value)


def quoted(text: str) -> str:
    """A text of the author's in backticks, on one line and not too long."""
    shown = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
    return f"`{' '.join(shown.splitlines())}`"


def _value_in_words(value: str | float | bool | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    # How a fraction was written is not known any more: `1.10` is 1.1.
    return "a decimal number" if isinstance(value, float) else f"the number {value}"


def _child(node: Node | None, part: int | str) -> Node | None:
    if isinstance(node, Mapping) and isinstance(part, str):
        return node.get(part)
    if isinstance(node, Sequence) and isinstance(part, int):
        return node.items[part] if part < len(node.items) else None
    return None


def _item_name(node: Node | None, index: int) -> str:
    if isinstance(node, Mapping):
        for key in _NAMES_IN_LISTS:
            name = node.get(key)
            if isinstance(name, Scalar) and isinstance(name.value, str) and len(name.value) <= MAX_SHOWN:
                return quoted(name.value)
    return str(index + 1)


def _join(words: list[str]) -> str:
    """From the inside out, leaving out section names that an item's own word already says."""
    kept = [word for word, after in pairwise([*words, ""]) if not _names_section_of(word, after)]
    return " of ".join(reversed(kept))


def _names_section_of(word: str, following: str) -> bool:
    return word.startswith("`") and following.startswith(f"{singular(word.strip('`'))} ")
