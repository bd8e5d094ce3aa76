"""The syntax tree of a condition, and its form as plain JSON in a machine.

A condition is made by `parse`, checked by `check_types`, printed by `to_python`, `to_javascript` and `to_english`,
and turned into JSON by `to_json` for the machine, whose runner compiles it to closures.

`start` and `end` are offsets into the text of the condition. They say where a node was written and take no part
in equality: two conditions are equal when they ask the same thing in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Comparison: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Junction: TypeAlias = Literal["and", "or"]
Sign: TypeAlias = Literal["+", "-"]
Value: TypeAlias = int | str | bool

LARGEST_NUMBER = 10**12
"""No number in a condition is larger, so that sums stay exact in every language."""


class Node:
    """What all nodes share: equality without offsets. Written once, because a generated one for every class would
    take longer to generate than a spec to read.
    """

    __match_args__: tuple[str, ...]

    def asks(self) -> tuple[object, ...]:
        """All of the node but where it stands."""
        return tuple(getattr(self, name) for name in self.__match_args__ if name not in ("start", "end"))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Node) and self.asks() == other.asks()

    def __hash__(self) -> int:
        return hash((type(self), self.asks()))


@dataclass(frozen=True, eq=False)
class Constant(Node):
    """A number, a text or a truth value written in the condition."""

    value: Value
    start: int = 0
    end: int = 0

    def asks(self) -> tuple[object, ...]:
        """The value and its type: `true` is not 1."""
        return (type(self.value), self.value)


@dataclass(frozen=True, eq=False)
class Name(Node):
    """A fact (`result.ok`), a meter (`failures`) or a budget (`budgets.turns`)."""

    name: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, eq=False)
class Not(Node):
    """The opposite of a condition."""

    operand: Expr
    start: int = 0
    end: int = 0


@dataclass(frozen=True, eq=False)
class Logic(Node):
    """`and` / `or` over two or more operands, evaluated from the left until one decides."""

    operator: Junction
    operands: tuple[Expr, ...]
    start: int = 0
    end: int = 0


@dataclass(frozen=True, eq=False)
class Compare(Node):
    """Two values of one type compared; an order is asked of numbers only."""

    operator: Comparison
    left: Expr
    right: Expr
    start: int = 0
    end: int = 0


@dataclass(frozen=True, eq=False)
class In(Node):
    """`value in [a, b]`, with `negated` for `not in`. The options are literals of one type."""

    value: Expr
    options: tuple[Constant, ...]
    negated: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, eq=False)
class Arithmetic(Node):
    """The sum or the difference of two numbers."""

    operator: Sign
    left: Expr
    right: Expr
    start: int = 0
    end: int = 0


Expr: TypeAlias = "Constant | Name | Not | Logic | Compare | In | Arithmetic"
