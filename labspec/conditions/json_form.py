"""A condition as plain JSON data, the form in which a machine carries it.

["and", a, b, ...]  ["or", a, b, ...]  ["not", a]  ["==", a, b] and the other comparisons  ["+", a, b]  ["-", a, b]
["in", a, [1, 2]]   ["not in", a, [1, 2]]          ["name", "result.ok"]                   ["value", 5]
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from labspec.conditions.parse import COMPARISONS, MAX_DEPTH
from labspec.conditions.syntax import (
    LARGEST_NUMBER,
    Arithmetic,
    Compare,
    Comparison,
    Constant,
    Expr,
    In,
    Logic,
    Name,
    Not,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ExprData: TypeAlias = list[Any]
"""The JSON form of a condition: an operator, then its operands in the same form."""


def to_json(expr: Expr) -> ExprData:
    """The JSON form of `expr`, without its offsets."""
    match expr:
        case Constant(value=value):
            return ["value", value]
        case Name(name=name):
            return ["name", name]
        case Not(operand=operand):
            return ["not", to_json(operand)]
        case Logic(operator=operator, operands=operands):
            return [operator, *map(to_json, operands)]
        case Compare(operator=operator, left=left, right=right):
            return [operator, to_json(left), to_json(right)]
        case In(value=value, options=options, negated=negated):
            return ["not in" if negated else "in", to_json(value), [option.value for option in options]]
        case Arithmetic(operator=operator, left=left, right=right):
            return [operator, to_json(left), to_json(right)]


def from_json(data: object) -> Expr:
    """The tree of which `data` is the JSON form. Raises ValueError if it is none."""
    return _read(data, 1)


def _read(data: object, depth: int) -> Expr:
    if not isinstance(data, list) or not data or not isinstance(data[0], str):
        raise ValueError("a condition in JSON is a list that begins with an operator")
    if depth > MAX_DEPTH:
        raise ValueError("the condition is nested too deeply")
    operator, *operands = data
    if operator in ("value", "name"):
        return _leaf(operator, operands)
    if operator in ("in", "not in"):
        return _membership(operator, operands, depth)
    return _operation(operator, [_read(operand, depth + 1) for operand in operands])


def _leaf(operator: str, operands: list[Any]) -> Expr:
    if operator == "value":
        return _constant(*_exactly(1, operator, operands))
    (name,) = _exactly(1, operator, operands)
    if not isinstance(name, str) or not name:
        raise ValueError("a name in a condition is a text")
    return Name(name)


def _constant(value: object) -> Constant:
    if isinstance(value, (bool, str)) or (isinstance(value, int) and 0 <= value <= LARGEST_NUMBER):
        return Constant(value)
    raise ValueError(f"a literal in a condition is a text, true, false, or a whole number up to {LARGEST_NUMBER}")


def _membership(operator: str, operands: list[Any], depth: int) -> In:
    value, options = _exactly(2, operator, operands)
    if not isinstance(options, list) or not options:
        raise ValueError(f"`{operator}` in a condition takes a list of at least one option")
    return In(_read(value, depth + 1), tuple(map(_constant, options)), operator == "not in")


def _operation(operator: str, operands: list[Expr]) -> Expr:
    if operator in ("and", "or") and len(operands) >= 2:
        return Logic("and" if operator == "and" else "or", tuple(operands))
    if operator == "not" and len(operands) == 1:
        return Not(operands[0])
    if operator in _BINARY and len(operands) == 2:
        return _BINARY[operator](*operands)
    raise ValueError(f"a condition has no operator `{operator}` with {len(operands)} operands")


_BINARY: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    **{operator: partial(Compare, cast("Comparison", operator)) for operator in COMPARISONS},
    **{operator: partial(Arithmetic, operator) for operator in ("+", "-")},
}


def _exactly(count: int, operator: str, operands: list[Any]) -> list[Any]:
    if len(operands) != count:
        raise ValueError(f"`{operator}` in a condition takes {count} operands, not {len(operands)}")
    return operands
