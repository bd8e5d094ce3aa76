"""The rubric as data: `tests/gates.json`, which the scoreboard of the tests reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labspec.emit.layout import json_file
from labspec.emit.suite import goal_checks, tests_of

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Lab, Stretch, Zero

TIMEOUT_SECONDS = 20
"""How long one run of a student's loop may take. Scripted runs take milliseconds; a loaded laptop takes longer."""

WORKSPACE = "workspace"
"""The folder of a repository with the files that tools work on."""


def gates_json(lab: Lab, fixtures: tuple[Fixture, ...], hidden: bool) -> str:
    """The rubric, as far as it can be judged with these fixtures. What a lab does not have is left out."""
    gates = [
        {
            "id": gate.id,
            "points": gate.points,
            "says": gate.says,
            "file": f"test_{gate.id}.py",
            "tests": tests_of(gate, fixtures),
            **_zero_if(gate.zero_if),
        }
        for gate in lab.rubric
        if tests_of(gate, fixtures)
    ]
    data: dict[str, Any] = {"lab": lab.id, "timeout_seconds": _timeout(lab)}
    if lab.traced:
        data["traced"] = True
    if lab.workspace is not None:
        data["workspace"] = {"folder": WORKSPACE, "roots": list(lab.workspace.roots)}
    data |= {"gates": gates, **_zero_if(lab.zero_if)}
    if lab.stretch is not None:
        data["stretch"] = _stretch(lab, lab.stretch, hidden)
    if lab.manual:
        data["manual"] = [{"id": item.id, "points": item.points, "says": item.says} for item in lab.manual]
    return json_file(data)


def _timeout(lab: Lab) -> int:
    """Long enough for the slowest command of the lab to reach its own time limit."""
    return max([TIMEOUT_SECONDS, *(2 * tool.command.seconds for tool in lab.tools if tool.command is not None)])


def _zero_if(zeros: tuple[Zero, ...]) -> dict[str, Any]:
    return {"zero_if": [_rule(zero) for zero in zeros]} if zeros else {}


def _rule(zero: Zero) -> dict[str, Any]:
    values: dict[str, Any] = {"changed": "tests", "missing": "trace", "without": list(zero.gates)}
    return {zero.kind: values.get(zero.kind, True)}


def _stretch(lab: Lab, stretch: Stretch, hidden: bool) -> dict[str, Any]:
    goals = [
        {
            "id": goal.id,
            "points": goal.points,
            "title": goal.title,
            "file": f"test_{goal.id}.py",
            "tests": len(goal_checks(lab, goal, hidden)),
        }
        for goal in stretch.goals
        if goal_checks(lab, goal, hidden)
    ]
    return {"points": stretch.points, "pick": stretch.pick, "needs": list(stretch.needs), "goals": goals}
