"""Writes plain values as YAML that every reader understands in one way, ours included.

Text is plain only where it is made of the letters of names and paths; all other text is quoted, and a text of several
lines is a block where it reads back exactly. What the language of specs cannot hold is an error, not another value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from labspec.diagnostics import Report
from labspec.source import plain
from labspec.source.parse import parse
from labspec.source.scalars import MAX_DIGITS, resolve

WIDTH: Final = 110
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_SHORT: Final = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


class YamlError(ValueError):
    """A value that a spec cannot hold; the sentence says which."""


def list_item(value: dict[str, Any], indent: int = 2) -> str:
    """A mapping as an item of a list, `indent` columns in, ready to paste. Raises YamlError."""
    lines = _block(value, indent + 2)
    text = f"{' ' * indent}- {next(lines)[indent + 2 :]}\n" + "".join(f"{line}\n" for line in lines)
    report = Report()
    root = parse(f"list:\n{text}", "item", report)
    if root is None or json.dumps(plain(root)) != json.dumps({"list": [value]}):
        faults = "; ".join(diagnostic.message for diagnostic in report.diagnostics)
        raise YamlError(f"the run holds something that a spec cannot hold: {faults or 'it reads back differently'}")
    return text


def _block(value: dict[str, Any] | list[Any], indent: int) -> Iterator[str]:
    """The lines of a collection that is not empty, one item after the other."""
    margin = " " * indent
    if isinstance(value, list):
        for item in value:
            yield from _item(item, f"{margin}-", indent + 2)
    else:
        for key, item in value.items():
            yield from _entry(item, f"{margin}{_text(key)}:", indent + 2)


def _item(value: Any, head: str, indent: int) -> Iterator[str]:
    if _fits(value, head) or not isinstance(value, dict):
        yield from _entry(value, head, indent)
    else:
        lines = _block(value, indent)
        yield f"{head} {next(lines)[indent:]}"
        yield from lines


def _entry(value: Any, head: str, indent: int) -> Iterator[str]:
    if isinstance(value, str) and _is_block(value):
        yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
        yield from ((" " * indent + line) if line else "" for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, dict | list) and not _fits(value, head):
        yield head
        yield from _block(value, indent)
    else:
        yield f"{head} {_flow(value)}"


def _fits(value: Any, head: str) -> bool:
    """Whether a value stands on the line of its key: it is short, and none of its texts is better off as a block."""
    if isinstance(value, dict | list) and value:
        # Steps stand one below the other, as people write them.
        steps = isinstance(value, list) and any(isinstance(item, dict) for item in value)
        return not steps and not _holds_block(value) and len(head) + len(_flow(value)) < WIDTH
    return True


def _holds_block(value: Any) -> bool:
    if isinstance(value, str):
        return _is_block(value)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_holds_block, items))


def _is_block(text: str) -> bool:
    """Whether a text reads back exactly from a block: several lines, nothing invisible but the ends of its lines."""
    lines = text.removesuffix("\n").split("\n")
    seen = all(line.isprintable() and line == line.rstrip() for line in lines)
    return text.count("\n") > 0 and seen and bool(lines[0]) and bool(lines[-1]) and not lines[0].startswith(" ")


def _flow(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case str():
            return _text(value)
        case None | bool():
            return json.dumps(value)
        case int() | float():
            return _number(value)
        case _:
            raise YamlError(f"a spec cannot hold a {type(value).__name__}")


def _number(value: int | float) -> str:
    text = repr(value)
    if len(re.sub(r"[-.]", "", text)) > MAX_DIGITS or (isinstance(value, float) and not _DECIMAL.fullmatch(text)):
        raise YamlError(f"a spec cannot hold the number {text[:40]}")
    return text


def _text(text: str) -> str:
    if _NAME.fullmatch(text) and resolve(text) == text and isinstance(resolve(text), str):
        return text
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    point = ord(character)
    if point < 0x100:
        return f"\\x{point:02X}"
    return f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"
