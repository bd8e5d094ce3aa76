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

STATE_LIMIT: Final = 20_000
"""How many states are visited before the explorer gives up and says so."""

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


def explore(machine: Machine, limit: int = STATE_LIMIT) -> Exploration:
    """Walk all states of `machine`, at most `limit` of them."""
    return _Walk(machine, limit).walk()


class _Walk:
    def __init__(self, machine: Machine, limit: int) -> None:
        vocabulary = Vocabulary(machine)
        self.machine = machine
        self.limit = limit
        self.steps = alphabet(machine, vocabulary)
        self.tracked = tuple(meter.name for meter in machine.meters if meter.name in vocabulary.names)
        self.loop = Loop(machine)
        self.tools = AbstractTools(machine)
        self.found = Exploration()
        self.plans: dict[State, Plan] = {}
        self.next: dict[State, set[State]] = {}

    def walk(self) -> Exploration:
        start = self._state()
        self.plans[start] = ()
        queue = deque([start])
        while queue:
            queue.extend(self._visit(queue.popleft()))
            if len(self.plans) > self.limit:
                self.found.complete = False
                break
        self.found.states = len(self.plans)
        if self.found.complete:
            self.found.endless = self._first_on_a_cycle()
        return self.found

    def _visit(self, state: State) -> Iterator[State]:
        plan = self.plans[state]
        following: set[State] = set()
        self.next[state] = following
        self._end_plan(state, plan)
        for step in self.steps:
            reached = self._turn(state, step, (*plan, step))
            if reached is None:
                continue
            following.add(reached)
            if reached not in self.plans:
                self.plans[reached] = (*plan, step)
                yield reached

    def _turn(self, state: State, step: Step, plan: Plan) -> State | None:
        """The state after a turn with `step`; None if a row ended the loop."""
        self._restore(state)
        row = self.loop.turn(plan_ended=False)
        if row is None:
            row = take(self.loop, step, self.tools, fired=lambda refused: self._fired(refused, plan))
        if row is None:
            return self._state()
        self._fired(row, plan)
        return None

    def _end_plan(self, state: State, plan: Plan) -> None:
        """The plan ends here: either a row ends the loop, or it is stuck."""
        self._restore(state)
        row = self.loop.turn(plan_ended=not self.machine.plan_stops)
        if row is None and self.machine.plan_stops:
            row = take(self.loop, SCRIPT_EXHAUSTED, self.tools)
            stuck = row is None and self._state() == state
        else:
            stuck = row is None
        if row is not None:
            self._fired(row, plan)
        if stuck and self.found.stuck is None:
            self.found.stuck = plan

    def _fired(self, row: Row, plan: Plan) -> None:
        self.found.fires.setdefault(row.id, plan)

    def _state(self) -> State:
        facts = self.loop.facts
        return tuple(facts[name] for name in self.tracked)

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
        cyclic = [self.plans[state] for state, count in waiting.items() if count]
        return min(cyclic, key=len, default=None)
