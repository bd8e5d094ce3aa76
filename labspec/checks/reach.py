"""Findings of the explorer: rows that never fire, budgets that never bind, loops that nothing ends."""

from __future__ import annotations

from labspec.conditions import names_in
from labspec.conditions.facts import BUDGET_PREFIX
from labspec.lab.model import Lab, Row
from labspec.lab.places import Places
from labspec.machine.explorer import STATE_LIMIT, Exploration, Plan, explore
from labspec.machine.runner import Machine


def check_reach(lab: Lab, machine: Machine, places: Places) -> None:
    """Every row can fire under the lab's own budgets, every budget can bind, and every run ends."""
    found = explore(machine)
    if not found.complete:
        message = f"not decided whether every row can fire: the loop has more than {STATE_LIMIT} states"
        places.report.warning("not-decided", message, places.key("budgets"), help="lower the budgets that rows read")
        return
    dead = [row for row in lab.table if row.id not in found.fires]
    for row in dead:
        _report_row(lab, row, places)
    _check_budgets(lab, {row.id for row in dead}, places)
    _check_ends(found, places)


def _report_row(lab: Lab, row: Row, places: Places) -> None:
    budgets = ", ".join(f"{budget.name} {budget.limit}" for budget in lab.budgets)
    earlier = [f"`{other.id}`" for other in lab.table if other.at == row.at and other.number < row.number]
    help = f"look at what ends the loop first: {', '.join(earlier)} at the same moment, " if earlier else ""
    places.error(
        "row-never-fires",
        f"row `{row.id}` can never fire: no plan leads to it under the lab's own budgets ({budgets})",
        "table",
        row.number - 1,
        "when" if row.when is not None else row.verb,
        help=f"{help or 'look at '}the rows of earlier moments, and the budgets" if help else "look at the budgets",
    )


def _check_budgets(lab: Lab, dead: set[str], places: Places) -> None:
    for budget in lab.budgets:
        name = f"{BUDGET_PREFIX}{budget.name}"
        readers = [row.id for row in lab.table if row.when is not None and name in names_in(row.when)]
        if readers and dead.issuperset(readers):
            message = f"the budget `{budget.name}` never binds: the rows that read it can never fire"
            places.error("budget-never-binds", message, "budgets", budget.name)


def _check_ends(found: Exploration, places: Places) -> None:
    if found.stuck is not None:
        message = f"no row ends the loop when the plan has ended {_after(found.stuck)}"
        help = "add a row at `turn` for `plan.ended`, as the last of the table"
        places.key_error("loop-never-ends", message, "table", help=help)
    if found.endless is not None:
        message = f"nothing bounds the loop: {_after(found.endless)} a model can keep it going for ever"
        help = "add a row at `turn` such as `{exit: ..., at: turn, when: turns > budgets.turns}`"
        places.key_error("loop-without-bound", message, "table", help=help)


def _after(plan: Plan) -> str:
    return f"after {len(plan)} {'step' if len(plan) == 1 else 'steps'}" if plan else "from the start"
