"""The meters of the generated loop: which of them it keeps, and how they are charged.

Where a row can stop the loop or refuse the call before the act has happened, a meter is charged to a variable
`next...` first, and counted only when the act is done. What a failed act gives back is kept in a variable `...Before`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions.syntax import Arithmetic, Expr, Name, Not
from labspec.conditions.tidy import tidy
from labspec.emit.charges import meters_behind
from labspec.emit.node.conditions import NameOf, branch, expression
from labspec.emit.node.encode import JavaScript
from labspec.emit.node.layout import LINE, Doc, Group, Indent, block, text
from labspec.emit.scope import is_always, is_never

if TYPE_CHECKING:
    from labspec.lab.model import Lab, Meter, Row

ALWAYS_KEPT = ("turns", "tool_calls", "write_bytes")
"""The meters that the result of a run tells of."""


def needed_meters(lab: Lab, rows: tuple[Row, ...]) -> tuple[Meter, ...]:
    """The meters that the result of a run or its closing event tells of, and those that rows read, directly or
    through other meters.
    """
    told = ALWAYS_KEPT if lab.workspace is not None else ALWAYS_KEPT[:2]
    return meters_behind({*told, *(name for budget in lab.budgets for name in budget.meters)}, lab, rows)


def without_end(meter: Meter) -> Meter:
    """The meter of a loop whose plan never ends: what is charged unless the plan has ended is always charged."""
    return meter._replace(when=None) if _unless_ended(meter.when) else meter


def propose(meter: Meter, variable: JavaScript, after: JavaScript, names: NameOf) -> list[Doc]:
    """Statements that declare `after`, what the meter in `variable` will be. `names` are those before the charge."""
    resets = meter.resets_when is not None and not is_never(meter.resets_when)
    if is_always(meter.when) and not resets:
        return [_assignment(JavaScript.of("const {} =", after), _sum(meter, names))]
    if _unless_ended(meter.when) and not resets:
        return [(JavaScript.of("const {} = planEnded ? {} : ", after, variable), _sum(meter, names), text(";"))]
    return [JavaScript.of("let {} = {};", after, variable), *charge(meter, after, names)]


def charge(meter: Meter, variable: JavaScript, names: NameOf) -> list[Doc]:
    """Statements that set the meter back and charge it, where `variable` holds it."""

    def inside(name: str) -> JavaScript:
        return variable if name == meter.name else names(name)

    statements: list[Doc] = []
    if meter.resets_when is not None and not is_never(meter.resets_when):
        statements.append(block(branch(meter.resets_when, inside), [JavaScript.of("{} = 0;", variable)]))
    if is_never(meter.when):
        return statements
    add = _assignment(JavaScript.of("{} +=", variable), expression(meter.add, inside))
    if meter.when is None or is_always(meter.when):
        return [*statements, add]
    return [*statements, block(branch(meter.when, inside), [add])]


def _sum(meter: Meter, names: NameOf) -> Doc:
    return expression(Arithmetic("+", Name(meter.name), meter.add), names)


def _assignment(head: JavaScript, value: Doc) -> Doc:
    return Group((head, Group(Indent((LINE, value))), text(";")))


def _unless_ended(when: Expr | None) -> bool:
    tidied = None if when is None else tidy(when)
    return isinstance(tidied, Not) and isinstance(tidied.operand, Name) and tidied.operand.name == "plan.ended"
