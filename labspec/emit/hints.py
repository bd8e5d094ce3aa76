"""What a failing test can say of a wrong ending that is known: which listed mistakes end exactly so, and their hints.

Only a signature of the wrong ending goes into the student repository, and these words; never the mistake's machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from labspec.contract import ending_signature, exit_signature
from labspec.machine.runner import Machine, MachineError, Recorder
from labspec.machine.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from labspec.lab.model import Fixture, Lab, Mistake

Hints = dict[str, str]
"""For the signature of a wrong ending, the mistakes it looks like with their hints, ready to print."""

HintsByCheck = Mapping[tuple[str, str], Hints]
"""For the kind of a check and the id of a fixture, the hints that its failure can give."""


def plan_hints(lab: Lab, fixtures: Iterable[Fixture]) -> HintsByCheck:
    """The hints for each fixture. Where several mistakes end alike, all of them are named."""
    machines = [(mistake, Machine(mistake.machine)) for mistake in lab.mistakes]
    hints: dict[tuple[str, str], Hints] = {}
    for fixture in fixtures:
        alike: dict[tuple[str, str], list[Mistake]] = {}
        for mistake, machine in machines:
            for kind, signature in _wrong_signatures(machine, fixture):
                alike.setdefault((kind, signature), []).append(mistake)
        for (kind, signature), mistakes in alike.items():
            hints.setdefault((kind, fixture.id), {})[signature] = _words(mistakes)
    return hints


def _words(mistakes: Sequence[Mistake]) -> str:
    """The mistakes that a wrong ending looks like, as lines: each with its hint below it, if it has one."""
    lines: list[str] = []
    for mistake in mistakes:
        lines.append(f"{'or' if lines else 'looks like'}: {mistake.says}")
        lines += [] if mistake.hint is None else [f"hint: {mistake.hint.rstrip()}"]
    return "\n".join(lines)


def _wrong_signatures(machine: Machine, fixture: Fixture) -> Iterator[tuple[str, str]]:
    """What a mistake leaves on a fixture that is not right, by the kind of the check that sees it.

    Nothing if the mistake never ends there, or can't take the fixture's budgets.
    """
    try:
        ending = simulate(machine, fixture.simulated).ending
    except MachineError:
        return
    if ending.seen() == fixture.ending.seen() and not machine.data["recorder"]:
        return
    record = machine.recorder.record(ending, "run", fixture.id)
    if exit_signature(record) != exit_signature(Recorder().record(fixture.ending, "run", fixture.id)):
        yield "exit", exit_signature(record)
    code = machine.recorder.exit_code_of(ending)
    if code != fixture.ending.exit_code:
        yield "exit_code", ending_signature(record, code)
