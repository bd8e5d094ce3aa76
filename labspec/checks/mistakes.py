"""Which gates a mistake costs: the contract's own checks, held against the mistaken machine in this process."""

from __future__ import annotations

from labspec.contract import CHECKS, Bench, ContractFailure, Expected, Observation
from labspec.lab.model import Fixture, Gate, Lab
from labspec.lab.places import Places
from labspec.machine.runner import Ending, Machine, MachineError, run


def check_mistakes(lab: Lab, machine: Machine, places: Places) -> None:
    """Every mistake costs exactly the gates it says, and the reference none."""
    judge = _Judge(lab)
    for gate in judge.failed_gates(machine, suspect_all=True):
        index = [one.id for one in lab.rubric].index(gate)
        message = f"the reference runner itself does not earn the gate `{gate}`"
        places.error("reference-fails-gate", message, "rubric", index, "checks", help="look at what its checks ask for")
    for index, mistake in enumerate(lab.mistakes):
        failed = judge.failed_gates(Machine(mistake.machine), suspect_all=bool(mistake.machine["recorder"]))
        _compare(index, mistake.id, mistake.costs, failed, places)


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
    """Holds machines against the rubric, in this process and in memory."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._expected = {fixture.id: _expected(lab, fixture) for fixture in lab.fixtures}

    def failed_gates(self, machine: Machine, *, suspect_all: bool) -> list[str]:
        """The gates that a runner of `machine` does not earn, in the order of the rubric.

        Unless all fixtures are suspect, checks are made only on those that the machine ends in another way than the
        reference: on the others it leaves the same record, and the reference passes.
        """
        execute = InProcess(machine, self._lab)
        suspects = {fixture.id for fixture in self._lab.fixtures if suspect_all or not execute.agrees(fixture)}
        return [gate.id for gate in self._lab.rubric if self._fails(gate, execute, suspects)]

    def _fails(self, gate: Gate, execute: InProcess, suspects: set[str]) -> bool:
        return any(
            _fails(check.kind, execute, name, self._expected[name])
            for check in gate.checks
            for name in check.fixtures
            if name in suspects
        )


def _fails(kind: str, execute: InProcess, fixture: str, wanted: Expected) -> bool:
    try:
        CHECKS[kind](Bench(execute), fixture, wanted)
    except ContractFailure:
        return True
    return False


def _expected(lab: Lab, fixture: Fixture) -> Expected:
    ending = fixture.ending
    return Expected(
        reason=ending.reason,
        turns=ending.turns,
        tool_names=ending.tool_names,
        last_error=ending.last_error,
        exit_code=ending.exit_code,
        decided_by=f"row `{ending.row}`",
        max_error_chars=lab.max_error_chars,
    )


class InProcess:
    """An `Execute` for the contract's checks: what a runner of a machine leaves behind, without a process or a file.

    A run is made once for each fixture: machines are deterministic.
    """

    def __init__(self, machine: Machine, lab: Lab) -> None:
        self._machine = machine
        self._fixtures = {fixture.id: fixture.data for fixture in lab.fixtures}
        self._endings: dict[str, Ending | None] = {}

    def __call__(self, fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        """Run a fixture after `earlier` has been recorded."""
        ending = self._ending(fixture_id)
        if ending is None:
            return Observation(exit_code=None, ledger=earlier, trouble="did not end: no row ended the loop")
        recorder = self._machine.recorder
        lines = recorder.lines_of(self._machine, ending, run_id, fixture_id)
        return Observation(recorder.exit_code_of(ending), recorder.ledger_after(earlier, lines))

    def agrees(self, fixture: Fixture) -> bool:
        """Whether the machine ends `fixture` as the reference does."""
        ended, wanted = self._ending(fixture.id), fixture.ending
        return ended is not None and (
            (ended.reason, ended.turns, ended.tool_names, ended.last_error, ended.exit_code)
            == (wanted.reason, wanted.turns, wanted.tool_names, wanted.last_error, wanted.exit_code)
        )

    def _ending(self, fixture_id: str) -> Ending | None:
        if fixture_id not in self._endings:
            try:
                self._endings[fixture_id] = run(self._machine, self._fixtures[fixture_id], "in-process")
            except MachineError:
                self._endings[fixture_id] = None
        return self._endings[fixture_id]
