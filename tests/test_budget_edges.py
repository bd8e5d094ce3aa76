"""Every budget of every shipped lab has fixtures that need one less than its limit, all of it, and one more.

What a fixture needs is found by running it under other limits. The limit is the one in force for the fixture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from labspec.conditions.trees import names_in
from labspec.machine.runner import Machine
from labspec.machine.simulation import simulate
from labspec.pipeline import load

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Lab
    from labspec.machine.runner import Ending

SPECS = Path(__file__).parents[1] / "specs"
LABS = [lab for lab in (load(spec).lab for spec in sorted(SPECS.glob("*.yaml"))) if lab is not None]
CASES = [pytest.param(lab, budget.name, id=f"{lab.id}-{budget.name}") for lab in LABS for budget in lab.budgets]
DISTANCES = (-1, 0, 1)


class Edge(NamedTuple):
    """How far a fixture is from the limit of a budget: -1 leaves one of it, 0 uses it up, 1 asks for one more."""

    distance: int
    fixture: Fixture


def ends_by(lab: Lab, ending: Ending, budget: str) -> bool:
    """Whether the row that decided compares something with the budget."""
    when = lab.row(ending.row).when
    return when is not None and f"budgets.{budget}" in names_in(when)


def edges(lab: Lab, budget: str) -> list[Edge]:
    """The fixtures that need so much of the budget: with less of it, this budget is what would end them."""
    machine = Machine(lab.machine)
    found = []
    for fixture in lab.fixtures:
        limit = fixture.ending.limits[budget]

        def stopped(change: int, fixture: Fixture = fixture, limit: int = limit) -> bool:
            limits = {**fixture.budgets, budget: limit + change}
            return ends_by(lab, simulate(machine, {**fixture.simulated, "budgets": limits}).ending, budget)

        for distance in DISTANCES:
            is_least = limit + distance == 0 or (limit + distance > 0 and stopped(distance - 1))
            if is_least and not stopped(distance):
                found.append(Edge(distance, fixture))
    return found


def test_every_shipped_lab_is_held_to_this() -> None:
    """A spec with errors would drop out unnoticed."""
    assert len(LABS) == len(list(SPECS.glob("*.yaml")))
    assert {"loop-budget", "loop-budget-python", "loop-guardrails"} <= {lab.id for lab in LABS}


@pytest.mark.parametrize(("lab", "budget"), CASES)
def test_only_what_needs_more_than_the_limit_is_ended_by_the_budget(lab: Lab, budget: str) -> None:
    """One less and all of it end for another reason than one more, and the record tells how much was used."""
    found = edges(lab, budget)
    reasons = {
        distance: {edge.fixture.ending.reason for edge in found if edge.distance == distance} for distance in DISTANCES
    }
    assert all(reasons.values()), f"no fixture at one of the three places: {reasons}"
    assert not reasons[1] & (reasons[-1] | reasons[0])
    for distance, fixture in found:
        used, limit = fixture.ending.used[budget], fixture.ending.limits[budget]
        assert ends_by(lab, fixture.ending, budget) is (distance == 1), fixture.id
        assert used <= limit if distance == 1 else used == limit + distance, fixture.id


@pytest.mark.parametrize(("lab", "budget"), CASES)
def test_the_tests_of_a_student_see_both_sides_of_the_limit(lab: Lab, budget: str) -> None:
    """Of the fixtures that need all of it, and of those that need one more, at least one is not hidden and checked."""
    checked = {name for gate in lab.rubric for check in gate.checks if check.kind == "exit" for name in check.fixtures}
    for distance in (0, 1):
        assert any(
            not edge.fixture.hidden and edge.fixture.id in checked
            for edge in edges(lab, budget)
            if edge.distance == distance
        )
