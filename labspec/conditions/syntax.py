"""The syntax tree of a condition, and its form as plain JSON in a machine.

A condition is made by `parse`, checked by `check_types`, printed by `to_python`, `to_javascript` and `to_english`,
and turned into JSON by `to_json` for the machine, whose runner compiles it to closures.

`start` and `end` are offsets into the text of the condition. They say where a node was written and take no part
in equality: two conditions are equal when they ask the same thing in the same way.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, cast

Comparison: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Junction: TypeAlias = Literal["and", "or"]
Sign: TypeAlias = Literal["+", "-"]
Value: TypeAlias = int | str | bool

LARGEST_NUMBER = 10**12
"""No number in a condition is larger, so that sums stay exact in every language."""


class Node:
    """What all nodes share: equality without offsets.

    The fields of each node stand in a named tuple of their own: a frozen dataclass for each would take longer to make
    than a spec to read.
    """

    __slots__ = ()

    def asks(self) -> tuple[object, ...]:
        """All of the node but where it stands: `start` and `end` are the last two fields of each."""
        return cast("tuple[object, ...]", self)[:-2]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Node) and self.asks() == other.asks()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), self.asks()))


class _Constant(NamedTuple):
    value: Value
    start: int = 0
    end: int = 0


class Constant(Node, _Constant):
    """A number, a text or a truth value written in the condition."""

    __slots__ = ()

    def asks(self) -> tuple[object, ...]:
        """The value and its type: `true` is not 1."""
        return (type(self.value), self.value)


class _Name(NamedTuple):
    name: str
    start: int = 0
    end: int = 0


class Name(Node, _Name):
    """A fact (`result.ok`), a meter (`failures`) or a budget (`budgets.turns`)."""

    __slots__ = ()


class _Not(NamedTuple):
    operand: Expr
    start: int = 0
    end: int = 0


class Not(Node, _Not):
    """The opposite of a condition."""

    __slots__ = ()


class _Logic(NamedTuple):
    operator: Junction
    operands: tuple[Expr, ...]
    start: int = 0
    end: int = 0


class Logic(Node, _Logic):
    """`and` / `or` over two or more operands, evaluated from the left until one decides."""

    __slots__ = ()


class _Compare(NamedTuple):
    operator: Comparison
    left: Expr
    right: Expr
    start: int = 0
    end: int = 0


class Compare(Node, _Compare):
    """Two values of one type compared; an order is asked of numbers only."""

    __slots__ = ()


class _In(NamedTuple):
    value: Expr
    options: tuple[Constant, ...]
    negated: bool = False
    start: int = 0
    end: int = 0


class In(Node, _In):
    """`value in [a, b]`, with `negated` for `not in`. The options are literals of one type."""

    __slots__ = ()


class _Arithmetic(NamedTuple):
    operator: Sign
    left: Expr
    right: Expr
    start: int = 0
    end: int = 0


class Arithmetic(Node, _Arithmetic):
    """The sum or the difference of two numbers."""

    __slots__ = ()


Expr: TypeAlias = "Constant | Name | Not | Logic | Compare | In | Arithmetic"
