"""What the contract expects of a fixture, in the words that the tests of the student repository print."""

from __future__ import annotations

from labspec.conditions import to_english
from labspec.contract import Expected
from labspec.lab.model import Fixture, Lab


def expected(lab: Lab, fixture: Fixture) -> Expected:
    """The exit that the decision table calls for on `fixture`, and the row that decides it."""
    ending = fixture.ending
    return Expected(
        reason=ending.reason,
        turns=ending.turns,
        tool_names=ending.tool_names,
        last_error=ending.last_error,
        exit_code=ending.exit_code,
        decided_by=decided_by(lab, fixture),
        max_error_chars=lab.errors.max_chars or 80,
    )


def decided_by(lab: Lab, fixture: Fixture) -> str:
    """Which row ends the run of `fixture`, when, and under which condition."""
    row = lab.row(fixture.ending.row)
    turn = fixture.ending.turns + (1 if row.at == "turn" else 0)
    words = row.says or (to_english(row.when) if row.when is not None else "always")
    return f"row {row.number} `{row.id}`, at `{row.at}` of turn {turn}: {words}"
