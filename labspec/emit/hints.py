"""What a failing test can say of a wrong ending that is known: which listed mistakes end exactly so, and their hints.

Only a signature of the wrong ending goes into the student repository, and these words; never the mistake's machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from labspec.contract import ending_signature, exit_signature
from labspec.machine.runner import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from labspec.lab.model import Fixture, Lab, Mistake

Hints = dict[str, str]
"""For the signature of a wrong ending, the mistakes it looks like with their hints, ready to print."""

HintsByCheck = Mapping[tuple[str, str], Hints]
"""For the kind of a check and the id of a fixture, the hints that its failure can give."""


def plan_hints(lab: Lab, fixtures: Iterable[Fixture]) -> HintsByCheck:
    """The hints for each fixture. Where several mistakes end alike, all of them are named."""
    hints: dict[tuple[str, str], Hints] = {}
    for fixture in fixtures:
        alike: dict[tuple[str, str], list[Mistake]] = {}
        right = exit_signature(Recorder().record(fixture.ending, "run", fixture.id))
        for mistake in lab.mistakes:
            for kind, signature in _wrong_signatures(mistake, fixture, right):
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


def _wrong_signatures(mistake: Mistake, fixture: Fixture, right: str) -> Iterator[tuple[str, str]]:
    """What a mistake leaves on a fixture that is not right, by the kind of the check that sees it.

    Nothing if the mistake never ends there, or can't take the fixture's budgets. `right` is the signature of the exit
    that is right.
    """
    reached = mistake.runs.on(fixture.simulated)
    if reached is None:
        return
    ending, recorder = reached.ending, mistake.runs.machine.recorder
    if ending.seen() == fixture.ending.seen() and not mistake.machine["recorder"]:
        return
    record = recorder.record(ending, "run", fixture.id)
    seen = exit_signature(record)
    if seen != right:
        yield "exit", seen
    code = recorder.exit_code_of(ending)
    if code != fixture.ending.exit_code:
        yield "exit_code", ending_signature(record, code)
