"""A condition printed as a Python expression, for the loop a student reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from labspec.conditions.printing import Binding, NameOf, Printed, Style, print_expr
from labspec.conditions.tidy import tidy

if TYPE_CHECKING:
    from labspec.conditions.syntax import Expr, Value


def to_python(expr: Expr, name_of: NameOf) -> str:
    """A Python expression, on one line and in plain ASCII, that says what the condition says.

    `name_of` gives the Python for a name such as `result.ok`; what it returns must need no parentheses.
    Quotes and spaces are those of the usual formatter; no line is broken.
    """
    return print_expr(tidy(expr), _PYTHON, name_of).text


def python_text(value: str) -> str:
    """A Python literal for `value`: plain ASCII, double quotes unless single ones need fewer escapes."""
    plain = value.isascii() and value.isprintable() and "\\" not in value
    # `ascii` chooses the quotes around a quote and escapes everything else.
    escaped = value if plain else _NO_QUOTES.sub(lambda part: ascii(part.group())[1:-1], value)
    if value.count('"') > value.count("'"):
        return "'" + escaped.replace("'", "\\'") + "'"
    return '"' + escaped.replace('"', '\\"') + '"'


_NO_QUOTES = re.compile(r"""[^'"]+""")


def _literal(value: Value) -> str:
    return python_text(value) if isinstance(value, str) else repr(value)


def _member(value: Printed, options: list[str], negated: bool) -> Printed:
    # A tuple of one option would need a comma at its end; `tidy` leaves none.
    word = "not in" if negated else "in"
    return Printed(f"{value.within(Binding.SUM)} {word} ({', '.join(options)})", Binding.COMPARISON)


_PYTHON = Style(
    junctions={"and": "and", "or": "or"},
    comparisons={"==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
    negation="not ",
    negation_binding=Binding.NOT,
    literal=_literal,
    member=_member,
)
