"""The hints a failing test can give: what each listed mistake would record on a fixture, and the hint that helps then.

Only a signature of the wrong exit goes into the student repository, and the hint; never the mistake's machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.contract import exit_signature
from labspec.machine.runner import Machine, MachineError, Recorder
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
            signature = _wrong_signature(machine, lab.fixture(name))
            if signature is not None:
                known.setdefault(signature, mistake.hint)
    return hints


def _wrong_signature(machine: Machine, fixture: Fixture) -> str | None:
    """The signature a mistake leaves on a fixture, if it is not the right one.

    None also if the mistake never ends there, or can't take the fixture's budgets.
    """
    try:
        ending = simulate(machine, fixture.simulated).ending
    except MachineError:
        return None
    if ending.seen() == fixture.ending.seen() and not machine.data["recorder"]:
        return None
    signature = exit_signature(machine.recorder.record(ending, "run", fixture.id))
    return None if signature == exit_signature(Recorder().record(fixture.ending, "run", fixture.id)) else signature
