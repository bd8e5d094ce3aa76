"""How a machine and a mutant of it can be told apart: the shortest plan on which their records differ, or the proof
that there is none.

Both are walked together, breadth first, over the same steps. See `pairs` for what is compared, and `common_way` for
what makes it fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from labspec.machine.alphabet import Step, Vocabulary, alphabet
from labspec.machine.common_way import THE_END, Branches, CommonWay, Place, SharedTurns
from labspec.machine.endings import shortest_plans
from labspec.machine.explorer import TURN_LIMIT, Exploration, Plan, explore_turns
from labspec.machine.pairs import Pair, Pairing
from labspec.machine.runner import MOMENTS, Machine
from labspec.machine.turns import Turns, facts_read_at

_MORE_FOR_PAIRS: Final = 10

Verdict: TypeAlias = Literal["differs", "equivalent", "not decided"]


class Difference(NamedTuple):
    """What was found about a mutant.

    `plan` is a shortest plan on which the records differ, if they do, and `shown_by` are the kinds of checks that see
    it. `pairs` is how many pairs of runs were looked at, and `turns` how many turns were taken from them.
    """

    verdict: Verdict
    plan: Plan | None
    shown_by: tuple[str, ...]
    pairs: int
    turns: int = 0


class Comparison:
    """A machine, ready to be held against its mutants. What is worked out for one of them serves the next.

    With `traced`, the records include what a trace shows.
    """

    def __init__(self, machine: Machine, *, traced: bool = False, limit: int = TURN_LIMIT) -> None:
        """`limit` is how many turns are taken, at about, to walk through the states of `machine`."""
        self.machine = machine
        self.traced = traced
        self.limit = limit
        self.steps: list[Step] = []
        """Every step that was needed so far. A step keeps its number."""
        self._numbers: dict[str, int] = {}
        self._own_steps = self._numbered(alphabet(machine, Vocabulary(machine, reported=traced)))
        self._vocabulary = Vocabulary(machine, reported=traced, slack=1)
        self._turns = Turns(machine, self._vocabulary, traced=traced)

    def with_mutant(self, mutant: Machine, limit: int | None = None) -> Difference:
        """Tell the machine and `mutant` apart, or show that nothing does, as far as `limit` turns allow.

        Without a limit, it takes several times what the machine alone may take: there are more pairs than states.
        """
        numbers = self._steps_for(mutant)
        turns = self._turns_of(mutant)
        turns_left = _MORE_FOR_PAIRS * self.limit if limit is None else limit
        walk = _Walk(self.steps, Pairing(self._turns, turns, traced=self.traced), numbers, turns_left)
        if isinstance(turns, SharedTurns) and numbers == self._own_steps and self._common_way.complete:
            return walk.from_branches(self._common_way.branches(turns))
        return walk.from_start()

    def differ_on(self, mutant: Machine, plan: Plan) -> bool:
        """Whether the records of the machine and of `mutant` differ on a plan."""
        pairing = Pairing(self._turns, self._turns_of(mutant), traced=self.traced)
        pair = pairing.start()
        for step in plan:
            pair = pairing.take(pair, self._number(step), step)
        return pairing.close(pair).differ

    @cached_property
    def exploration(self) -> Exploration:
        """What the machine can do by itself."""
        return explore_turns(self._turns, [self.steps[number] for number in self._own_steps], self.limit)

    @cached_property
    def shortest_plans(self) -> list[Plan]:
        """A shortest plan for each way the machine can end a run."""
        return shortest_plans(self._turns, [(number, self.steps[number]) for number in self._own_steps])

    def _turns_of(self, mutant: Machine) -> Turns:
        if self._shares_states_with(mutant):
            return SharedTurns(self._turns, mutant, self._vocabulary)
        return Turns(mutant, Vocabulary(mutant, reported=self.traced), traced=self.traced)

    @cached_property
    def _common_way(self) -> CommonWay:
        steps = {number: self.steps[number] for number in self._own_steps}
        return CommonWay(self._turns, steps, _MORE_FOR_PAIRS * self.limit // len(steps))

    def _steps_for(self, mutant: Machine) -> tuple[int, ...]:
        """The numbers of the steps that tell apart what either of the two does."""
        both = Vocabulary(self.machine, mutant, reported=self.traced)
        texts = () if self.machine.data["errors"] == mutant.data["errors"] else _error_texts(self.machine, mutant)
        return self._numbered(alphabet(self.machine, both, texts))

    def _numbered(self, steps: Iterable[Step]) -> tuple[int, ...]:
        return tuple(self._number(step) for step in steps)

    def _number(self, step: Step) -> int:
        number = self._numbers.setdefault(repr(step), len(self.steps))
        if number == len(self.steps):
            self.steps.append(step)
        return number

    def _shares_states_with(self, mutant: Machine) -> bool:
        """Whether the two differ in nothing but what their rows decide, and that about the same facts."""
        same = ("meters", "tools", "plan_ends", "errors", *(("budgets", "measures") if self.traced else ()))
        if any(self.machine.data[key] != mutant.data[key] for key in same):
            return False
        if mutant.budgets != self.machine.budgets and "budgets." in repr(mutant.data["meters"]):
            return False
        if any(set(facts_read_at(mutant, at)) - set(facts_read_at(self.machine, at)) for at in MOMENTS):
            return False
        return self._vocabulary.follows(Vocabulary(mutant, reported=self.traced), self.machine.data["meters"])


def _error_texts(*machines: Machine) -> Sequence[str]:
    """Texts of failures that machines may record differently: of several lines, and just above each one's limit.

    One that is just above the limit of a machine is within every larger limit.
    """
    limits = sorted({machine.error_max_chars or 0 for machine in machines})
    return ("first line\nsecond line", *("x" * (limit + 1) for limit in limits))


class _Walk:
    """One walk through the pairs of a machine and a mutant."""

    def __init__(self, steps: list[Step], pairing: Pairing, numbers: tuple[int, ...], limit: int) -> None:
        self._steps = steps
        self._pairing = pairing
        self._numbers = numbers
        self._limit = limit
        self._taken = 0
        self._seen: set[Pair] = set()
        self._keeps_to_branches = False

    def from_start(self) -> Difference:
        """Walk from where both begin."""
        start = self._pairing.start()
        self._seen.add(start)
        return self._walk([Place(start)], iter(()))

    def from_branches(self, branches: Iterator[list[Branches]]) -> Difference:
        """Walk from wherever the mutant may leave the common way, and leave out what leads back there."""
        self._keeps_to_branches = True
        return self._walk([], branches)

    def _walk(self, level: list[Place], branches: Iterator[list[Branches]]) -> Difference:
        leaving = next(branches, None)
        while level or leaving is not None:
            leaving = leaving or []
            for place in (*(branch.place for branch in leaving if THE_END in branch.numbers), *level):
                closed = self._pairing.close(place.pair)
                if closed.differ:
                    return self._differs(place, closed)
            following: list[Place] = []
            for place, numbers in (*leaving, *((place, self._numbers) for place in level)):
                found = self._leave(place, numbers, following)
                if found is not None:
                    return found
                self._taken += len(numbers)
                if self._taken > self._limit:
                    return self._found("not decided")
            level, leaving = following, next(branches, None)
        return self._found("equivalent")

    def _leave(self, place: Place, numbers: Sequence[int], following: list[Place]) -> Difference | None:
        """Take every step from a place; the places it leads to for the first time are added to `following`."""
        for number in numbers:
            if number == THE_END:
                continue
            pair = self._pairing.take(place.pair, number, self._steps[number])
            if pair.have_ended:
                if pair.differ:
                    return self._differs(Place(pair, number, place), pair)
            elif pair not in self._seen and not (self._keeps_to_branches and pair.is_common):
                self._seen.add(pair)
                following.append(Place(pair, number, place))
        return None

    def _differs(self, place: Place, ended: Pair) -> Difference:
        plan = tuple(self._steps[number] for number in place.numbers())
        return self._found("differs", plan, tuple(ended.shown_by()))

    def _found(self, verdict: Verdict, plan: Plan | None = None, shown_by: tuple[str, ...] = ()) -> Difference:
        return Difference(verdict, plan, shown_by, len(self._seen), self._taken)
