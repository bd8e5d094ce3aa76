"""What changed in how work is judged: gates and their points, mistakes, stretch goals, and what people grade."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from labspec.differences.items import changes, from_to, lists, moved
from labspec.differences.model import Change

if TYPE_CHECKING:
    from labspec.lab.model import Check, Gate, Goal, Lab, MachineData, ManualItem, Mistake, Stretch, Zero


def gate_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """The points of the lab, then gates removed, added, changed, and in another order."""
    if total := tuple(from_to("points", old.points, new.points)):
        yield Change("changed", "total of", "all gates", total)
    before, after = ({gate.id: gate for gate in lab.rubric} for lab in (old, new))
    yield from changes("gate", before, after, _gate_differs, lambda gate: iter((_points(gate.points),)))
    for name in moved(list(before), list(after)):
        yield Change("moved", "gate", name)
    if details := tuple(lists("rules of the whole lab", _zeros(old.zero_if), _zeros(new.zero_if))):
        yield Change("changed", "rules of", "automatic zeros", details)


def _points(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


def _gate_differs(old: Gate, new: Gate) -> Iterator[str]:
    yield from from_to("points", old.points, new.points)
    yield from lists("checks", _checks(old.checks), _checks(new.checks))
    yield from lists("automatic zeros", _zeros(old.zero_if), _zeros(new.zero_if))
    yield from from_to("asks of the student's own tests", _own_tests(old), _own_tests(new))


def _own_tests(gate: Gate) -> str:
    asked = gate.tests_catch
    return "" if asked is None else f"{asked.at_least} of {', '.join(asked.mistakes)}"


def _checks(checks: tuple[Check, ...]) -> list[str]:
    return [f"{check.kind} on {fixture}" for check in checks for fixture in check.fixtures]


def _zeros(zeros: tuple[Zero, ...]) -> list[str]:
    return [f"{zero.kind} {', '.join(zero.gates)}".strip() for zero in zeros]


def mistake_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Mistakes removed, added, with other gates that they cost, and with another wrong loop."""
    before, after = ({one.id: (one, lab.machine) for one in lab.mistakes} for lab in (old, new))
    yield from changes("mistake", before, after, _mistake_differs, lambda one: iter((_costs(one[0]),)))


def _costs(mistake: Mistake) -> str:
    return f"costs {', '.join(mistake.costs)}"


def _mistake_differs(old: tuple[Mistake, MachineData], new: tuple[Mistake, MachineData]) -> Iterator[str]:
    yield from from_to("costs", old[0].costs, new[0].costs)
    yield from from_to("listed beside row", old[0].row, new[0].row)
    if _slip(*old) != _slip(*new):
        yield "its wrong loop is wrong in another way"


def _slip(changed: Mistake | Goal, machine: MachineData) -> dict[str, Any]:
    """In what the machine of a mistake or a goal is not the machine of its lab."""
    slip: dict[str, Any] = {}
    for key, value in changed.machine.items():
        if value == machine[key]:
            continue
        own, right = (_by_name(data) for data in (value, machine[key]))
        slip[key] = [name for name in right if name not in own]
        slip[f"{key} instead"] = {name: one for name, one in own.items() if name not in right or right[name] != one}
        slip[f"{key} moved"] = moved(list(right), list(own))
    return slip


def _by_name(data: Any) -> dict[str, Any]:
    if isinstance(data, dict):
        return data
    return {row["id"]: row for row in data} if isinstance(data, list) else {"": data}


def goal_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Stretch goals and what is graded by a person."""
    if (old.stretch is None) != (new.stretch is None):
        yield Change("removed" if new.stretch is None else "added", "section", "stretch")
    elif old.stretch is not None and new.stretch is not None:
        yield from _stretch_changes(old, old.stretch, new, new.stretch)
    before, after = ({item.id: item for item in lab.manual} for lab in (old, new))
    yield from changes("graded by a person:", before, after, _manual_differs)


def _stretch_changes(old: Lab, one: Stretch, new: Lab, other: Stretch) -> Iterator[Change]:
    settings = (*from_to("points", one.points, other.points), *from_to("pick", one.pick, other.pick))
    if details := (*settings, *from_to("needs", one.needs, other.needs)):
        yield Change("changed", "section", "stretch", details)
    before = {goal.id: (goal, old.machine) for goal in one.goals}
    after = {goal.id: (goal, new.machine) for goal in other.goals}
    yield from changes("stretch goal", before, after, _goal_differs, lambda one: iter((_points(one[0].points),)))


def _goal_differs(old: tuple[Goal, MachineData], new: tuple[Goal, MachineData]) -> Iterator[str]:
    yield from from_to("points", old[0].points, new[0].points)
    yield from lists("checks", _checks(old[0].checks), _checks(new[0].checks))
    if _slip(*old) != _slip(*new):
        yield "it changes the loop in another way"


def _manual_differs(old: ManualItem, new: ManualItem) -> Iterator[str]:
    yield from from_to("points", old.points, new.points)
