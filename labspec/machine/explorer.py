"""The explorer: walks every state a machine can reach, breadth first, so that each thing it finds has a shortest plan.

A state is the values of those meters that some row or meter reads; a step of the walk is one turn. Which steps are
worth trying is for `alphabet` to say: two that no condition can tell apart are one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from labspec.machine.alphabet import Step, Vocabulary, alphabet
from labspec.machine.runner import Machine, Row
from labspec.machine.turns import State, Turns

TURN_LIMIT: Final = 100_000
"""How many turns are taken before the explorer gives up and says so: about a second."""

Plan = tuple[Step, ...]


@dataclass(slots=True)
class Exploration:
    """What was found. If not `complete`, a row that did not fire may still be able to."""

    fires: dict[str, Plan] = field(default_factory=dict)
    """For each row that can fire, by id, a shortest plan on which it does."""
    stuck: Plan | None = None
    """A shortest plan after whose end no row ends the loop."""
    endless: Plan | None = None
    """A shortest plan to a state that the loop can come back to, so that nothing bounds it."""
    complete: bool = True
    states: int = 0


def explore(machine: Machine, limit: int = TURN_LIMIT) -> Exploration:
    """Walk all states of `machine`, as far as about `limit` turns allow."""
    vocabulary = Vocabulary(machine)
    return explore_turns(Turns(machine, vocabulary), alphabet(machine, vocabulary), limit)


def explore_turns(turns: Turns, steps: Sequence[Step], limit: int = TURN_LIMIT) -> Exploration:
    """Walk all states that `steps` lead to, as far as about `limit` turns allow."""
    return _Walk(turns, steps, limit).walk()


class _Walk:
    def __init__(self, turns: Turns, steps: Sequence[Step], limit: int) -> None:
        self.turns = turns
        self.steps = steps
        self.limit = limit // (len(self.steps) + 1)
        self.found = Exploration()
        self.came_from: dict[State, tuple[State, Step] | None] = {}
        self.next: dict[State, set[State]] = {}
        self.ended: set[State] = set()

    def walk(self) -> Exploration:
        start = self.turns.start
        self.came_from[start] = None
        self._end_plan(start)
        queue = deque([start])
        while queue and self.found.complete:
            queue.extend(self._visit(queue.popleft()))
            self.found.complete = len(self.next) <= self.limit and len(self.ended) <= self.limit
        self.found.states = len(self.came_from)
        if self.found.complete:
            self.found.endless = self._first_on_a_cycle()
        return self.found

    def _visit(self, state: State) -> Iterator[State]:
        following: set[State] = set()
        self.next[state] = following
        for number, step in enumerate(self.steps):
            turn = self.turns.take(state, number, step)
            for row in (turn.refused, turn.row):
                self._fired(row, state, step)
            if turn.row is not None:
                continue
            following.add(turn.state)
            if turn.state not in self.came_from:
                self.came_from[turn.state] = (state, step)
                self._end_plan(turn.state)  # now, not when visited: all plans of one length come before longer ones
                yield turn.state

    def _plan(self, state: State, *further: Step) -> Plan:
        """A shortest plan that leads to `state`, with `further` steps after it."""
        steps = deque(further)
        before = self.came_from[state]
        while before is not None:
            steps.appendleft(before[1])
            before = self.came_from[before[0]]
        return tuple(steps)

    def _end_plan(self, state: State) -> None:
        """The plan ends here: either a row ends the loop, maybe some turns later, or it is stuck."""
        here, passed = state, set[State]()
        while here not in self.ended and len(self.ended) <= self.limit:
            self.ended.add(here)
            passed.add(here)
            turn = self.turns.end(here)
            if turn.row is not None:
                self._fired(turn.row, state)
                return
            here = turn.state
        if here in passed and self.found.stuck is None:
            self.found.stuck = self._plan(state)

    def _fired(self, row: Row | None, state: State, *further: Step) -> None:
        if row is not None and row.id not in self.found.fires:
            self.found.fires[row.id] = self._plan(state, *further)

    def _first_on_a_cycle(self) -> Plan | None:
        """A shortest plan to a state on a cycle: what is left when states that lead nowhere are taken away in turn."""
        waiting = {state: len(following) for state, following in self.next.items()}
        before: dict[State, list[State]] = {state: [] for state in self.next}
        for state, following in self.next.items():
            for after in following:
                before[after].append(state)
        leaves = deque(state for state, count in waiting.items() if count == 0)
        while leaves:
            for state in before[leaves.popleft()]:
                waiting[state] -= 1
                if waiting[state] == 0:
                    leaves.append(state)
        nearest = next((state for state, count in waiting.items() if count), None)  # visited nearest first
        return None if nearest is None else self._plan(nearest)
