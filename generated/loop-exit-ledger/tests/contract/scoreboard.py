"""The rubric as a table of points, from what became of each test.

A gate is earned when all of its tests ran and passed. Nothing here knows of pytest:
`conftest.py` collects the outcomes and prints the lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from .wording import printable, shorten

Status: TypeAlias = Literal["passed", "skipped", "failed", "error"]
STATUSES: tuple[Status, ...] = ("passed", "skipped", "failed", "error")
"""What can become of a test, from good to bad."""

MAX_SAYS = 72

SELF_CHECK = (
    "This is a self-check. What counts is the grade your instructor gives,",
    "and that may look at more than these tests do.",
)


class ScoreboardError(ValueError):
    """The file that describes the gates cannot be used."""


@dataclass(frozen=True)
class Gate:
    """A row of the rubric: its points, and the test file that decides about them.

    `tests` is the number of tests in that file as it was handed out.
    """

    id: str
    points: int
    says: str
    file: str
    tests: int


@dataclass(frozen=True)
class Rubric:
    """The gates of a lab, and how many seconds one run of the program may take."""

    lab: str
    timeout_seconds: float
    gates: tuple[Gate, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of one test; the message is the first line of its failure."""

    status: Status
    message: str = ""


@dataclass(frozen=True)
class Score:
    """A gate together with the outcomes of its tests, by name."""

    gate: Gate
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)

    def count(self, *statuses: Status) -> int:
        """How many of the tests have one of these outcomes."""
        found = (outcome.status for outcome in self.outcomes.values())
        return sum(status in statuses for status in found)

    @property
    def failed(self) -> int:
        """The number of tests that failed or broke."""
        return self.count("failed", "error")

    @property
    def not_run(self) -> int:
        """The number of tests that were skipped, left out or are not there."""
        ran = self.count("passed", "failed", "error")
        return max(self.count("skipped"), self.gate.tests - ran)

    @property
    def earned(self) -> int:
        """The points: all of them, or none."""
        return 0 if self.failed or self.not_run else self.gate.points

    @property
    def state(self) -> str:
        """The gate in two words at most."""
        if self.failed:
            return "missed"
        return "not run" if self.not_run else "earned"


def load_rubric(path: Path) -> Rubric:
    """Read `gates.json`. Raises ScoreboardError with a sentence about the file."""
    try:
        data = json.loads(path.read_text("utf-8"))
        gates = tuple(Gate(**gate) for gate in data["gates"])
        return Rubric(data["lab"], float(data["timeout_seconds"]), gates)
    except OSError as error:
        raise ScoreboardError(f"cannot read {path.name}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ScoreboardError(f"{path.name} is damaged: {error}") from None


def judge(
    rubric: Rubric, outcomes: Mapping[tuple[str, str], Outcome]
) -> tuple[Score, ...]:
    """The score of each gate. The outcomes are keyed by file name and test name."""
    return tuple(
        Score(
            gate,
            {
                test: each
                for (file, test), each in outcomes.items()
                if file == gate.file
            },
        )
        for gate in rubric.gates
    )


def worst(statuses: Iterable[Status]) -> Status:
    """The worst of several outcomes: a test can pass and break while cleaning up."""
    return max(statuses, key=STATUSES.index)


def scoreboard_lines(scores: Iterable[Score]) -> list[str]:
    """The table, its total, and what it is worth."""
    scores = tuple(scores)
    width = max((len(score.gate.id) for score in scores), default=0)
    lines = [_row(score, width) for score in scores]
    earned = sum(score.earned for score in scores)
    points = sum(score.gate.points for score in scores)
    lines.append(f"  {'total':<{width + 9}}  {earned:>3} / {points}")
    whole = sum(score.state != "not run" for score in scores)
    if whole < len(scores):
        lines.append(f"Only {whole} of {len(scores)} gates were run in full.")
    return [*lines, "", *SELF_CHECK]


def _row(score: Score, width: int) -> str:
    gate = score.gate
    says = shorten(" ".join(gate.says.split()), MAX_SAYS)
    row = f"  {score.state:<7}  {gate.id:<{width}}"
    row += f"  {score.earned:>3} / {gate.points:<3}  {says}"
    return row + _remark(score)


def _remark(score: Score) -> str:
    total = max(score.gate.tests, len(score.outcomes))
    remarks = []
    if score.failed:
        remarks.append(f"{score.failed} of {total} tests failed")
    if score.not_run:
        remarks.append(f"{score.not_run} of {total} tests not run")
    return f" ({', '.join(remarks)})" if remarks else ""


def report_data(rubric: Rubric, scores: Iterable[Score]) -> dict[str, Any]:
    """The scores as JSON data, for programs that read them."""
    scores = tuple(scores)
    return {
        "lab": rubric.lab,
        "earned": sum(score.earned for score in scores),
        "points": sum(score.gate.points for score in scores),
        "gates": {score.gate.id: _gate_data(score) for score in scores},
    }


def _gate_data(score: Score) -> dict[str, Any]:
    return {
        "state": score.state,
        "earned": score.earned,
        "points": score.gate.points,
        "not_run": score.not_run,
        "tests": {name: each.status for name, each in score.outcomes.items()},
        "messages": {
            name: printable(each.message, 300)
            for name, each in score.outcomes.items()
            if each.message
        },
    }
