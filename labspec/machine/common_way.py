"""The way that a machine and its mutant have in common.

Most mutants keep the meters of the machine, and their rows decide otherwise only here and there. Until then both are
in the same state. So everywhere that the machine can get to is walked once, with a note of what was asked where; a
mutant that decides otherwise about nothing that is ever asked is the same machine in other words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from labspec.machine.alphabet import Step, Vocabulary
from labspec.machine.pairs import Pair, Running
from labspec.machine.runner import MOMENTS, Machine, Row
from labspec.machine.turns import Question, State, Turn, Turns, facts_read_at

THE_END = -1
"""In place of the number of a step: the plan has ended."""


class Place(NamedTuple):
    """A pair of runs, and the way that leads to it: the number of the last step, and the place before."""

    pair: Pair
    number: int = THE_END
    before: Place | None = None

    def numbers(self) -> list[int]:
        """The numbers of the steps that lead here."""
        way, place = list[int](), self
        while place.before is not None:
            way.append(place.number)
            place = place.before
        return way[::-1]


class Branches(NamedTuple):
    """Where a mutant may leave the common way after so many steps: a place, and the numbers of the steps to look at."""

    place: Place
    numbers: Sequence[int]


class CommonWay:
    """Everywhere that a machine can get to by some steps, nearest first.

    If there are more than about `limit` places, the way is not `complete`, and there is no use in it.
    """

    def __init__(self, turns: Turns, steps: Mapping[int, Step], limit: int) -> None:
        self._turns = turns
        self._steps = steps
        self._levels: list[list[Place]] = []
        self.complete = self._walk(limit)
        self._asked = self._index() if self.complete else {}

    def branches(self, mutant: SharedTurns) -> Iterator[list[Branches]]:
        """For each number of steps, where a mutant may leave the common way."""
        leaves: dict[State, dict[int, None]] = defaultdict(dict)
        for question, places in self._asked.items():
            if mutant.decides_otherwise(question):
                for state, number in places:
                    leaves[state][number] = None
        for level in self._levels if leaves else ():
            yield [
                Branches(place, sorted(leaves[place.pair.own.state]))
                for place in level
                if isinstance(place.pair.own, Running) and place.pair.own.state in leaves
            ]

    def _walk(self, limit: int) -> bool:
        start = Running(self._turns.start, None)
        level, seen = [Place(Pair(start, start))], {start}
        while level and len(seen) <= limit:
            self._levels.append(level)
            following = []
            for place in level:
                for number, run in self._next(place.pair):
                    if run not in seen:
                        seen.add(run)
                        following.append(Place(Pair(run, run), number, place))
            level = following
        return not level

    def _next(self, pair: Pair) -> Iterator[tuple[int, Running]]:
        if isinstance(pair.own, Running):
            for number, step in self._steps.items():
                turn = self._turns.take(pair.own.state, number, step)
                if turn.row is None:
                    yield number, Running(turn.state, turn.error or pair.own.error)

    def _index(self) -> Mapping[Question, list[tuple[State, int]]]:
        """For each question, from which states and by which steps it comes up."""
        asked: dict[Question, list[tuple[State, int]]] = defaultdict(list)
        places = (place for level in self._levels for place in level)
        for state in {place.pair.own.state for place in places if isinstance(place.pair.own, Running)}:
            for question in self._turns.tail(state).asked:
                asked[question].append((state, THE_END))
            for number, step in self._steps.items():
                for question in self._turns.take(state, number, step).asked:
                    asked[question].append((state, number))
        return asked


class SharedTurns(Turns):
    """The turns of a mutant: those of the machine, except where its rows decide otherwise."""

    def __init__(self, turns: Turns, mutant: Machine, vocabulary: Vocabulary) -> None:
        super().__init__(mutant, vocabulary, traced=turns.traced)
        self._shared = turns
        self._reads = {at: facts_read_at(turns.machine, at) for at in MOMENTS}
        self._limits = {f"budgets.{name}": limit for name, limit in mutant.budgets.items()}
        self._otherwise: dict[Question, bool] = {}
        rows, own = turns.machine.data["rows"], mutant.data["rows"]
        same_budgets = mutant.budgets == turns.machine.budgets
        self._changed = {at for at in MOMENTS if not same_budgets or _rows_at(rows, at) != _rows_at(own, at)}

    def take(self, state: State, number: int, step: Step) -> Turn:
        """What comes of a turn with a step."""
        turn = self._shared.take(state, number, step)
        return super().take(state, number, step) if any(map(self.decides_otherwise, turn.asked)) else turn

    def end(self, state: State) -> Turn:
        """What comes of a turn once the plan has ended."""
        turn = self._shared.end(state)
        return super().end(state) if any(map(self.decides_otherwise, turn.asked)) else turn

    def decides_otherwise(self, question: Question) -> bool:
        """Whether another thing happens than in the machine when this is asked."""
        if question[0] not in self._changed:
            return False
        known = self._otherwise.get(question)
        if known is None:
            row = self._decide(*question)
            known = self._otherwise[question] = _effect(row) != _effect(self._shared.answer(question))
        return known

    def _decide(self, at: str, *values: Any) -> Row | None:
        facts = {**self._limits, **dict(zip(self._reads[at], values, strict=True))}
        return next((row for row in self.machine.rows_at[at] if row.when(facts)), None)


def _rows_at(rows: Sequence[Mapping[str, Any]], at: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["at"] == at]


def _effect(row: Row | None) -> tuple[Any, ...]:
    """What a row does when it fires, whatever it is called."""
    return () if row is None else (row.verb, row.outcome, row.error_from, row.error_text, row.counted)
