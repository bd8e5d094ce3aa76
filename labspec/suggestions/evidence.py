"""What commands come to, as far as the fixtures of a lab show it.

A fixture says of each call of a command whether it will pass. Those claims have been held against the real command, so
the same command passes or fails again where it finds the same workspace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from labspec.machine.runner import Loop, Machine, Result, drive
from labspec.machine.simulation import SimulatedTools

if TYPE_CHECKING:
    from labspec.lab.model import Lab

State = tuple[object, ...]


class Evidence:
    """Answers what a command will come to in a workspace."""

    def __init__(self, lab: Lab) -> None:
        machine = Machine(lab.machine)
        self._given = dict(lab.workspace.files) if lab.workspace else {}
        self._seen: dict[tuple[str, State], list[tuple[int, bool]]] = {}
        self.workspaces: list[dict[str, Any]] = []
        """How the workspaces differ from the lab's in which fixtures call a command first, after what they wrote."""
        for fixture in lab.fixtures:
            tools = _Watched(machine, fixture.simulated, self._seen)
            drive(Loop(machine, fixture.budgets), fixture.simulated["planned_calls"], None, tools)
            if tools.found is not None and not tools.links:
                self._keep(tools.found)

    def _keep(self, files: Mapping[str, str]) -> None:
        gone = {path: None for path in self._given if path not in files}
        differs = {path: text for path, text in files.items() if self._given.get(path) != text}
        workspace = {"files": {**gone, **differs}}
        if workspace["files"] and workspace not in self.workspaces:
            self.workspaces.append(workspace)

    def says(self, command: str, state: State, earlier: int) -> bool | None:
        """Whether the command will pass in this workspace, after `earlier` calls of commands; None: nothing shows it.

        A command can leave behind what no tool can see, so the number of earlier calls counts where it is known.
        """
        seen = self._seen.get((command, state), [])
        exactly = {passed for count, passed in seen if count == earlier}
        passed = exactly or {passed for _, passed in seen}
        return next(iter(passed)) if len(passed) == 1 else None


class _Watched(SimulatedTools):
    """Tools that write down what commands come to, and in which workspace.

    `found` are the files that the first command finds, if there is one.
    """

    def __init__(
        self,
        machine: Machine,
        fixture: Mapping[str, Any],
        seen: dict[tuple[str, State], list[tuple[int, bool]]],
    ) -> None:
        super().__init__(machine, fixture)
        self._seen = seen
        self._commands = 0
        self.found: Mapping[str, str] | None = None

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        """Run a call that has no problem."""
        if self.machine.kinds[name] == "command" and self.found is None:
            self.found = self.after()
        result = super().run(name, step)
        if self.machine.kinds[name] == "command":
            self._seen.setdefault((name, self.state()), []).append((self._commands, result.ok))
            self._commands += 1
        return result
