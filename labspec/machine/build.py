"""From the resolved loop to the machine: plain JSON data, the whole of what the reference runner needs."""

from __future__ import annotations

from typing import Any

from labspec.conditions import to_json
from labspec.conditions.syntax import Expr
from labspec.lab.model import LastError, Loop, MachineData, Meter, Row, Tool, Workspace


def to_machine(loop: Loop, recorder: dict[str, Any] | None = None) -> MachineData:
    """The machine of `loop`. `recorder` holds the slips of a mistaken runner's recorder, by name."""
    return {
        "plan_ends": loop.plan_ends,
        "tools": {tool.name: _tool(tool) for tool in loop.tools},
        "workspace": _workspace(loop.workspace),
        "budgets": {budget.name: budget.limit for budget in loop.budgets},
        "measures": {budget.name: list(budget.meters) for budget in loop.budgets},
        "meters": {meter.name: _meter(meter) for meter in loop.meters},
        "errors": {"max_chars": loop.errors.max_chars, "otherwise": loop.errors.otherwise},
        "reasons": {reason.name: {"kind": reason.kind, "exit_code": reason.exit_code} for reason in loop.taxonomy},
        "rows": [_row(row) for row in loop.table],
        "recorder": recorder or {},
    }


def _tool(tool: Tool) -> dict[str, Any]:
    if tool.command is None:
        return {"kind": tool.kind}
    command = tool.command
    return {"kind": tool.kind, "argv": list(command.argv), "seconds": command.seconds, "error": command.error}


def _workspace(workspace: Workspace | None) -> dict[str, Any] | None:
    return None if workspace is None else {"roots": list(workspace.roots), "files": dict(workspace.files)}


def _meter(meter: Meter) -> dict[str, Any]:
    return {
        "at": meter.at,
        "add": to_json(meter.add),
        "when": _optional(meter.when),
        "resets_when": _optional(meter.resets_when),
        "refund_when": _optional(meter.refund_when),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "verb": row.verb,
        "outcome": row.outcome,
        "at": row.at,
        "when": _optional(row.when),
        "last_error": _last_error(row.last_error),
        "counted": row.counted,
    }


def _last_error(last_error: LastError) -> dict[str, Any]:
    return {"from": last_error.source, "text": last_error.text}


def _optional(expr: Expr | None) -> Any:
    return None if expr is None else to_json(expr)
