"""What one machine comes to on the fixtures of a lab: every step that asks reads the same runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labspec.machine.runner import Machine, MachineError
from labspec.machine.simulation import Simulated, simulate


class Runs:
    """A machine with its runs, each made when it is first asked for. Machines are deterministic: once is enough."""

    def __init__(self, data: dict[str, Any], reference: Runs | None = None) -> None:
        """Compile `data`. A machine that differs from the reference in its recorder only shares the reference's runs.

        Raises MachineError if `data` is not a machine.
        """
        self.data = data
        self.machine = Machine(data)
        self._made: dict[str, tuple[Mapping[str, Any], Simulated | None]] = {}
        if reference is not None and have_same_loop(data, reference.data):
            self._made = reference._made

    def on(self, fixture: Mapping[str, Any]) -> Simulated | None:
        """What comes of a fixture, given as data; None if no row ever ends the loop, or the machine can't take it."""
        made = self._made.get(fixture["id"])
        if made is None or made[0] is not fixture:
            made = self._made[fixture["id"]] = (fixture, self._run(fixture))
        return made[1]

    def _run(self, fixture: Mapping[str, Any]) -> Simulated | None:
        try:
            return simulate(self.machine, fixture)
        except MachineError:
            return None


def have_same_loop(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two machines, as data, differ in their recorders at most."""
    return {**one, "recorder": None} == {**other, "recorder": None}
