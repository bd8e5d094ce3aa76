"""Meters as Python statements: which of them the generated loop keeps, and how they are charged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions import names_in
from labspec.conditions.syntax import Expr, Name, Not
from labspec.conditions.tidy import tidy
from labspec.emit.encode import Python
from labspec.emit.layout import branch_line, indented, statement
from labspec.emit.scope import Scope, is_always, is_never, variable_of

if TYPE_CHECKING:
    from labspec.lab.model import Lab, Meter, Row


def charge(meter: Meter, scope: Scope, indent: int) -> list[Python]:
    """Statements that set a meter back and charge it, for a place that is `indent` columns in."""
    variable = variable_of(meter.name)
    lines: list[Python] = []
    if meter.resets_when is not None and not is_never(meter.resets_when):
        lines += [*branch_line("if", scope.python(meter.resets_when), indent), Python.of("    {} = 0", variable)]
    if is_never(meter.when):
        return lines
    if meter.when is None or is_always(meter.when):
        return [*lines, *add(meter, scope, indent)]
    head = branch_line("if", scope.python(meter.when), indent)
    return [*lines, *head, *indented(add(meter, scope, indent + 4), 4)]


def add(meter: Meter, scope: Scope, indent: int) -> list[Python]:
    """The statement that charges a meter, for a place that is `indent` columns in."""
    return [statement(Python.of("{} += {}", variable_of(meter.name), scope.python(meter.add)), indent)]


def counts_failures(meter: Meter) -> bool:
    """True when a meter does nothing but grow with every failed result."""
    return _is_failure(meter.when) and meter.resets_when is None


def gives_failures_back(meter: Meter) -> bool:
    """True when a meter's charge is given back exactly for failed results."""
    return _is_failure(meter.refund_when)


def _is_failure(when: Expr | None) -> bool:
    when = None if when is None else tidy(when)
    return isinstance(when, Not) and isinstance(when.operand, Name) and when.operand.name == "result.ok"


def reported_meters(lab: Lab) -> frozenset[str]:
    """The meters that the closing event of a trace tells the use of."""
    return frozenset(name for budget in lab.budgets for name in budget.meters) if lab.traced else frozenset()


def needed_meters(lab: Lab, rows: tuple[Row, ...]) -> tuple[Meter, ...]:
    """`turns`, which every record holds, the meters that a trace reports, and those that rows read, directly or
    through other meters.
    """
    return meters_behind({"turns", *reported_meters(lab)}, lab, rows)


def meters_behind(told: set[str], lab: Lab, rows: tuple[Row, ...]) -> tuple[Meter, ...]:
    """The meters that a loop has to keep: those `told` of afterwards, and all that rows and these meters read."""
    needed = told.union(*(names_in(row.when) for row in rows if row.when is not None))
    while True:
        more = needed.union(*(read_by(meter) for meter in lab.meters if meter.name in needed))
        if more == needed:
            return tuple(meter for meter in lab.meters if meter.name in needed)
        needed = more


def read_by(meter: Meter) -> frozenset[str]:
    """The names that a meter reads."""
    parts: tuple[Expr | None, ...] = (meter.add, meter.when, meter.resets_when, meter.refund_when)
    return frozenset[str]().union(*(names_in(part) for part in parts if part is not None))
