"""An example of a failing test for the guide: what students really see when a loop has one of the listed mistakes.

The contract's own check is made on the mistake's machine, so the example can't say something else than the tests do.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from labspec.contract import Bench, ContractFailure, Observation, check_exit, exit_signature
from labspec.contract.bench import RUN_ID
from labspec.emit.encode import Markdown, markdown_block, markdown_code
from labspec.emit.expected import expected_exit
from labspec.emit.hints import plan_hints
from labspec.emit.suite import checks_of
from labspec.machine.runner import Machine, MachineError
from labspec.machine.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labspec.lab.model import Fixture, Lab


class FailingTest(NamedTuple):
    """A test, how it fails for a loop with a mistake, and whether the message gives a hint."""

    test: Markdown
    message: Markdown
    hints: bool


def plan_failing_test(lab: Lab, fixtures: tuple[Fixture, ...]) -> FailingTest | None:
    """The first test of how a run ends that one of the mistakes fails, mistakes with a hint first.

    None if there is no such test, or no such mistake.
    """
    for mistake in sorted(lab.mistakes, key=lambda mistake: mistake.hint is None):
        machine = Machine(mistake.machine)
        for gate, fixture in _exit_checks(lab, fixtures):
            failure = _failure(lab, machine, fixture)
            if failure is not None:
                return FailingTest(
                    test=markdown_code(f"tests/test_{gate}.py::test_{fixture.id}_exit"),
                    message=markdown_block(_as_pytest_shows(failure)),
                    hints=mistake.hint is not None,
                )
    return None


def _as_pytest_shows(failure: str) -> str:
    return "\n".join(f"E       {line}" for line in f"ContractFailure: {failure}".split("\n"))


def _exit_checks(lab: Lab, fixtures: tuple[Fixture, ...]) -> Iterator[tuple[str, Fixture]]:
    """The tests of how a run ends, by gate and fixture."""
    for gate in lab.rubric:
        yield from ((gate.id, fixture) for kind, fixture in checks_of(gate, fixtures) if kind == "exit")


def _failure(lab: Lab, machine: Machine, fixture: Fixture) -> str | None:
    """What the test says of a runner of this machine; None if it passes, or recognises no mistake."""
    try:
        ending = simulate(machine, fixture.simulated).ending
    except MachineError:
        return None
    if ending.seen() == fixture.ending.seen():
        return None
    record = machine.recorder.record(ending, RUN_ID, fixture.id)
    hints = plan_hints(lab, [fixture]).get(("exit", fixture.id), {})
    if exit_signature(record) not in hints:
        return None
    seen = Observation(machine.recorder.exit_code_of(ending), json.dumps(record).encode("ascii") + b"\n")
    try:
        check_exit(Bench(lambda *_: seen), fixture.id, expected_exit(lab, fixture, hints))
    except ContractFailure as failure:
        return str(failure)
    return None
