"""What a stretch goal may cost and must ask for, held against the contract's own checks in this process."""

from __future__ import annotations

from labspec.checks.mistakes import InProcess, Judge, gates_in_words
from labspec.lab.model import Goal, Lab
from labspec.lab.places import Places
from labspec.machine.runs import Runs


def check_goals(lab: Lab, places: Places) -> None:
    """Who reaches a goal still earns every gate, and nobody reaches it by doing the lab alone."""
    judge = Judge(lab)
    for index, goal in enumerate(lab.stretch.goals if lab.stretch else ()):
        path = ("stretch", "goals", index)
        lost = judge.failed_gates(Runs(goal.machine))
        if lost:
            message = f"who reaches the goal `{goal.id}` no longer earns {gates_in_words(lost)}"
            help = "a goal may not change what the gates look at: the runs of their fixtures end as before"
            places.error("goal-costs-gates", message, *path, "change", help=help)
        elif not _asks_for_more(lab, goal):
            message = f"the goal `{goal.id}` is reached by every runner that does what the lab asks for"
            help = "add a fixture that ends in another way with the goal's change than without it"
            places.error("goal-comes-free", message, *path, "checks", help=help)


def _asks_for_more(lab: Lab, goal: Goal) -> bool:
    """Whether the lab's own runner fails a check of the goal."""
    beyond = lab._replace(machine=goal.machine, fixtures=(*lab.fixtures, *goal.fixtures))
    return Judge(beyond).fails(goal.checks, InProcess(Runs(lab.machine), beyond))
