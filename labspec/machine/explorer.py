"""The explorer: walks every state a machine can reach, breadth first, so that each thing it finds has a shortest plan.

A state is the values of those meters that some row or meter reads; a step of the walk is one turn. Which steps are
worth trying is for `alphabet` to say: two that no condition can tell apart are one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from labspec.machine.alphabet import Step, Vocabulary, alphabet
from labspec.machine.runner import SCRIPT_EXHAUSTED, Loop, Machine, Row, take
from labspec.machine.simulation import AbstractTools

BUDGET_PREFIX: Final = "budgets."
COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})

TURN_LIMIT: Final = 100_000
"""How many turns are taken before the explorer gives up and says so: about a second."""

Plan = tuple[Step, ...]
State = tuple[int, ...]


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
    return _Walk(machine, limit).walk()


class _Walk:
    def __init__(self, machine: Machine, limit: int) -> None:
        vocabulary = Vocabulary(machine)
        self.machine = machine
        self.steps = alphabet(machine, vocabulary)
        self.limit = limit // (len(self.steps) + 1)
        self.tracked = tuple(meter.name for meter in machine.meters if meter.name in vocabulary.names)
        self.caps = tuple(
            None if meter.refund_when is not None else vocabulary.cap(meter.name)
            for meter in machine.meters
            if meter.name in vocabulary.names
        )
        """Values beyond which a meter is not followed; what can be given back is followed without end."""
        self.loop = Loop(machine)
        self.tools = AbstractTools(machine)
        self.found = Exploration()
        self.came_from: dict[State, tuple[State, Step] | None] = {}
        self.next: dict[State, set[State]] = {}
        self.ended: set[State] = set()

    def walk(self) -> Exploration:
        start = self._state()
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
        for step in self.steps:
            reached = self._turn(state, step)
            if reached is None:
                continue
            following.add(reached)
            if reached not in self.came_from:
                self.came_from[reached] = (state, step)
                self._end_plan(reached)  # now, not when it is visited: all plans of one length come before longer ones
                yield reached

    def _plan(self, state: State, *further: Step) -> Plan:
        """A shortest plan that leads to `state`, with `further` steps after it."""
        steps = deque(further)
        before = self.came_from[state]
        while before is not None:
            steps.appendleft(before[1])
            before = self.came_from[before[0]]
        return tuple(steps)

    def _turn(self, state: State, step: Step) -> State | None:
        """The state after a turn with `step`; None if a row ended the loop."""
        self._restore(state)
        row = self.loop.turn(plan_ended=False)
        if row is None:
            row = take(self.loop, step, self.tools, fired=lambda refused: self._fired(refused, state, step))
        if row is None:
            return self._state()
        self._fired(row, state, step)
        return None

    def _end_plan(self, state: State) -> None:
        """The plan ends here: either a row ends the loop, maybe some turns later, or it is stuck."""
        here, passed = state, set[State]()
        while here not in self.ended and len(self.ended) <= self.limit:
            self.ended.add(here)
            passed.add(here)
            self._restore(here)
            row = self.loop.turn(plan_ended=not self.machine.plan_stops)
            if row is None and self.machine.plan_stops:
                row = take(self.loop, SCRIPT_EXHAUSTED, self.tools)
            if row is not None:
                self._fired(row, state)
                return
            here = self._state() if self.machine.plan_stops else here
        if here in passed and self.found.stuck is None:
            self.found.stuck = self._plan(state)

    def _fired(self, row: Row, state: State, *further: Step) -> None:
        if row.id not in self.found.fires:
            self.found.fires[row.id] = self._plan(state, *further)

    def _state(self) -> State:
        facts = self.loop.facts
        return tuple(
            facts[name] if cap is None or facts[name] <= cap else cap
            for name, cap in zip(self.tracked, self.caps, strict=True)
        )

    def _restore(self, state: State) -> None:
        self.loop.facts.update(zip(self.tracked, state, strict=True))
        self.loop.tool_names.clear()

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
