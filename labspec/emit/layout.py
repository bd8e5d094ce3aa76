"""Lays out generated Python, JSON and prose in lines of at most `WIDTH` columns, Python as `ruff format` would.

`plan` calls it for everything whose length depends on the author; what is always short stands in the templates.
"""

from __future__ import annotations

import ast
import textwrap
from typing import TYPE_CHECKING, Any

from labspec.emit.encode import Python, json_text, python_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 88
"""The line length of what comes out, in columns."""

INDENT = 4

JSON_INDENT = 2

JSON_WIDTH = 120
"""The line length of JSON: a step of a plan should be one line."""


def block(lines: Iterable[Python]) -> Python:
    """Lines as one piece of source."""
    return Python.joined("\n", lines)


def indented(lines: Iterable[Python], columns: int) -> list[Python]:
    """The lines, each moved to the right by so many columns; empty ones stay empty."""
    margin = Python(" " * columns)
    return [Python.of("{}{}", margin, line) if line else line for line in lines]


# --- prose ---


def comment(text: Sequence[Python], indent: int = 0) -> list[Python]:
    """Words as comment lines for a place that is `indent` columns in; the lines themselves are not indented."""
    return [Python.of("# {}", line) for line in _filled(text, WIDTH - indent - 2)]


def docstring(words: Sequence[Python], indent: int = 0) -> Python:
    """A docstring made of words, ready to stand after `indent` columns."""
    margin = Python(" " * indent)
    whole = Python.of('"""{}"""', Python.joined(" ", words))
    lines = _filled(words, WIDTH - indent - 3)
    if indent + len(whole) <= WIDTH or len(lines) == 1:
        return whole
    return Python.joined("\n", [Python.of('"""{}', lines[0]), *indented([*lines[1:], Python('"""')], len(margin))])


def _filled(words: Sequence[Python], width: int) -> list[Python]:
    """Words in lines of at most `width` columns; a longer word has a line for itself."""
    wrapped = textwrap.wrap(
        " ".join(words), width, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    )
    return [Python(line) for line in wrapped]


# --- values ---


def value(data: Any, before: int = 0, after: int = 0, indent: int = 0) -> Python:
    """A Python literal that starts after `before` columns and is followed by `after` more on its last line.

    `indent` is the indentation of the line it starts on.
    """
    flat = python_value(data)
    if before + len(flat) + after <= WIDTH or not isinstance(data, list | tuple | dict) or not data:
        return flat
    margin = " " * (indent + INDENT)
    lines = [Python.of("{}{},", Python(margin), item) for item in _items(data, len(margin))]
    opening, closing = {tuple: ("(", ")"), list: ("[", "]"), dict: ("{", "}")}[type(data)]
    return Python("\n".join([opening, *lines, " " * indent + closing]))


def _items(data: list[Any] | tuple[Any, ...] | dict[Any, Any], indent: int) -> Iterable[Python]:
    if isinstance(data, dict):
        for key, item in data.items():
            name = Python.of("{}: ", python_value(key))
            yield Python.of("{}{}", name, value(item, indent + len(name), 1, indent))
    else:
        for item in data:
            yield value(item, indent, 1, indent)


def json_value(data: Any, before: int = 0, after: int = 0, indent: int = 0) -> str:
    """JSON, broken into lines where it is too long for one; the arguments are those of `value`."""
    flat = json_text(data)
    if before + len(flat) + after <= JSON_WIDTH or not isinstance(data, list | dict) or not data:
        return flat
    return _broken_json(data, indent)


def _broken_json(data: list[Any] | dict[str, Any], indent: int) -> str:
    if isinstance(data, dict):
        return printed_object(printed_items(data, indent), indent)
    inner = indent + JSON_INDENT
    body = ",\n".join(" " * inner + json_value(item, inner, 1, inner) for item in data)
    return f"[\n{body}\n{' ' * indent}]"


def printed_items(data: dict[str, Any], indent: int = 0) -> dict[str, str]:
    """The items of a JSON object, each as it is printed on lines of its own: `"KEY": VALUE`."""
    inner = indent + JSON_INDENT
    names = {key: json_text(key) + ": " for key in data}
    return {key: name + json_value(data[key], inner + len(name), 1, inner) for key, name in names.items()}


def printed_object(items: dict[str, str], indent: int = 0) -> str:
    """A JSON object of printed items, for a place that is `indent` columns in."""
    margin = " " * (indent + JSON_INDENT)
    body = ",\n".join(margin + item for item in items.values())
    return f"{{\n{body}\n{' ' * indent}}}"


def json_file(data: dict[str, Any]) -> str:
    """A whole JSON file: one line for each key, and lists of mappings one item to a line."""
    return file_of_items(printed_items(data))


def file_of_items(items: dict[str, str]) -> str:
    """A whole JSON file with these printed items."""
    return printed_object(items) + "\n"


def call(head: Python, arguments: Sequence[Python], indent: int, after: int = 0) -> list[Python]:
    """`HEAD(ARGUMENTS)` for a place that is `indent` columns in and followed by `after` more columns.

    The lines themselves are not indented.
    """
    inner = Python.joined(", ", arguments)
    flat = Python.of("{}({})", head, inner)
    if indent + len(flat) + after <= WIDTH:
        return [flat]
    whole = indent + INDENT + len(inner) <= WIDTH
    lines = [inner] if whole else [Python.of("{},", argument) for argument in arguments]
    return [Python.of("{}(", head), *indented(lines, INDENT), Python(")")]


# --- conditions ---


def statement(line: Python, indent: int) -> Python:
    """A statement for a place that is `indent` columns in; the formatter is told to leave one that is too long."""
    return line if indent + len(line) <= WIDTH else Python.of("{}  # fmt: skip", line)


def branch_line(keyword: str, condition: Python, indent: int) -> list[Python]:
    """`if CONDITION:` (or `elif`) for a place that is `indent` columns in; the lines themselves are not indented.

    A long condition is broken before its `and`s, or its `or`s. One where that is not enough stays on one line.
    """
    head = Python(keyword)
    flat = Python.of("{} {}:", head, condition)
    if indent + len(flat) <= WIDTH:
        return [flat]
    parts = _operands(condition)
    if len(parts) == 1 or any(indent + INDENT + len(part) > WIDTH for part in parts):
        return [statement(flat, indent)]
    return [Python.of("{} (", head), *indented(parts, INDENT), Python("):")]


def _operands(source: Python) -> list[Python]:
    """The operands of an `and` or `or`, each led by the operator.

    It is the whole where operators mix without parentheses, which the formatter breaks in ways of its own.
    """
    tree = ast.parse(source, mode="eval").body
    if not isinstance(tree, ast.BoolOp):
        return [source]
    is_and = isinstance(tree.op, ast.And)
    if not is_and and any(isinstance(part, ast.BoolOp) for part in tree.values):
        return [source]
    texts = [_operand(source, part) for part in tree.values]
    lead = Python("and" if is_and else "or")
    return [texts[0], *(Python.of("{} {}", lead, text) for text in texts[1:])]


def _operand(source: Python, tree: ast.expr) -> Python:
    text = Python(ast.get_source_segment(source, tree) or "")
    return Python.of("({})", text) if isinstance(tree, ast.BoolOp) else text


# --- tests ---


def signature(name: Python, parameter: Python) -> Python:
    """The first line, or lines, of a test function with one parameter."""
    flat = Python.of("def {}({}) -> None:", name, parameter)
    return flat if len(flat) <= WIDTH else Python.of("def {}(\n    {},\n) -> None:", name, parameter)


def assertion(left: Python, operator: str, right: Python) -> Python:
    """`assert LEFT OPERATOR RIGHT` for the body of a function; `right` may have several lines."""
    word = Python(operator)
    flat = Python.of("assert {} {} {}", left, word, right)
    if INDENT + len(flat) <= WIDTH or "\n" in right:
        return flat
    return Python.of("assert (\n        {}\n        {} {}\n    )", left, word, right)
