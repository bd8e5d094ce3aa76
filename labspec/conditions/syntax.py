"""The syntax tree of a condition, and its form as plain JSON in a machine.

A condition is made by `parse`, checked by `check_types`, printed by `to_python`, `to_javascript` and `to_english`,
and turned into JSON by `to_json` for the machine, whose runner compiles it to closures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Comparison: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text or a truth value written in the condition."""

    value: int | str | bool
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A fact (`result.ok`), a meter (`failures`) or a budget (`budgets.turns`)."""

    name: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Logic:
    """`and` / `or` over two or more operands, evaluated from the left until one decides."""

    operator: Literal["and", "or"]
    operands: tuple[Expr, ...]
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Compare:
    operator: Comparison
    left: Expr
    right: Expr
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class In:
    """`value in [a, b]`, with `negated` for `not in`. The options are literals of one type."""

    value: Expr
    options: tuple[Constant, ...]
    negated: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Arithmetic:
    operator: Literal["+", "-"]
    left: Expr
    right: Expr
    start: int = 0
    end: int = 0


Expr: TypeAlias = "Constant | Name | Not | Logic | Compare | In | Arithmetic"
