"""Slips in a condition, each as the changed condition and what it was changed to.

Conditions are here in the JSON form that machines carry them in (see `labspec.conditions.json_form`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from labspec.conditions.json_form import ExprData

_ONE_MORE: Final = {">": (">", 1), ">=": (">", 0), "<": ("<=", 0), "<=": ("<=", 1)}
"""What a comparison becomes when the limit it draws is one higher: the operator, and what is added to the limit."""

_ONE_LESS: Final = {">": (">=", 0), ">=": (">=", -1), "<": ("<", -1), "<=": ("<", 0)}

_OTHER_JUNCTION: Final = {"and": "or", "or": "and"}


class Slip(NamedTuple):
    """A changed condition. `id` tells it from the other slips of the same condition."""

    id: str
    condition: ExprData


def slips_in(condition: ExprData | None) -> Iterator[Slip]:
    """Every single slip: a limit one higher or lower, `and` for `or` and the other way round, a `not` left out."""
    for number, (part, put) in enumerate(_parts(condition), start=1):
        yield from (Slip(f"{name}_{number}", put(changed)) for name, changed in _changes(part))


def _parts(condition: ExprData | None) -> Iterator[tuple[ExprData, Any]]:
    """The condition and every condition in it, each with a function that puts another one in its place."""
    if condition is None:
        return
    yield condition, lambda changed: changed
    if condition[0] not in ("and", "or", "not"):
        return
    for place in range(1, len(condition)):
        for part, put in _parts(condition[place]):
            yield part, _putting(condition, place, put)


def _putting(condition: ExprData, place: int, put: Any) -> Any:
    return lambda changed: [*condition[:place], put(changed), *condition[place + 1 :]]


def _changes(part: ExprData) -> Iterator[tuple[str, ExprData]]:
    kind, *operands = part
    if kind in _OTHER_JUNCTION:
        yield _OTHER_JUNCTION[kind], [_OTHER_JUNCTION[kind], *operands]
    elif kind == "not":
        yield "not", operands[0]
    elif kind in _ONE_MORE:
        yield "higher", _shifted(*_ONE_MORE[kind], operands)
        yield "lower", _shifted(*_ONE_LESS[kind], operands)
    elif kind in ("==", "!=") and any(_is_number(side) for side in operands):
        yield "higher", _shifted(kind, 1, operands)
        yield "lower", _shifted(kind, -1, operands)


def _is_number(side: ExprData) -> bool:
    return side[0] in ("+", "-") or (side[0] == "value" and type(side[1]) is int)


def _shifted(operator: str, by: int, operands: list[ExprData]) -> ExprData:
    """The comparison with its right side `by` higher. A literal can't be negative, so then the left side gets more."""
    left, right = operands
    if by == 0:
        return [operator, left, right]
    if right[0] == "value" and right[1] + by >= 0:
        return [operator, left, ["value", right[1] + by]]
    if by < 0:
        return [operator, ["+", left, ["value", -by]], right]
    return [operator, left, ["+", right, ["value", by]]]
