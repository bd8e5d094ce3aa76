"""Which gates a mistake costs: the contract's own checks, held against the mistaken machine in this process."""

from __future__ import annotations

import json

from labspec.checks.expected import what_a_trace_shows
from labspec.contract import CHECKS, Bench, ContractFailure, Expected, Observation
from labspec.lab.model import Check, Fixture, Lab
from labspec.lab.places import Places
from labspec.machine.runner import closing_event, fuel_report
from labspec.machine.runs import Runs, have_same_loop
from labspec.machine.simulation import Simulated


def check_mistakes(lab: Lab, judge: Judge, places: Places) -> None:
    """Every mistake costs exactly the gates it says, and the reference none."""
    for gate in judge.failed_gates(Runs(lab.machine)):
        index = [one.id for one in lab.rubric].index(gate)
        message = f"the reference runner itself does not earn the gate `{gate}`"
        places.error("reference-fails-gate", message, "rubric", index, "checks", help="look at what its checks ask for")
    for index, mistake in enumerate(lab.mistakes):
        failed = judge.failed_gates(mistake.runs)
        _compare(index, mistake.id, mistake.costs, failed, places)


def _compare(index: int, name: str, claimed: tuple[str, ...], failed: list[str], places: Places) -> None:
    path = ("mistakes", index, "costs")
    if not failed:
        message = f"nobody catches the mistake `{name}`: its runner passes every check"
        help = "add a fixture on which it shows to a gate, or a check that sees it"
        places.error("mistake-not-caught", message, *path, help=help)
    elif set(failed) != set(claimed):
        message = f"the mistake `{name}` costs {gates_in_words(failed)}, not {gates_in_words(list(claimed))}"
        places.error("mistake-costs-other-gates", message, *path, help=f"write `costs: [{', '.join(failed)}]`")


def gates_in_words(names: list[str]) -> str:
    """The gates by their names, as part of a sentence."""
    shown = [f"`{name}`" for name in names]
    return f"the gate {shown[0]}" if len(shown) == 1 else f"the gates {', '.join(shown[:-1])} and {shown[-1]}"


Failures = dict[tuple[str, str], bool]
"""For a fixture and the kind of a check, whether it failed."""


Left = dict[tuple[str, bytes | None], Observation]
"""What runs of one fixture left behind, by run id and what stood in the ledger before."""


class Judge:
    """Holds machines against the rubric, in this process and in memory."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._expected = {fixture.id: expected_of(lab, fixture) for fixture in lab.fixtures}
        self._passed: dict[tuple[str, str], Left] = {}
        """For a fixture and the kind of a check, runs with which it passed."""
        pairs = ((name, check.kind) for gate in lab.rubric for check in gate.checks for name in check.fixtures)
        self._pairs = list(dict.fromkeys(pairs))

    def failed_gates(self, runs: Runs) -> list[str]:
        """The gates that a runner of a machine does not earn, in the order of the rubric."""
        runner = InProcess(runs, self._lab)
        failures: Failures = {}
        return [gate.id for gate in self._lab.rubric if self.fails(gate.checks, runner, failures)]

    def catches(self, runs: Runs) -> bool:
        """Whether a runner of a machine fails some gate. What caught the last one is tried first."""
        runner = InProcess(runs, self._lab)
        failures: Failures = {}
        for pair in self._pairs:
            if self._fails(*pair, runner, failures):
                self._pairs.remove(pair)
                self._pairs.insert(0, pair)
                return True
        return False

    def first_check_that_fails(self, runs: Runs) -> tuple[str, str] | None:
        """The kind of a check, and a fixture of the lab, on which a runner of a machine would fail it."""
        runner = InProcess(runs, self._lab)
        for fixture in self._lab.fixtures:
            if runner.leaves_the_reference_record(fixture.id):
                continue
            for kind in kinds_for(self._lab):
                if self._fails_on(fixture.id, kind, runner):
                    return kind, fixture.id
        return None

    def fails(self, checks: tuple[Check, ...], runner: InProcess, failures: Failures | None = None) -> bool:
        """Whether a runner does not pass all of the checks.

        `failures` remembers what came of a check: gates can share checks, and many gates can share many.
        """
        failures = {} if failures is None else failures
        return any(self._fails(name, check.kind, runner, failures) for check in checks for name in check.fixtures)

    def _fails(self, fixture: str, kind: str, runner: InProcess, failures: Failures) -> bool:
        if (fixture, kind) not in failures:
            passes = runner.leaves_the_reference_record(fixture)
            failures[fixture, kind] = not passes and self._fails_on(fixture, kind, runner)
        return failures[fixture, kind]

    def _fails_on(self, fixture: str, kind: str, runner: InProcess) -> bool:
        passed = self._passed.get((fixture, kind))
        if passed is not None and all(runner(fixture, *run) == left for run, left in passed.items()):
            return False  # the check has seen all of this before, and found nothing wrong
        runs: Left = {}

        def execute(fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
            runs[run_id, earlier] = runner(fixture_id, run_id, earlier)
            return runs[run_id, earlier]

        try:
            CHECKS[kind](Bench(execute, runner.report), fixture, self._expected[fixture])
        except ContractFailure:
            return True
        self._passed.setdefault((fixture, kind), runs)
        return False


def kinds_for(lab: Lab) -> list[str]:
    """The kinds of checks that can be made in a lab, `exit` first."""
    without = set[str]() if lab.traced else _OF_TRACES
    without |= set[str]() if lab.workspace is not None else _OF_WORKSPACES
    return [kind for kind in CHECKS if kind not in without]


_OF_TRACES = {"trace", "closing", "use", "report"}
_OF_WORKSPACES = {"workspace", "inside"}


def expected_of(lab: Lab, fixture: Fixture) -> Expected:
    """What the contract expects of a fixture."""
    ending = fixture.ending
    return Expected(
        reason=ending.reason,
        turns=ending.turns,
        tool_names=ending.tool_names,
        last_error=ending.last_error,
        exit_code=ending.exit_code,
        decided_by=f"row `{ending.row}`",
        max_error_chars=lab.max_error_chars,
        **what_a_trace_shows(fixture),
    )


class InProcess:
    """An `Execute` for the contract's checks: what a runner of a machine leaves behind, without a process or a file.

    A machine whose loop is the lab's own ends each fixture as the reference did.
    """

    def __init__(self, runs: Runs, lab: Lab) -> None:
        self._runs = runs
        self._machine = runs.machine
        self._fixtures = {fixture.id: fixture for fixture in lab.fixtures}
        self._is_reference = self._machine.data == lab.machine
        self._ends_as_reference = have_same_loop(self._machine.data, lab.machine)
        self._left: dict[tuple[str, str, bytes | None], Observation] = {}
        self._unchanged: dict[str, bool] = {}

    def __call__(self, fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        """Run a fixture after `earlier` has been recorded."""
        asked = fixture_id, run_id, earlier
        if asked not in self._left:
            self._left[asked] = self._observe(*asked)
        return self._left[asked]

    def _observe(self, fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        reached = self._run(fixture_id)
        if reached is None:
            return Observation(exit_code=None, ledger=earlier, trouble="did not end: no row ended the loop")
        recorder, ending = self._machine.recorder, reached.ending
        lines = recorder.lines_of(self._machine, ending, run_id, fixture_id)
        events = recorder.events_of(self._machine, ending, reached.events)
        return Observation(
            exit_code=recorder.exit_code_of(ending),
            ledger=recorder.ledger_after(earlier, lines),
            trace=None if events is None else json.dumps(events).encode("ascii"),
            files=reached.files,
            outside=reached.outside,
        )

    def report(self, trace: bytes) -> Observation:
        """Print the fuel report of a trace, as the reference does."""
        closing = closing_event(json.loads(trace))
        text = "\n".join(fuel_report(closing))
        return Observation(exit_code=0 if closing is not None else 1, ledger=None, stdout=text)

    def leaves_the_reference_record(self, fixture_id: str) -> bool:
        """Whether a run of the fixture is known to leave what the reference leaves, which need not be checked again.

        Never so for the reference itself, nor for a recorder with a slip.
        """
        if fixture_id not in self._unchanged:
            self._unchanged[fixture_id] = self._is_unchanged(fixture_id)
        return self._unchanged[fixture_id]

    def _is_unchanged(self, fixture_id: str) -> bool:
        if self._is_reference or self._machine.data["recorder"]:
            return False
        reached, wanted = self._run(fixture_id), _run_of(self._fixtures[fixture_id])
        if reached is None or reached.ending.seen() != wanted.ending.seen():
            return False
        return (reached.files, reached.events) == (wanted.files, wanted.events)

    def _run(self, fixture_id: str) -> Simulated | None:
        fixture = self._fixtures[fixture_id]
        return _run_of(fixture) if self._ends_as_reference else self._runs.on(fixture.simulated)


def _run_of(fixture: Fixture) -> Simulated:
    """The run of the reference."""
    return Simulated(fixture.ending, fixture.files, list(fixture.trace))
