"""Findings of the explorer: rows that never fire, budgets that never bind, loops that nothing ends."""

from __future__ import annotations

from collections.abc import Iterator

from labspec.conditions import names_in
from labspec.conditions.facts import BUDGET_PREFIX, MOMENTS
from labspec.diagnostics import Related
from labspec.lab.model import Budget, Lab, Row
from labspec.lab.places import Places, Step
from labspec.machine.explorer import Exploration, Plan, explore
from labspec.machine.runner import Machine


def check_reach(lab: Lab, found: Exploration, limit: int, places: Places) -> None:
    """Every row can fire under the lab's own budgets, every budget can bind, and every run ends."""
    if not found.complete:
        message = f"not decided whether every row can fire: {limit} turns do not lead through all states of the loop"
        help = f"lower the budgets that rows read, or raise the limit: `labspec check --limit {10 * limit}`"
        places.report.warning("not-decided", message, places.key("budgets"), help=help)
        return
    dead = [row for row in lab.table if row.id not in found.fires]
    explained = _check_budgets(lab, dead, places)
    for row in dead:
        if row.id not in explained:
            _report_row(lab, row, places)
    _check_ends(found, places)


def _check_budgets(lab: Lab, dead: list[Row], places: Places) -> set[str]:
    """Report budgets whose rows are all dead; returns the rows that need no finding of their own then."""
    explained: set[str] = set()
    for budget in lab.budgets:
        readers = [row for row in lab.table if _reads(row, budget)]
        if readers and all(row in dead for row in readers):
            _report_budget(lab, budget, readers, places)
            explained.update(row.id for row in readers)
    return explained


def _reads(row: Row, budget: Budget) -> bool:
    return row.when is not None and BUDGET_PREFIX + budget.name in names_in(row.when)


def _report_budget(lab: Lab, budget: Budget, readers: list[Row], places: Places) -> None:
    names = " and ".join(f"`{row.id}`" for row in readers)
    others = ", ".join(f"{other.name} {other.limit}" for other in lab.budgets if other is not budget)
    message = f"the budget `{budget.name}: {budget.limit}` never binds: no plan leads to row {names}"
    ways = ["make it smaller", *_larger_budgets(lab, budget, readers), "let its row be asked before the others"]
    advice = f"; beside it stand {others}" if others else ""
    places.report.error(
        "budget-never-binds",
        message,
        places.at("budgets", budget.name),
        help=f"{', '.join(ways[:-1])}, or {ways[-1]}{advice}",
        related=tuple(Related("no plan leads here", places.at(*_place(row))) for row in readers),
    )


def _larger_budgets(lab: Lab, budget: Budget, readers: list[Row]) -> Iterator[str]:
    """The budgets that stand in the way: with one more than `budget` has, a plan leads to one of its rows."""
    limit = budget.limit + 1
    for other in lab.budgets:
        if other.limit < limit:
            trial = Machine({**lab.machine, "budgets": {**lab.machine["budgets"], other.name: limit}})
            if any(row.id in explore(trial).fires for row in readers):
                yield f"raise `{other.name}` to {limit}"


def _report_row(lab: Lab, row: Row, places: Places) -> None:
    budgets = ", ".join(f"{budget.name} {budget.limit}" for budget in lab.budgets)
    earlier = [f"`{other.id}`" for other in lab.table if _is_asked_before(other, row)]
    asked = f"asked before it: {', '.join(earlier)}" if earlier else "no row is asked before it in a turn"
    places.error(
        "row-never-fires",
        f"row `{row.id}` can never fire: no plan leads to it under the lab's own budgets ({budgets})",
        *_place(row),
        help=f"{asked}; look at their conditions and at its own" if earlier else f"{asked}; look at its condition",
    )


def _is_asked_before(other: Row, row: Row) -> bool:
    return (MOMENTS.index(other.at), other.number) < (MOMENTS.index(row.at), row.number)


def _place(row: Row) -> tuple[Step, ...]:
    return ("table", row.number - 1, "when" if row.when is not None else row.verb)


def _check_ends(found: Exploration, places: Places) -> None:
    if found.stuck is not None:
        message = f"no row ends the loop when a plan {_of_length(found.stuck)} has ended"
        help = "add a row at `turn` for `plan.ended`, as the last of the table"
        places.key_error("loop-never-ends", message, "table", help=help)
    if found.endless is not None:
        start = f"after {_steps(found.endless)}" if found.endless else "from the start"
        message = f"nothing bounds the loop: {start} a model can keep it going for ever"
        help = "add a row at `turn` such as `{exit: ..., at: turn, when: turns > budgets.turns}`"
        places.key_error("loop-without-bound", message, "table", help=help)


def _of_length(plan: Plan) -> str:
    return f"of {_steps(plan)}" if plan else "without steps"


def _steps(plan: Plan) -> str:
    return f"{len(plan)} {'step' if len(plan) == 1 else 'steps'}"
