"""What changed in the loop itself: reasons, rows, budgets, meters, tools, and how runs are recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from labspec.conditions.source import to_source
from labspec.differences.items import changes, from_to, lists, moved
from labspec.differences.model import Change

if TYPE_CHECKING:
    from labspec.conditions.syntax import Expr
    from labspec.differences.renaming import Renames
    from labspec.lab.model import Budget, Lab, LastError, Meter, Reason, Row, Tool


def reason_changes(old: Lab, new: Lab, names: Renames) -> Iterator[Change]:
    """Reasons renamed, removed, added, and of another kind or exit code. `old` is in the words of `new`."""
    before, after = ({reason.name: reason for reason in lab.taxonomy} for lab in (old, new))
    for was, name in names.items():
        yield Change("renamed", "reason", name, (f"was: {was}",))
    yield from changes("reason", before, after, _reason_differs, _reason_told)


def _reason_told(reason: Reason) -> Iterator[str]:
    yield f"{reason.kind}, exit code {reason.exit_code}"


def _reason_differs(old: Reason, new: Reason) -> Iterator[str]:
    yield from from_to("kind", old.kind, new.kind)
    yield from from_to("exit code", old.exit_code, new.exit_code)


def row_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Rows removed, added, asked something else, and asked in another order."""
    before, after = ({row.id: row for row in lab.table} for lab in (old, new))
    yield from changes("row", before, after, _row_differs, _row_told)
    order = list(after)
    for name in moved(list(before), order):
        place = order.index(name)
        where = f"now after `{order[place - 1]}`" if place else "now the first row"
        yield Change("moved", "row", name, (f"{where}: row {before[name].number} → {after[name].number}",))


def _row_told(row: Row) -> Iterator[str]:
    yield f"{row.verb} {row.outcome}, at {row.at}, {_when(row.when)}"


def _row_differs(old: Row, new: Row) -> Iterator[str]:
    yield from from_to("gives", f"{old.verb} {old.outcome}", f"{new.verb} {new.outcome}")
    yield from from_to("asked at", old.at, new.at)
    yield from from_to("asks", _source(old.when), _source(new.when))
    yield from from_to("last error", _last_error(old.last_error), _last_error(new.last_error))
    yield from from_to("the refused call is counted", old.counted, new.counted)


def _last_error(last: LastError) -> str:
    return {"none": "none", "error": "the code of the last failure"}.get(last.source, f'"{last.text}"')


def _when(when: Expr | None) -> str:
    return "always" if when is None else f"when {to_source(when)}"


def _source(when: Expr | None) -> str:
    return "always" if when is None else to_source(when)


def budget_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Budgets removed, added, and with another limit."""
    before, after = ({budget.name: budget for budget in lab.budgets} for lab in (old, new))
    yield from changes("budget", before, after, _budget_differs, lambda budget: iter((f"limit {budget.limit}",)))


def _budget_differs(old: Budget, new: Budget) -> Iterator[str]:
    yield from from_to("limit", old.limit, new.limit)
    yield from from_to("measured by", old.meters, new.meters)


def meter_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Meters removed, added, and counted in another way."""
    before, after = ({meter.name: meter for meter in lab.meters} for lab in (old, new))
    yield from changes("meter", before, after, _meter_differs)


def _meter_differs(old: Meter, new: Meter) -> Iterator[str]:
    yield from from_to("charged at", old.at, new.at)
    yield from from_to("charges", to_source(old.add), to_source(new.add))
    yield from from_to("charged when", _source(old.when), _source(new.when))
    yield from from_to("set back when", _never(old.resets_when), _never(new.resets_when))
    yield from from_to("given back when", _never(old.refund_when), _never(new.refund_when))


def _never(when: Expr | None) -> str:
    return "never" if when is None else to_source(when)


def setting_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Tools, the workspace, what is recorded, and how a plan ends."""
    before, after = ({tool.name: tool for tool in lab.tools} for lab in (old, new))
    yield from changes("tool", before, after, _tool_differs, lambda tool: iter((tool.kind,)))
    settings = (
        ("target", from_to("language", old.target, new.target)),
        ("records", from_to("runs leave a trace", old.traced, new.traced)),
        ("plan_ends", from_to("an ended plan is", old.plan_ends, new.plan_ends)),
        ("errors", _errors_differ(old, new)),
        ("workspace", _workspace_differs(old, new)),
    )
    for name, found in settings:
        if details := tuple(found):
            yield Change("changed", "setting", name, details)


def _tool_differs(old: Tool, new: Tool) -> Iterator[str]:
    yield from from_to("kind", old.kind, new.kind)
    if old.command is not None and new.command is not None:
        yield from from_to("runs", " ".join(old.command.argv), " ".join(new.command.argv))
        yield from from_to("seconds", old.command.seconds, new.command.seconds)
        yield from from_to("code of a failure", old.command.error, new.command.error)


def _errors_differ(old: Lab, new: Lab) -> Iterator[str]:
    yield from from_to("most characters", old.errors.max_chars, new.errors.max_chars)
    yield from from_to("any other text", old.errors.otherwise, new.errors.otherwise)


def _workspace_differs(old: Lab, new: Lab) -> Iterator[str]:
    if old.workspace is None or new.workspace is None:
        yield from from_to("there is one", old.workspace is not None, new.workspace is not None)
        return
    yield from from_to("roots", old.workspace.roots, new.workspace.roots)
    before, after = dict(old.workspace.files), dict(new.workspace.files)
    yield from lists("files", list(before), list(after))
    for path in before:
        if path in after and before[path] != after[path]:
            yield f"another text: {path}"
