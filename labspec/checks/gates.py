"""What the listed mistakes show of the gates, and whether fixtures repeat each other."""

from __future__ import annotations

from typing import Any

from labspec.lab.model import Fixture, Gate, Lab
from labspec.lab.places import Places


def check_gates(lab: Lab, places: Places) -> None:
    """Every gate is failed by a listed mistake, and by one that no other gate catches or for a reason."""
    for index, gate in enumerate(lab.rubric):
        if not gate.checks:  # about the student's own tests: an empty file fails it, and its own mistakes test it
            continue
        costs = [mistake.costs for mistake in lab.mistakes if gate.id in mistake.costs]
        if not costs:
            _report_idle(gate, index, places)
        elif not any(len(names) == 1 for names in costs) and gate.shared is None:
            _report_shared(gate, index, places)


def _report_idle(gate: Gate, index: int, places: Places) -> None:
    message = f"nothing can fail the gate `{gate.id}`: no listed mistake costs it"
    help = "list a mistake that students make here; until then nobody knows whether the gate's tests bite"
    places.report.warning("gate-nothing-can-fail", message, places.at("rubric", index, "gate"), help=help)


def _report_shared(gate: Gate, index: int, places: Places) -> None:
    message = f"every mistake that costs the gate `{gate.id}` costs another gate as well"
    help = "list a mistake that only this gate catches, or say with `shared: ...` why there is none"
    places.report.warning("gate-never-alone", message, places.at("rubric", index, "gate"), help=help)


def check_fixtures(lab: Lab, places: Places) -> None:
    """Every fixture is looked at by a check, and none repeats an earlier one."""
    checked = {name for gate in lab.rubric for check in gate.checks for name in check.fixtures}
    if lab.stretch is not None:
        checked |= {name for goal in lab.stretch.goals for check in goal.checks for name in check.fixtures}
    first: dict[str, Fixture] = {}
    for index, fixture in enumerate(lab.fixtures):
        before = first.setdefault(repr(_what_happens(fixture)), fixture)
        if fixture.id not in checked:
            help = "name it in the checks of a gate, or give it `gates: [...]`"
            _report(f"no check is made on the fixture `{fixture.id}`", index, help, places)
        elif before is not fixture:
            help = "take one of them away, or let it show something else"
            _report(f"the fixture `{fixture.id}` does what `{before.id}` does", index, help, places)


def _report(message: str, index: int, help: str, places: Places) -> None:
    places.report.warning("fixture-adds-nothing", message, places.at("fixtures", index, "id"), help=help)


def _what_happens(fixture: Fixture) -> dict[str, Any]:
    """A fixture without its words, and without payloads: no runner looks into those."""
    calls = [
        {key: value for key, value in step.items() if key != "payload"} for step in fixture.simulated["planned_calls"]
    ]
    return {**fixture.simulated, "id": "", "goal": "", "planned_calls": calls}
