"""Slips with a budget: one more, one less, ignored, or the number written down instead of read."""

from __future__ import annotations

from typing import Any

from labspec.conditions.json_form import ExprData
from labspec.lab.model import MachineData
from labspec.mutants.model import Mutant, Slips


def budget_slips(machine: MachineData) -> Slips:
    """Every slip with a budget."""
    for name, limit in machine["budgets"].items():
        for slip, other in (("one_more", limit + 1), ("one_less", limit - 1)):
            if other >= 0:
                changed = {**machine, "budgets": {**machine["budgets"], name: other}}
                yield Mutant(f"{name}.{slip}", "budgets", f"the budget `{name}` is {other} and not {limit}", changed)
        yield from _ignored(machine, name)
        yield _written_down(machine, name, limit)


def _written_down(machine: MachineData, name: str, limit: int) -> Mutant:
    says = f"{limit} is written down instead of the budget `{name}`"
    written = _with_conditions(machine, lambda part: ["value", limit] if part == _reads(name) else part)
    return Mutant(f"{name}.written_down", "budgets", says, written, budget=name)


def _reads(name: str) -> ExprData:
    return ["name", f"budgets.{name}"]


def _ignored(machine: MachineData, name: str) -> Slips:
    """No comparison with the budget holds. Where a row asks for nothing else, that is the row left out."""

    def forget(part: ExprData) -> ExprData:
        is_comparison = part[0] in ("<", "<=", ">", ">=", "==", "!=") and _mentions(part, name)
        return ["value", False] if is_comparison else part

    changed = _with_conditions(machine, forget)
    if any(
        row["when"] not in (before["when"], ["value", False])
        for row, before in zip(changed["rows"], machine["rows"], strict=True)
    ):
        yield Mutant(f"{name}.ignored", "budgets", f"nothing asks for the budget `{name}`", changed)


def _mentions(part: Any, name: str) -> bool:
    return part == _reads(name) or (isinstance(part, list) and any(_mentions(one, name) for one in part))


def _with_conditions(machine: MachineData, change: Any) -> MachineData:
    """The machine with `change` made to every part of the conditions of its rows and meters."""
    rows = [{**row, "when": _changed(row["when"], change)} for row in machine["rows"]]
    meters = {
        name: {key: one if key == "at" else _changed(one, change) for key, one in meter.items()}
        for name, meter in machine["meters"].items()
    }
    return {**machine, "rows": rows, "meters": meters}


def _changed(part: Any, change: Any) -> Any:
    if not isinstance(part, list):
        return part
    if part[0] in ("name", "value"):
        return change(part)
    if part[0] in ("in", "not in"):
        return change([part[0], _changed(part[1], change), part[2]])
    return change([part[0], *(_changed(one, change) for one in part[1:])])
