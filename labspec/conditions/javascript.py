"""A condition printed as a JavaScript expression."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from labspec.conditions.printing import Binding, NameOf, Printed, Style, print_expr
from labspec.conditions.tidy import tidy

if TYPE_CHECKING:
    from labspec.conditions.syntax import Expr, Value


def to_javascript(expr: Expr, name_of: NameOf) -> str:
    """A JavaScript expression, on one line and in plain ASCII, that says what the condition says.

    `name_of` gives the JavaScript for a name such as `result.ok`; what it returns must need no parentheses.
    Quotes and parentheses are those of the usual formatter; no line is broken.
    """
    return print_expr(tidy(expr), _JAVASCRIPT, name_of).text


def javascript_text(value: str) -> str:
    """A JavaScript literal for `value`: plain ASCII, double quotes unless single ones need fewer escapes."""
    escaped = json.dumps(value)[1:-1]
    if value.count('"') > value.count("'"):
        return "'" + escaped.replace('\\"', '"').replace("'", "\\'") + "'"
    return f'"{escaped}"'


def _literal(value: Value) -> str:
    return javascript_text(value) if isinstance(value, str) else json.dumps(value)


def _member(value: Printed, options: list[str], negated: bool) -> Printed:
    text = f"[{', '.join(options)}].includes({value.text})"
    return Printed(f"!{text}", Binding.PREFIX) if negated else Printed(text)


_JAVASCRIPT = Style(
    junctions={"and": "&&", "or": "||"},
    comparisons={"==": "===", "!=": "!==", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
    negation="!",
    negation_binding=Binding.PREFIX,
    literal=_literal,
    member=_member,
    inside_or=Binding.NOT,
)
