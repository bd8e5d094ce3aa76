"""Points from what became of each test.

A gate is earned when all of its tests ran and passed, and no rule makes it a zero.
Nothing here knows of pytest: `conftest.py` collects the outcomes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from .handed_out import Change
from .rubric import Gate, Rubric, Stretch
from .rules import CHANGED_TESTS, WITHOUT, Rule, first_reason

Status: TypeAlias = Literal["passed", "skipped", "failed", "error"]
STATUSES: tuple[Status, ...] = ("passed", "skipped", "failed", "error")
"""What can become of a test, from good to bad."""


@dataclass(frozen=True)
class Outcome:
    """What became of one test; the message is the first line of its failure.

    `events` are what happened in its runs that a rule may punish.
    """

    status: Status
    message: str = ""
    events: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Score:
    """A gate together with the outcomes of its tests, by name.

    `zeroed` says why it gives no points whatever its tests say, if that is so. A
    stretch goal gives the points `counted`, which can be fewer than it is worth.
    """

    gate: Gate
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    zeroed: str | None = None
    counted: int | None = None

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
    def events(self) -> frozenset[str]:
        """What happened in the runs of all tests."""
        return frozenset().union(*(each.events for each in self.outcomes.values()))

    @property
    def earned(self) -> int:
        """The points: all of them, or none."""
        if self.state != "earned":
            return 0
        return self.gate.points if self.counted is None else self.counted

    @property
    def state(self) -> str:
        """The gate in two words at most."""
        if self.failed:
            return "missed"
        if self.not_run:
            return "not run"
        return "zeroed" if self.zeroed else "earned"


@dataclass(frozen=True)
class Scores:
    """The scores of all gates and stretch goals.

    `zeroed` says why the whole lab gives no points, if that is so; `changes` are the
    files of the tests that are not as they were handed out.
    """

    rubric: Rubric
    gates: tuple[Score, ...]
    goals: tuple[Score, ...] = ()
    zeroed: str | None = None
    changes: tuple[Change, ...] = ()

    @property
    def points(self) -> int:
        """What all gates are worth."""
        return sum(score.gate.points for score in self.gates)

    @property
    def earned(self) -> int:
        """The points of the gates."""
        return 0 if self.zeroed else sum(score.earned for score in self.gates)

    @property
    def stretch(self) -> int:
        """The points of the stretch goals."""
        return 0 if self.zeroed else sum(score.earned for score in self.goals)

    @property
    def total(self) -> int:
        """Everything that the tests give."""
        return self.earned + self.stretch


def judge(
    rubric: Rubric,
    outcomes: Mapping[tuple[str, str], Outcome],
    changes: Sequence[Change] = (),
) -> Scores:
    """The scores. The outcomes are keyed by file name and test name."""
    changed = {CHANGED_TESTS} if changes else set()
    gates = _zero(tuple(_score(gate, outcomes) for gate in rubric.gates), changed)
    earned = _earned(gates)
    events = changed.union(*(outcome.events for outcome in outcomes.values()))
    return Scores(
        rubric,
        gates,
        _judge_goals(rubric.stretch, outcomes, earned) if rubric.stretch else (),
        first_reason(rubric.zero_if, events, earned),
        tuple(changes),
    )


def worst(statuses: Iterable[Status]) -> Status:
    """The worst of several outcomes: a test can pass and break while cleaning up."""
    return max(statuses, key=STATUSES.index)


def _score(gate: Gate, outcomes: Mapping[tuple[str, str], Outcome]) -> Score:
    tests = {
        test: outcome for (file, test), outcome in outcomes.items() if file == gate.file
    }
    return Score(gate, tests)


def _earned(scores: Iterable[Score]) -> frozenset[str]:
    return frozenset(score.gate.id for score in scores if score.state == "earned")


def _zero(scores: tuple[Score, ...], changed: set[str]) -> tuple[Score, ...]:
    """The scores with their zeros. One zero can cause another, so this repeats."""
    while True:
        earned = _earned(scores)
        zeroed = tuple(
            score
            if score.zeroed
            else replace(score, zeroed=_reason(score, changed, earned))
            for score in scores
        )
        if zeroed == scores:
            return scores
        scores = zeroed


def _reason(score: Score, changed: set[str], earned: frozenset[str]) -> str | None:
    return first_reason(score.gate.zero_if, score.events | changed, earned)


def _judge_goals(
    stretch: Stretch,
    outcomes: Mapping[tuple[str, str], Outcome],
    earned: frozenset[str],
) -> tuple[Score, ...]:
    """The stretch goals: those that count, and no more points than there are."""
    needed = Rule(WITHOUT, stretch.needs).reason((), earned)
    scores = [replace(_score(goal, outcomes), zeroed=needed) for goal in stretch.goals]
    earned_goals = [score for score in scores if score.state == "earned"]
    best = sorted(earned_goals, key=lambda score: -score.gate.points)
    left = stretch.points
    counted: dict[str, int] = {}
    for score in best[: stretch.pick]:
        counted[score.gate.id] = min(left, score.gate.points)
        left -= counted[score.gate.id]
    return tuple(
        replace(score, counted=counted.get(score.gate.id, 0)) for score in scores
    )
