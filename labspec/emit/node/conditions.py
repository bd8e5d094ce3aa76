"""Conditions as documents: printed by `labspec.conditions`, with the places where the formatter breaks a long one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from labspec.conditions.javascript import to_javascript
from labspec.conditions.syntax import Compare, Comparison, Expr, In, Logic, Not
from labspec.conditions.tidy import tidy
from labspec.emit.node.encode import JavaScript
from labspec.emit.node.layout import LINE, SOFT, Doc, Group, Indent, listed, text

NameOf: TypeAlias = Callable[[str], JavaScript]
"""The JavaScript expression of a fact, a meter or a budget."""

_SIGNS: dict[Comparison, str] = {"==": " ===", "!=": " !==", "<": " <", "<=": " <=", ">": " >", ">=": " >="}


def expression(expr: Expr, name_of: NameOf) -> Doc:
    """A number, a text or a truth value as JavaScript, in a place where it needs no parentheses."""
    return _whole(tidy(expr), name_of)


def branch(condition: Expr, name_of: NameOf) -> Doc:
    """`if (CONDITION)`."""
    first, rest = _split(tidy(condition), name_of)
    return Group((text("if ("), Indent((SOFT, first, rest)), SOFT, text(")")))


def _whole(expr: Expr, name_of: NameOf) -> Doc:
    """The expression, the lines after its first indented."""
    first, rest = _split(expr, name_of)
    return Group((first, Indent(rest)))


def _split(expr: Expr, name_of: NameOf) -> tuple[Doc, Doc]:
    """The first operand, and the operators with the other operands."""
    match expr:
        case Logic(operator=operator, operands=operands):
            sign = text(" &&" if operator == "and" else " ||")
            first, *others = [_operand(each, name_of) for each in operands]
            return first, tuple((sign, LINE, each) for each in others)
        case Compare(operator=comparison, left=left, right=right):
            return _side(left, name_of), (text(_SIGNS[comparison]), LINE, _side(right, name_of))
        case In():
            return _member(expr, name_of), ()
        case Not(operand=Logic() as operand):
            return Group((text("!("), Indent((SOFT, *_split(operand, name_of))), SOFT, text(")"))), ()
    return _flat(expr, name_of), ()


def _operand(expr: Expr, name_of: NameOf) -> Doc:
    """An operand of `&&` or `||`."""
    whole = _whole(expr, name_of)
    return (text("("), whole, text(")")) if isinstance(expr, Logic) else whole


def _side(expr: Expr, name_of: NameOf) -> Doc:
    """A side of a comparison. An order binds more tightly than an equality, which is all that it can stand in."""
    whole = _whole(expr, name_of)
    loose = isinstance(expr, Logic) or (isinstance(expr, Compare) and expr.operator in ("==", "!="))
    return (text("("), whole, text(")")) if loose else whole


def _member(expr: In, name_of: NameOf) -> Doc:
    array = listed("[", [_flat(option, name_of) for option in expr.options], "]")
    argument = listed("(", [_whole(expr.value, name_of)], ")")
    return (text("!" if expr.negated else ""), array, text(".includes"), argument)


def _flat(expr: Expr, name_of: NameOf) -> JavaScript:
    return JavaScript(to_javascript(expr, name_of))
