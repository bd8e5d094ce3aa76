"""The explorer: walks every state a machine can reach, breadth first, so that each thing it finds has a shortest plan.

A state is the values of those meters that some row or meter reads; a step of the walk is one turn. The alphabet of
steps comes from the facts that the machine's conditions read: two steps that no condition can tell apart are one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from labspec.machine.runner import NOT_READABLE, NOT_WRITABLE, SCRIPT_EXHAUSTED, Call, Loop, Machine, Meter, Row, take
from labspec.machine.simulation import BAD_CALL, AbstractTools

BUDGET_PREFIX: Final = "budgets."
COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})

TURN_LIMIT: Final = 100_000
"""How many turns are taken before the explorer gives up and says so: about a second."""

Step = Mapping[str, Any]
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


def alphabet(machine: Machine) -> tuple[Step, ...]:
    """One step for each kind of decision that the machine's conditions can tell apart."""
    return tuple(_steps(machine, _Vocabulary(machine)))


class _Vocabulary:
    """The facts that decide what a machine does, and the values that each is compared with.

    Meters count only if a row reads them, directly or through the condition of another meter that counts.
    """

    def __init__(self, machine: Machine) -> None:
        self.names: set[str] = set()
        self.compared: dict[str, set[int | str]] = {}
        self.summed: set[str] = set()
        """Names that are more than one side of a comparison with a number, so that every value of them can matter."""
        self._budgets = machine.budgets
        for row in machine.data["rows"]:
            self._add(row["when"])
        waiting = dict(machine.data["meters"])
        while read := [name for name in waiting if name in self.names]:
            for name in read:
                meter = waiting.pop(name)
                for key in ("add", "when", "resets_when", "refund_when"):
                    self._add(meter[key])

    def texts(self, name: str) -> list[str]:
        """The texts that a fact is compared with, sorted."""
        return sorted(value for value in self.compared.get(name, ()) if isinstance(value, str))

    def numbers(self, name: str) -> list[int]:
        """The numbers that a fact or a meter is compared with, sorted."""
        return sorted(value for value in self.compared.get(name, ()) if isinstance(value, int))

    def _add(self, condition: Any) -> None:
        if condition is None:
            return
        names, values = self._parts(condition)
        self.names |= names
        kind = condition[0]
        if kind in ("and", "or", "not"):
            for part in condition[1:]:
                self._add(part)
        elif kind in COMPARISONS or kind in ("in", "not in"):
            for name in names:
                self.compared.setdefault(name, set()).update(values)
            if any(side[0] in ("+", "-") for side in condition[1:]) or len(names) > 1:
                self.summed |= names
        else:
            self.summed |= names

    def _parts(self, condition: Any) -> tuple[set[str], set[int | str]]:
        """The names in a condition, and its values; a budget is the value of its limit."""
        kind, *parts = condition
        if kind == "name" and parts[0].startswith(BUDGET_PREFIX):
            return set(), {self._budgets[parts[0].removeprefix(BUDGET_PREFIX)]}
        if kind == "name":
            return {parts[0]}, set()
        if kind == "value":
            return set(), set() if isinstance(parts[0], bool) else {parts[0]}
        if kind in ("in", "not in"):
            names, values = self._parts(parts[0])
            return names, values | set(parts[1])
        found = [self._parts(part) for part in parts]
        return set().union(*(names for names, _ in found)), set().union(*(values for _, values in found))


def _steps(machine: Machine, vocabulary: _Vocabulary) -> Iterator[Step]:
    yield from _calls(machine, vocabulary)
    yield {"ok": True, "payload": {}, "final": False}
    names = vocabulary.texts("call.name")
    unknown = [text for text in names if text.strip() and text not in machine.tools]
    for name in (_fresh("no_such_tool", [*machine.tools, *names]), *unknown):
        yield {"name": name, "ok": True, "payload": {}, "final": False}
    # Where no condition asks for it, a decision that is no call still is a turn without a call, a result or a failure.
    yield {"type": "other"}
    reasons = vocabulary.texts("decision.reason")
    yield from ({"type": "stop", "reason": reason} for reason in (_fresh("model_stop", reasons), *reasons))


def _calls(machine: Machine, vocabulary: _Vocabulary) -> Iterator[Step]:
    """A call of each tool that the conditions can tell from the others, in each way it can look and end."""
    named = vocabulary.texts("call.name")
    seen: set[tuple[str, bool]] = set()
    for name, tool in machine.tools.items():
        alike = (tool["kind"], name == "write_file")
        if name not in named:
            if alike in seen:
                continue
            seen.add(alike)
        for call in _looks(name, tool, vocabulary):
            for ending in _endings(tool, name, vocabulary):
                yield {"name": name, "call": call, **ending}
        if tool["kind"] == "builtin":
            yield {"name": name, "call": BAD_CALL}


def _looks(name: str, tool: Mapping[str, Any], vocabulary: _Vocabulary) -> Iterator[Call]:
    if tool["kind"] != "builtin":
        yield Call()
        return
    paths = vocabulary.texts("call.path")
    writes = name == "write_file"
    for inside in (True, False) if "call.inside" in vocabulary.names else (True,):
        for path in (_fresh("a file", paths), *paths):
            for size in _edges(vocabulary, "call.bytes", "write_bytes") if writes else (0,):
                for lines in _edges(vocabulary, "call.lines") if writes else (0,):
                    yield Call(path, inside, size, lines)


def _edges(vocabulary: _Vocabulary, *names: str) -> list[int]:
    """Nothing, and for every number that one of the names is compared with, that many and one more.

    Sums need no smaller steps: what one byte does after a write at the limit, another write at the limit does too.
    """
    numbers = {number for name in names for number in vocabulary.numbers(name)}
    return sorted({0, *(number + more for number in numbers for more in (0, 1))})


def _endings(tool: Mapping[str, Any], name: str, vocabulary: _Vocabulary) -> Iterator[Step]:
    finals = (False, True) if "result.final" in vocabulary.names and tool["kind"] == "scripted" else (False,)
    compared = vocabulary.texts("result.error")
    codes: dict[str, list[str]] = {
        "scripted": [_fresh("failed", compared), *compared],
        "builtin": [NOT_WRITABLE if name == "write_file" else NOT_READABLE],
        "command": [tool.get("error", "")],
    }
    for final in finals:
        yield {"ok": True, "payload": {}, "final": final}
        for code in codes[tool["kind"]]:
            yield {"ok": False, "error": code, "final": final}


def _fresh(word: str, taken: Collection[str]) -> str:
    """A text like `word` that no condition compares anything with."""
    while word in taken:
        word += "_"
    return word


def _cap(meter: Meter, vocabulary: _Vocabulary) -> int | None:
    """A value from which on more makes no difference: one above all that the meter is compared with.

    None if there is no such value: the meter takes part in a sum, or can be given back.
    """
    if meter.name in vocabulary.summed or meter.refund_when is not None:
        return None
    return max(vocabulary.numbers(meter.name), default=0) + 1


class _Walk:
    def __init__(self, machine: Machine, limit: int) -> None:
        vocabulary = _Vocabulary(machine)
        self.machine = machine
        self.steps = tuple(_steps(machine, vocabulary))
        self.limit = limit // (len(self.steps) + 1)
        self.tracked = tuple(meter.name for meter in machine.meters if meter.name in vocabulary.names)
        self.caps = tuple(_cap(meter, vocabulary) for meter in machine.meters if meter.name in vocabulary.names)
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
