"""Which gates a mistake costs: the contract's own checks, held against the mistaken machine in this process."""

from __future__ import annotations

import tempfile
from pathlib import Path

from labspec.checks.expected import expected
from labspec.contract import CHECKS, Bench, ContractFailure, Execute, Expected, Observation
from labspec.lab.model import Fixture, Gate, Lab, MachineData
from labspec.lab.places import Places
from labspec.machine.runner import Machine, MachineError, run


def check_mistakes(lab: Lab, machine: Machine, places: Places) -> None:
    """Every mistake costs exactly the gates it says, and the reference none."""
    with tempfile.TemporaryDirectory(prefix="labspec-") as folder:
        judge = _Judge(lab, Path(folder))
        assert not judge.failed_gates(machine.data), "the reference must pass every check"
        for index, mistake in enumerate(lab.mistakes):
            _compare(index, mistake.id, mistake.costs, judge.failed_gates(mistake.machine), places)


def _compare(index: int, name: str, claimed: tuple[str, ...], failed: list[str], places: Places) -> None:
    path = ("mistakes", index, "costs")
    if not failed:
        message = f"nobody catches the mistake `{name}`: its runner passes every check"
        help = "add a fixture on which it shows to a gate, or a check that sees it"
        places.error("mistake-not-caught", message, *path, help=help)
    elif set(failed) != set(claimed):
        message = f"the mistake `{name}` costs {_gates(failed)}, not {_gates(list(claimed))}"
        places.error("mistake-costs-other-gates", message, *path, help=f"write `costs: [{', '.join(failed)}]`")


def _gates(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names]
    return f"the gate {shown[0]}" if len(shown) == 1 else f"the gates {', '.join(shown[:-1])} and {shown[-1]}"


class _Judge:
    """Holds machines against the rubric. A check is made only on fixtures where the machine can differ from the
    reference: on all if its recorder has a slip, otherwise on those it ends in another way."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self._lab = lab
        self._folder = folder
        self._expected = {fixture.id: expected(lab, fixture) for fixture in lab.fixtures}

    def failed_gates(self, data: MachineData) -> list[str]:
        """The gates that a runner of the machine `data` does not earn, in the order of the rubric."""
        machine = Machine(data)
        suspects = self._suspects(machine)
        execute = in_process(machine, self._lab)
        return [gate.id for gate in self._lab.rubric if self._fails(gate, execute, suspects)]

    def _suspects(self, machine: Machine) -> set[str]:
        fixtures = self._lab.fixtures
        if machine.data["recorder"] or machine.data is self._lab.machine:
            return {fixture.id for fixture in fixtures}
        return {fixture.id for fixture in fixtures if _differs(machine, fixture)}

    def _fails(self, gate: Gate, execute: Execute, suspects: set[str]) -> bool:
        return any(
            _fails(check.kind, execute, self._folder, name, self._expected[name])
            for check in gate.checks
            for name in check.fixtures
            if name in suspects
        )


def _fails(kind: str, execute: Execute, folder: Path, fixture: str, wanted: Expected) -> bool:
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        try:
            CHECKS[kind](Bench(execute, Path(fresh)), fixture, wanted)
        except ContractFailure:
            return True
    return False


def _differs(machine: Machine, fixture: Fixture) -> bool:
    try:
        ended = run(machine, fixture.data, "compare")
    except MachineError:
        return True
    wanted = fixture.ending
    return (ended.reason, ended.turns, ended.tool_names, ended.last_error, ended.exit_code) != (
        wanted.reason,
        wanted.turns,
        wanted.tool_names,
        wanted.last_error,
        wanted.exit_code,
    )


def in_process(machine: Machine, lab: Lab) -> Execute:
    """A way to run fixtures in this process: what a runner of `machine` would leave behind."""
    fixtures = {fixture.id: fixture.data for fixture in lab.fixtures}

    def execute(fixture_id: str, run_id: str, ledger: Path) -> Observation:
        try:
            ending = run(machine, fixtures[fixture_id], run_id, ledger)
            code: int | None = machine.recorder.exit_code_of(ending)
        except MachineError as error:
            return Observation(exit_code=None, ledger=None, trouble=f"did not end: {error}")
        content = ledger.read_bytes() if ledger.exists() else None
        return Observation(exit_code=code, ledger=content)

    return execute
