"""Resolve stretch goals: each is a change to the loop, with fixtures that show it and checks that reward it."""

from __future__ import annotations

from labspec.lab.change import Changed, change_loop, loop_part
from labspec.lab.fixtures import resolve_fixtures
from labspec.lab.handout import check_known
from labspec.lab.model import Check, Fixture, Goal, Stretch
from labspec.lab.places import Places, Step
from labspec.machine.build import to_machine
from labspec.machine.runs import Runs
from labspec.source.nodes import Mapping
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.model import Spec
from labspec.spec.stretch import GoalSpec, StretchSpec

_FIXED = {
    "workspace": (
        "goal-changes-workspace",
        "the workspace, and the repository has one for everybody",
        "put the files into the lab's own `workspace`, or into that of the goal's fixtures",
    ),
    "tools": (
        "goal-changes-workspace",
        "the tools, and the repository has one set for everybody",
        "declare the tool among the lab's own `tools`; the goal's fixtures can call it",
    ),
    "budgets": (
        "goal-changes-budgets",
        "the budgets, which stand in the trace of every run",
        "write the number into the row, as `red_runs > 2`",
    ),
}
"""The sections of a loop that a goal must leave alone: the code of the finding, what is said of it, and the help."""


def check_stretch(spec: Spec, places: Places) -> None:
    """Everything that a stretch goal names exists, and no two things have one name."""
    if spec.stretch is None:
        return
    gates = [gate.gate for gate in spec.rubric]
    check_known(spec.stretch.needs, gates, "gate", places, "stretch", "needs")
    taken = {name.casefold() for name in gates}
    fixtures = {fixture.id for fixture in spec.fixtures}
    for index, goal in enumerate(spec.stretch.goals):
        path = ("stretch", "goals", index)
        if goal.id.casefold() in taken:
            places.error("duplicate-id", f"a gate or another goal is called `{goal.id}`", *path, "id")
        taken.add(goal.id.casefold())
        for number, fixture in enumerate(goal.fixtures):
            if fixture.id in fixtures:
                message = f"another fixture is called `{fixture.id}`"
                places.error("duplicate-id", message, *path, "fixtures", number, "id")
            fixtures.add(fixture.id)
            _check_joins_no_gate(fixture, places, *path, "fixtures", number, "gates")
        known = [fixture.id for fixture in (*spec.fixtures, *goal.fixtures)]
        for number, check in enumerate(goal.checks):
            check_known(check.fixtures or [], known, "fixture", places, *path, "checks", number, "fixtures")
        _check_change(index, goal, places)
        if not goal.fixtures and any(check.fixtures is None for check in goal.checks):
            places.error("goal-without-fixture", f"the goal `{goal.id}` has no fixture to check", *path, "checks")


def _check_joins_no_gate(fixture: FixtureSpec, places: Places, *path: Step) -> None:
    """Gates are held against the lab's own table, and a goal's fixture ends as the table of its goal says."""
    if fixture.gates:
        message = f"the fixture `{fixture.id}` belongs to a goal and can't count for a gate"
        advice = "leave out its `gates`; the goal's own checks are made on it"
        places.key_error("goal-fixture-in-gate", message, *path, help=advice)


def _check_change(index: int, goal: GoalSpec, places: Places) -> None:
    """A goal changes what the student writes, and nothing that is the same for everybody."""
    path = ("stretch", "goals", index, "change")
    for key, (code, what, advice) in _FIXED.items():
        if key in goal.change:
            places.key_error(code, f"the goal `{goal.id}` changes {what}", *path, key, help=advice)


def resolve_stretch(spec: Spec, fixtures: tuple[Fixture, ...], places: Places) -> Stretch | None:
    """The stretch goals. That a goal changes how a fixture of the lab ends is a finding."""
    if spec.stretch is None:
        return None
    root = loop_part(places.root)
    together: Changed | None = None
    goals = []
    for index, goal in enumerate(spec.stretch.goals):
        alone = _change(index, goal, root, places)
        together = _change(index, goal, root if together is None else together.root, places) if alone else None
        if alone is None or together is None:
            return None
        goals.append(_goal(index, goal, alone, places))
        _check_fixtures_stand(index, goal, fixtures, alone, places)
    return None if together is None else _stretch(spec.stretch, goals, together)


def _stretch(spec: StretchSpec, goals: list[Goal], together: Changed) -> Stretch:
    machine = to_machine(together.loop)
    return Stretch(spec.points, spec.pick, tuple(spec.needs), tuple(goals), together.loop, machine)


def _change(index: int, goal: GoalSpec, base: Mapping, places: Places) -> Changed | None:
    change = places.node("stretch", "goals", index, "change") or Mapping((), places.at("stretch", "goals", index))
    return change_loop(base, change, f"goal `{goal.id}`", places)


def _goal(index: int, spec: GoalSpec, changed: Changed, places: Places) -> Goal:
    machine = to_machine(changed.loop)
    section = ("stretch", "goals", index, "fixtures")
    fixtures = resolve_fixtures(spec.fixtures, changed.loop, Runs(machine), places, *section)
    own = tuple(fixture.id for fixture in spec.fixtures)
    checks = tuple(Check(one.check, own if one.fixtures is None else tuple(one.fixtures)) for one in spec.checks)
    return Goal(spec.id, spec.title, spec.says, spec.points, changed.loop, machine, fixtures, checks)


def _check_fixtures_stand(
    index: int, goal: GoalSpec, fixtures: tuple[Fixture, ...], changed: Changed, places: Places
) -> None:
    """Who reaches the goal still earns the gates: every fixture of the lab ends as before."""
    runs = Runs(to_machine(changed.loop))
    for fixture in fixtures:
        reached = runs.on(fixture.simulated)
        reason = "no exit at all" if reached is None else reached.ending.reason
        if reason != fixture.ending.reason:
            message = (
                f"with the goal `{goal.id}`, the fixture `{fixture.id}` ends in `{reason}` "
                f"and no longer in `{fixture.ending.reason}`"
            )
            advice = "a goal may only change runs that no gate checks"
            places.error("goal-changes-fixture", message, "stretch", "goals", index, "change", help=advice)
