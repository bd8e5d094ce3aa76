"""Questions about the tree of a condition that every later step asks: its parts, its names, its depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions.facts import BUDGET_PREFIX, FACTS, ValueType
from labspec.conditions.syntax import Arithmetic, Compare, Constant, Expr, In, Logic, Name, Not

if TYPE_CHECKING:
    from collections.abc import Iterator
from functools import lru_cache


def children(expr: Expr) -> tuple[Expr, ...]:
    """The parts of a node, from left to right."""
    match expr:
        case Constant() | Name():
            return ()
        case Not(operand=operand):
            return (operand,)
        case Logic(operands=operands):
            return operands
        case Compare(left=left, right=right) | Arithmetic(left=left, right=right):
            return (left, right)
        case In(value=value, options=options):
            return (value, *options)


def nodes_of(expr: Expr) -> Iterator[Expr]:
    """The node and everything below it, from left to right."""
    yield expr
    for child in children(expr):
        yield from nodes_of(child)


def depth_of(expr: Expr) -> int:
    """How many nodes stand above each other; 1 for a name. Does not recurse, so it can guard what does."""
    depth = 0
    level: tuple[Expr, ...] = (expr,)
    while level:
        depth += 1
        level = tuple(child for node in level for child in children(node))
    return depth


def names_in(expr: Expr) -> frozenset[str]:
    """Every fact, meter and budget the condition reads."""
    return frozenset(node.name for node in nodes_of(expr) if isinstance(node, Name))


@lru_cache(maxsize=512)  # asked for every row of a lab and of each of its mistakes
def comparisons_of(expr: Expr) -> frozenset[tuple[str, str]]:
    """The pairs (meter, budget) compared with each other: one on each side of some comparison.

    The budget is given by its bare name: `failures > budgets.retries` has the pair ("failures", "retries").
    """
    return frozenset(pair for node in nodes_of(expr) if isinstance(node, Compare) for pair in _compared_pairs(node))


def _compared_pairs(compare: Compare) -> Iterator[tuple[str, str]]:
    left, right = names_in(compare.left), names_in(compare.right)
    for meter_side, budget_side in ((left, right), (right, left)):
        budgets = [name.removeprefix(BUDGET_PREFIX) for name in budget_side if name.startswith(BUDGET_PREFIX)]
        yield from ((meter, budget) for meter in meter_side if "." not in meter for budget in budgets)


def type_of(expr: Expr) -> ValueType:
    """The type of a condition that `check_types` has no findings about."""
    match expr:
        case Constant(value=bool()):
            return "boolean"
        case Constant(value=str()):
            return "text"
        case Constant() | Arithmetic():
            return "number"
        case Name(name=name):
            return FACTS[name].type if name in FACTS else "number"
        case Not() | Logic() | Compare() | In():
            return "boolean"
