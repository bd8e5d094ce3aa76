"""The syntax tree of a condition, and its form as plain JSON in a machine.

A condition is made by `parse`, checked by `check_types`, printed by `to_python`, `to_javascript` and `to_english`,
and turned into JSON by `to_json` for the machine, whose runner compiles it to closures.

`start` and `end` are offsets into the text of the condition. They say where a node was written and take no part
in equality: two conditions are equal when they ask the same thing in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Comparison: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Junction: TypeAlias = Literal["and", "or"]
Sign: TypeAlias = Literal["+", "-"]
Value: TypeAlias = int | str | bool

LARGEST_NUMBER = 10**12
"""No number in a condition is larger, so that sums stay exact in every language."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text or a truth value written in the condition."""

    value: Value
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def __eq__(self, other: object) -> bool:
        """The same value of the same type: `true` is not 1."""
        return isinstance(other, Constant) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Name:
    """A fact (`result.ok`), a meter (`failures`) or a budget (`budgets.turns`)."""

    name: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    operand: Expr
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Logic:
    """`and` / `or` over two or more operands, evaluated from the left until one decides."""

    operator: Junction
    operands: tuple[Expr, ...]
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """Two values of one type compared; an order is asked of numbers only."""

    operator: Comparison
    left: Expr
    right: Expr
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class In:
    """`value in [a, b]`, with `negated` for `not in`. The options are literals of one type."""

    value: Expr
    options: tuple[Constant, ...]
    negated: bool = False
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The sum or the difference of two numbers."""

    operator: Sign
    left: Expr
    right: Expr
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


Expr: TypeAlias = "Constant | Name | Not | Logic | Compare | In | Arithmetic"
