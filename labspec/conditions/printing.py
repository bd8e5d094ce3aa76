"""What the printers for source, Python and JavaScript share: where parentheses are needed.

A language is a `Style`: its words, and how tightly they bind. Comparisons never stand bare inside comparisons, which
Python would read as a chain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from labspec.conditions.syntax import (
    Arithmetic,
    Compare,
    Comparison,
    Constant,
    Expr,
    In,
    Junction,
    Logic,
    Name,
    Not,
    Value,
)

NameOf: TypeAlias = Callable[[str], str]
"""What stands in the printed code for a fact, meter or budget: an expression that needs no parentheses anywhere,
such as a variable, `facts["result.ok"]`, or something already in parentheses."""


class Binding(IntEnum):
    """How tightly an operator holds its operands, loosest first."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    PREFIX = 6
    ATOM = 7


class Printed(NamedTuple):
    """Finished code, and how tightly its outermost operator binds."""

    text: str
    binding: Binding = Binding.ATOM

    def within(self, binding: Binding) -> str:
        """The code as it stands where at least `binding` is needed."""
        return self.text if self.binding >= binding else f"({self.text})"


class Style(NamedTuple):
    """The words of a language. `member` prints `value in options` from the printed value and the printed options.

    `inside_or` is how tightly the operands of an `or` have to bind: where people put an `and` inside an `or` into
    parentheses that it does not need, it is more than `AND`.
    """

    junctions: Mapping[Junction, str]
    comparisons: Mapping[Comparison, str]
    negation: str
    negation_binding: Binding
    literal: Callable[[Value], str]
    member: Callable[[Printed, list[str], bool], Printed]
    inside_or: Binding = Binding.AND


def print_expr(expr: Expr, style: Style, name_of: NameOf) -> Printed:
    """The code of `expr` in a language, with the parentheses it needs and no others."""
    match expr:
        case Constant(value=value):
            return Printed(style.literal(value))
        case Name(name=name):
            return Printed(name_of(name))
        case Not(operand=operand):
            inner = print_expr(operand, style, name_of).within(style.negation_binding)
            return Printed(f"{style.negation}{inner}", style.negation_binding)
        case Logic():
            return _logic(expr, style, name_of)
        case Compare(operator=operator, left=left, right=right):
            sides = [print_expr(side, style, name_of).within(Binding.SUM) for side in (left, right)]
            return Printed(f" {style.comparisons[operator]} ".join(sides), Binding.COMPARISON)
        case In(value=value, options=options, negated=negated):
            texts = [style.literal(option.value) for option in options]
            return style.member(print_expr(value, style, name_of), texts, negated)
        case Arithmetic():
            return _arithmetic(expr, style, name_of)


def _logic(expr: Logic, style: Style, name_of: NameOf) -> Printed:
    own, inside = (Binding.OR, style.inside_or) if expr.operator == "or" else (Binding.AND, Binding.NOT)
    operands = [print_expr(operand, style, name_of).within(inside) for operand in expr.operands]
    return Printed(f" {style.junctions[expr.operator]} ".join(operands), own)


def _arithmetic(expr: Arithmetic, style: Style, name_of: NameOf) -> Printed:
    left = print_expr(expr.left, style, name_of).within(Binding.SUM)
    right = print_expr(expr.right, style, name_of).within(Binding.PREFIX)
    return Printed(f"{left} {expr.operator} {right}", Binding.SUM)
