"""A condition printed as a condition: canonical spacing, double quotes, no needless parentheses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions.printing import Binding, Printed, Style, print_expr

if TYPE_CHECKING:
    from labspec.conditions.syntax import Expr, Value


def to_source(expr: Expr) -> str:
    """The text of a condition whose tree is `expr`: `parse(to_source(expr)) == expr`."""
    return print_expr(expr, _SOURCE, str).text


def literal_source(value: Value) -> str:
    """A number, a text or a truth value as it is written in a condition."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _member(value: Printed, options: list[str], negated: bool) -> Printed:
    word = "not in" if negated else "in"
    return Printed(f"{value.within(Binding.SUM)} {word} [{', '.join(options)}]", Binding.COMPARISON)


_SOURCE = Style(
    junctions={"and": "and", "or": "or"},
    comparisons={"==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
    negation="not ",
    negation_binding=Binding.NOT,
    literal=literal_source,
    member=_member,
)
