"""A condition rewritten the way a person would write it, without changing what it says.

The printers for people and for student code use it, so that `not (call.name in ["a"])` comes out as
`call.name not in ["a"]` and `result.ok == true` as `result.ok`. `to_source` does not: it prints what was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions.syntax import Arithmetic, Compare, Comparison, Constant, Expr, In, Logic, Not

if TYPE_CHECKING:
    from collections.abc import Mapping

_OPPOSITE: Mapping[Comparison, Comparison] = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED: Mapping[Comparison, Comparison] = {"==": "==", "!=": "!=", "<": ">", ">=": "<=", ">": "<", "<=": ">="}


def tidy(expr: Expr) -> Expr:
    """An equivalent of a well-typed condition, of a plainer form.

    In it are no negated comparison or membership, no comparison with a truth value, no literal on the left of
    anything else, no single or repeated option, no `and` directly inside `and`, no `or` directly inside `or`.
    """
    match expr:
        case Not(operand=operand):
            return _negated(tidy(operand))
        case Logic():
            return _flat(expr)
        case Compare(operator=operator, left=left, right=right):
            return _compared(operator, tidy(left), tidy(right))
        case In():
            return _membership(expr)
        case Arithmetic(operator=operator, left=left, right=right):
            return Arithmetic(operator, tidy(left), tidy(right))
        case _:
            return expr


def _negated(expr: Expr) -> Expr:
    match expr:
        case Not(operand=operand):
            return operand
        case Compare(operator=operator, left=left, right=right):
            return Compare(_OPPOSITE[operator], left, right)
        case In(value=value, options=options, negated=negated):
            return In(value, options, not negated)
        case Constant(value=bool(value)):
            return Constant(not value)
        case _:
            return Not(expr)


def _flat(logic: Logic) -> Logic:
    operands: list[Expr] = []
    for operand in map(tidy, logic.operands):
        same = isinstance(operand, Logic) and operand.operator == logic.operator
        operands.extend(operand.operands if isinstance(operand, Logic) and same else [operand])
    return Logic(logic.operator, tuple(operands))


def _compared(operator: Comparison, left: Expr, right: Expr) -> Expr:
    if isinstance(left, Constant) and not isinstance(right, Constant):
        left, right, operator = right, left, _MIRRORED[operator]
    if isinstance(right, Constant) and isinstance(right.value, bool):
        return left if right.value == (operator == "==") else _negated(left)
    return Compare(operator, left, right)


def _membership(membership: In) -> Expr:
    value = tidy(membership.value)
    first, *others = dict.fromkeys(membership.options)
    if others:
        return In(value, (first, *others), membership.negated)
    return _compared("!=" if membership.negated else "==", value, first)
