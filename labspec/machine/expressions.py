"""Conditions compiled to closures: the JSON form of a condition in, a function of the facts out.

The runner compiles every condition of a machine once and asks it at every turn; the explorer asks it at every state.
So operators are looked up while compiling, and the shapes that nearly every row has (`failures > budgets.retries`,
`failures == 0`) get a closure without inner calls. Standard library only: this code runs next to a `machine.json`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

Facts = Mapping[str, Any]
Closure = Callable[[Facts], Any]

_MAX_DEPTH = 64
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
}


def compile_expression(data: object, depth: int = 0) -> Closure:
    """The condition `data` (nested lists such as `["==", ["name", "failures"], ["value", 0]]`) as a function.

    The function takes the facts by name (`result.ok`, `failures`, `budgets.retries`) and returns what the condition
    says; a name that is missing there is a KeyError. Raises ValueError with a sentence if `data` is malformed.
    """
    if not isinstance(data, list) or not data or not isinstance(data[0], str):
        raise ValueError(f"an expression is a list that begins with an operator, not {_shown(data)}")
    if depth > _MAX_DEPTH:
        raise ValueError("an expression is nested too deeply")
    kind, *arguments = data
    if kind == "name":
        return operator.itemgetter(_name(arguments))
    if kind == "value":
        return _always(_value(arguments))
    if kind in ("in", "not in"):
        return _compile_membership(kind, arguments, depth)
    return _compile_operation(kind, arguments, [compile_expression(argument, depth + 1) for argument in arguments])


def _always(value: object) -> Closure:
    return lambda _: value


def _compile_membership(kind: str, arguments: list[Any], depth: int) -> Closure:
    if len(arguments) != 2 or not isinstance(arguments[1], list):
        raise ValueError(f"`{kind}` takes a value and a list of options, not {_shown(arguments)}")
    value = compile_expression(arguments[0], depth + 1)
    options = frozenset(_value([option]) for option in arguments[1])
    if kind == "in":
        return lambda facts: value(facts) in options
    return lambda facts: value(facts) not in options


def _compile_operation(kind: str, arguments: list[Any], operands: list[Closure]) -> Closure:
    if kind in ("and", "or") and len(operands) >= 2:
        return _until(kind == "or", operands)
    if kind == "not" and len(operands) == 1:
        (operand,) = operands
        return lambda facts: not operand(facts)
    if kind in _BINARY and len(operands) == 2:
        return _applied(_BINARY[kind], arguments, operands)
    raise ValueError(f"an expression has no operator {_shown(kind)} with {len(operands)} operands")


def _until(decisive: bool, operands: list[Closure]) -> Closure:
    """Asks from the left until an operand is `decisive`: true for `or`, false for `and`."""
    if len(operands) == 2:
        first, second = operands
        if decisive:
            return lambda facts: first(facts) or second(facts)
        return lambda facts: first(facts) and second(facts)

    def decide(facts: Facts) -> bool:
        for operand in operands:
            if bool(operand(facts)) == decisive:
                return decisive
        return not decisive

    return decide


def _applied(apply: Callable[[Any, Any], Any], arguments: list[Any], operands: list[Closure]) -> Closure:
    """`apply` to both operands; names and values are read in place instead of through their closures."""
    (left_kind, left), (right_kind, right) = (argument[:2] for argument in arguments)
    if left_kind == "name" and right_kind == "name":
        return lambda facts: apply(facts[left], facts[right])
    if left_kind == "name" and right_kind == "value":
        return lambda facts: apply(facts[left], right)
    first, second = operands
    return lambda facts: apply(first(facts), second(facts))


def _name(arguments: list[Any]) -> str:
    if len(arguments) == 1 and isinstance(arguments[0], str) and arguments[0]:
        return arguments[0]
    raise ValueError(f"`name` takes the name of a fact, not {_shown(arguments)}")


def _value(arguments: list[Any]) -> int | str | bool:
    if len(arguments) == 1 and isinstance(arguments[0], (int, str)):
        return arguments[0]
    raise ValueError(f"a value is a whole number, a text, true or false, not {_shown(arguments)}")


def _shown(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:60]}..."
