"""The hints a failing test can give: what each listed mistake would record on a fixture, and the hint that helps then.

Only a signature of the wrong exit goes into the student repository, and the hint; never the mistake's machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.contract import exit_signature
from labspec.machine.runner import Machine, MachineError
from labspec.machine.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from labspec.lab.model import Fixture, Lab

Hints = dict[str, str]
"""Hints by the signature of the exit they help with."""


def plan_hints(lab: Lab, fixtures: Iterable[Fixture]) -> Mapping[str, Hints]:
    """The hints for each fixture, by its id. Where two mistakes end alike, the one listed first speaks."""
    hints: dict[str, Hints] = {fixture.id: {} for fixture in fixtures}
    for mistake in lab.mistakes:
        if mistake.hint is None:
            continue
        machine = Machine(mistake.machine)
        for name, known in hints.items():
            signature = _signature(machine, lab.fixture(name))
            if signature is not None and signature != _right(lab.fixture(name)):
                known.setdefault(signature, mistake.hint)
    return hints


def _signature(machine: Machine, fixture: Fixture) -> str | None:
    """The signature a mistake leaves on a fixture; None if it never ends, or can't take the fixture's budgets."""
    try:
        ending = simulate(machine, fixture.simulated).ending
    except MachineError:
        return None
    return exit_signature(machine.recorder.record(ending, "run", fixture.id))


def _right(fixture: Fixture) -> str:
    ending = fixture.ending
    record = {
        "reason": ending.reason,
        "turns": ending.turns,
        "tool_names": list(ending.tool_names),
        "last_error": ending.last_error,
    }
    return exit_signature(record)
