"""The explorer: walks every state a machine can reach, breadth first, so that each thing it finds has a shortest plan.

A state is the values of those meters that some row or meter reads; a step of the walk is one turn. The alphabet of
steps comes from the facts that the machine's conditions read: two steps that no condition can tell apart are one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from labspec.machine.runner import NOT_READABLE, NOT_WRITABLE, SCRIPT_EXHAUSTED, Call, Loop, Machine, Row, take
from labspec.machine.simulation import BAD_CALL, AbstractTools

STATE_LIMIT: Final = 20_000
"""How many states are visited before the explorer gives up and says so."""

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


def explore(machine: Machine, limit: int = STATE_LIMIT) -> Exploration:
    """Walk all states of `machine`, at most `limit` of them."""
    return _Walk(machine, limit).walk()


def alphabet(machine: Machine) -> tuple[Step, ...]:
    """One step for each kind of decision that the machine's conditions can tell apart."""
    return tuple(_steps(machine, _Vocabulary(machine)))


class _Vocabulary:
    """The facts that decide what a machine does, and the values it compares them with.

    Meters count only if a row reads them, directly or through the condition of another meter that counts.
    """

    def __init__(self, machine: Machine) -> None:
        self.names: set[str] = set()
        self.texts: set[str] = set()
        self.numbers: set[int] = set()
        for row in machine.data["rows"]:
            self._add(row["when"])
        waiting = dict(machine.data["meters"])
        while read := [name for name in waiting if name in self.names]:
            for name in read:
                meter = waiting.pop(name)
                for key in ("add", "when", "resets_when", "refund_when"):
                    self._add(meter[key])

    def _add(self, condition: Any) -> None:
        if condition is None:
            return
        kind, *parts = condition
        if kind == "name":
            self.names.add(parts[0])
        elif kind == "value":
            self._add_value(parts[0])
        elif kind in ("in", "not in"):
            self._add(parts[0])
            for option in parts[1]:
                self._add_value(option)
        else:
            for part in parts:
                self._add(part)

    def _add_value(self, value: object) -> None:
        if isinstance(value, str):
            self.texts.add(value)
        elif type(value) is int:
            self.numbers.add(value)


def _steps(machine: Machine, vocabulary: _Vocabulary) -> Iterator[Step]:
    names, texts = vocabulary.names, sorted(vocabulary.texts)
    yield from _calls(machine, vocabulary)
    yield {"ok": True, "payload": {}, "final": False}
    yield {"name": _unknown_name(machine), "ok": True, "payload": {}, "final": False}
    if "decision.type" in names:
        yield {"type": "other"}
    if names & {"decision.type", "decision.reason"}:
        reasons = ["model_stop", *(text for text in texts if "decision.reason" in names)]
        yield from ({"type": "stop", "reason": reason} for reason in reasons)


def _calls(machine: Machine, vocabulary: _Vocabulary) -> Iterator[Step]:
    """A call of each tool that the conditions can tell from the others, in each way it can look and end."""
    seen: set[tuple[str, bool, bool]] = set()
    for name, tool in machine.tools.items():
        looks = (tool["kind"], name == "write_file", name in vocabulary.texts)
        if name not in vocabulary.texts and looks in seen:
            continue
        seen.add(looks)
        for call in _looks(machine, name, tool, vocabulary):
            for ending in _endings(tool, name, vocabulary):
                yield {"name": name, "call": call, **ending}
        if tool["kind"] == "builtin":
            yield {"name": name, "call": BAD_CALL}


def _looks(machine: Machine, name: str, tool: Mapping[str, Any], vocabulary: _Vocabulary) -> Iterator[Call]:
    if tool["kind"] != "builtin":
        yield Call()
        return
    sizes, lines = _sizes(machine, vocabulary), _lines(vocabulary)
    for inside in (True, False) if "call.inside" in vocabulary.names else (True,):
        for path in ["a file", *(vocabulary.texts if "call.path" in vocabulary.names else ())]:
            for size in sizes if name == "write_file" else [0]:
                for count in lines if name == "write_file" else [0]:
                    yield Call(path, inside, size, count)


def _sizes(machine: Machine, vocabulary: _Vocabulary) -> list[int]:
    """One byte, and for every number that bytes are compared with, that many and one more."""
    if not vocabulary.names & {"call.bytes", "write_bytes"}:
        return [1]
    limits = [machine.budgets[name] for name, meters in machine.measures.items() if "write_bytes" in meters]
    edges = {*limits, *(vocabulary.numbers if "call.bytes" in vocabulary.names else ())}
    return sorted({1, *(edge + more for edge in edges for more in (0, 1))})


def _lines(vocabulary: _Vocabulary) -> list[int]:
    if "call.lines" not in vocabulary.names:
        return [1]
    return sorted({1, *(number + more for number in vocabulary.numbers for more in (0, 1))})


def _endings(tool: Mapping[str, Any], name: str, vocabulary: _Vocabulary) -> Iterator[Step]:
    finals = (False, True) if "result.final" in vocabulary.names and tool["kind"] == "scripted" else (False,)
    codes: dict[str, list[str]] = {
        "builtin": [NOT_WRITABLE if name == "write_file" else NOT_READABLE],
        "command": [tool.get("error", "")],
    }
    compared = sorted(vocabulary.texts) if "result.error" in vocabulary.names else []
    for final in finals:
        yield {"ok": True, "payload": {}, "final": final}
        for code in codes.get(tool["kind"], ["failed", *compared]):
            yield {"ok": False, "error": code, "final": final}


def _unknown_name(machine: Machine) -> str:
    name = "no_such_tool"
    while name in machine.tools:
        name += "_"
    return name


class _Walk:
    def __init__(self, machine: Machine, limit: int) -> None:
        vocabulary = _Vocabulary(machine)
        self.machine = machine
        self.limit = limit
        self.steps = tuple(_steps(machine, vocabulary))
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
