"""What one turn of a machine does, from any state: worked out once, then looked up.

The explorer and the comparison with mutants ask for the same turns again and again. A state is the values of those
meters that some condition reads; everything else that a record shows of a turn stands beside it.
"""

from __future__ import annotations

import sys
from typing import Any, Final, NamedTuple, TypeAlias

from labspec.machine.alphabet import Step, Vocabulary
from labspec.machine.runner import MOMENTS, RUNAWAY_TURNS, SCRIPT_EXHAUSTED, Facts, Loop, Machine, Row, take
from labspec.machine.simulation import AbstractTools

State: TypeAlias = tuple[int, ...]

Question: TypeAlias = tuple[Any, ...]
"""A moment, and the values of all facts that its rows read: what decides which of them fires."""

Events: TypeAlias = tuple[tuple[Any, ...], ...]
"""What turns leave in the trace: for each whether it came to a result, the tool that was counted, and the error."""

_UNASKED: Final = object()

_BEYOND_ALL: Final = sys.maxsize
"""More than any meter comes to: no spec can hold such a number."""


class Turn(NamedTuple):
    """What comes of one turn, or of several in a row.

    `row` is the exit row that ended the loop, `refused` the row that refused the call. `turns` is what is added to the
    turns of the record, `names` the tool names that are added, `error` the code that is left as the last error, and
    `events` stands for what is added to the trace. `use` is what the closing event of an ended run says of its budgets.
    `asked` are the questions that decided all this.
    """

    row: Row | None
    refused: Row | None
    state: State
    turns: int
    names: tuple[str, ...]
    error: str | None
    events: Events
    use: tuple[Any, ...]
    asked: tuple[Question, ...]


class Turns:
    """The turns of one machine. Only what is asked for is worked out."""

    def __init__(
        self,
        machine: Machine,
        vocabulary: Vocabulary,
        *,
        traced: bool = False,
    ) -> None:
        """`vocabulary` says which meters make up a state; with `traced`, ended runs tell the use of their budgets."""
        self.machine = machine
        self.traced = traced
        names = [meter.name for meter in machine.meters if meter.name in vocabulary.names]
        self.meters = tuple(names)
        caps = (vocabulary.cap(name) for name in names)
        self._followed = tuple(
            (name, _BEYOND_ALL if cap is None else cap) for name, cap in zip(names, caps, strict=True)
        )
        """Each meter, with the value beyond which it is not followed."""
        self._loop = _AskedLoop(machine)
        self._open_facts = ("plan.ended", *(meter.name for meter in machine.meters))
        self._opened: dict[tuple[State, bool], _Opened] = {}
        self._tools = AbstractTools(machine)
        self._turns: dict[tuple[State, int], Turn] = {}
        self._ends: dict[State, Turn] = {}
        self._tails: dict[State, Turn] = {}
        self.start = self._state()

    def take(self, state: State, number: int, step: Step) -> Turn:
        """What comes of a turn with `step`, which is always the same for its `number`."""
        turn = self._turns.get((state, number))
        if turn is None:
            turn = self._turns[state, number] = self._take(state, step)
        return turn

    def end(self, state: State) -> Turn:
        """What comes of a turn once the plan has ended.

        Where no row ends a loop whose plan has ended, and that is not a stop, the loop comes nowhere: the reference
        runner gives up then, whatever its meters would count, and so the state stays.
        """
        turn = self._ends.get(state)
        if turn is None:
            turn = self._take(state, None)
            if turn.row is None and not self.machine.plan_stops:
                turn = turn._replace(state=state)
            self._ends[state] = turn
        return turn

    def tail(self, state: State) -> Turn:
        """What comes of all turns once the plan has ended; its `row` is None if no row ever ends the loop then."""
        tail = self._tails.get(state)
        if tail is None:
            tail = self._tails[state] = self._follow(state)
        return tail

    def answer(self, question: Question) -> Row | None:
        """The row that fires on a question that has been asked."""
        return self._loop.answers[question]

    def _follow(self, state: State) -> Turn:
        """The turns from `state` on. Where they come back to a state, or take too long, they go on for ever."""
        taken, passed = [self.end(state)], {state: None}
        while taken[-1].row is None and taken[-1].state not in passed and len(passed) < RUNAWAY_TURNS:
            here = taken[-1].state
            known = self._tails.get(here)
            if known is not None:
                return _joined([*taken, known])
            passed[here] = None
            taken.append(self.end(here))
        tail = _joined(taken)
        if tail.row is None:
            self._tails.update(dict.fromkeys(passed, tail))
        return tail

    def _take(self, state: State, step: Step | None) -> Turn:
        ended = step is None and not self.machine.plan_stops
        opened = self._opened.get((state, ended))
        if opened is None:
            opened = self._opened[state, ended] = self._open(state, ended)
        if opened.turn is not None:
            return opened.turn
        loop, refused = self._loop, list[Row]()
        loop.facts.update(opened.facts)
        loop.tool_names.clear()
        loop.last_error = None
        loop.asked[:] = opened.asked
        row = take(loop, SCRIPT_EXHAUSTED if step is None else step, self._tools, fired=refused.append)
        names = tuple(loop.tool_names)
        came_to_result = loop.asked[-1][0] == "result"
        return Turn(
            row,
            refused[0] if refused else None,
            self._state(),
            loop.facts["turns"] - opened.turns,
            names,
            loop.last_error,
            ((came_to_result, names, loop.last_error),),
            () if row is None else self._use(),
            tuple(loop.asked),
        )

    def _open(self, state: State, ended: bool) -> _Opened:
        """The moment `turn`, which is the same for every step."""
        loop = self._loop
        loop.facts.update(zip(self.meters, state, strict=True))
        loop.asked.clear()
        before = loop.facts["turns"]
        row = loop.turn(plan_ended=ended)
        asked = tuple(loop.asked)
        if row is None and not ended:
            return _Opened(None, {name: loop.facts[name] for name in self._open_facts}, before, asked)
        use = () if row is None else self._use()
        turn = Turn(row, None, self._state(), loop.facts["turns"] - before, (), None, (), use, asked)
        return _Opened(turn, {}, before, asked)

    def _use(self) -> tuple[Any, ...]:
        return (*self._loop.limits.items(), *self._loop.used().items()) if self.traced else ()

    def _state(self) -> State:
        facts = self._loop.facts
        return tuple([value if (value := facts[name]) <= cap else cap for name, cap in self._followed])


class _Opened(NamedTuple):
    """What stands after the moment `turn`: the whole turn if it ended there, otherwise the facts it has changed."""

    turn: Turn | None
    facts: Facts
    turns: int
    asked: tuple[Question, ...]


def _joined(turns: list[Turn]) -> Turn:
    """Turns in a row as one."""
    if len(turns) == 1:
        return turns[0]
    return turns[-1]._replace(
        turns=sum(turn.turns for turn in turns),
        names=tuple(name for turn in turns for name in turn.names),
        error=next((turn.error for turn in reversed(turns) if turn.error is not None), None),
        events=tuple(event for turn in turns for event in turn.events),
        asked=tuple(dict.fromkeys(question for turn in turns for question in turn.asked)),
    )


class _AskedLoop(Loop):
    """A loop that remembers what was asked, and asks no row twice about the same facts."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.asked: list[Question] = []
        self._reads = {at: facts_read_at(machine, at) for at in MOMENTS}
        self.answers: dict[Question, Row | None] = {}

    def _first(self, at: str) -> Row | None:
        question = (at, *map(self.facts.__getitem__, self._reads[at]))
        self.asked.append(question)
        answer = self.answers.get(question, _UNASKED)
        if answer is _UNASKED:
            answer = self.answers[question] = super()._first(at)
        return answer  # type: ignore[return-value]  # mypy can't tell the marker from a row


def facts_read_at(machine: Machine, at: str) -> tuple[str, ...]:
    """The facts that the rows of a moment read, budgets left out: those stay as they are for a whole run."""
    names: set[str] = set()
    for row in machine.data["rows"]:
        if row["at"] == at:
            _add_names(row["when"], names)
    return tuple(sorted(name for name in names if not name.startswith("budgets.")))


def _add_names(condition: Any, names: set[str]) -> None:
    if not isinstance(condition, list) or not condition:
        return
    if condition[0] == "name":
        names.add(condition[1])
    elif condition[0] in ("in", "not in"):
        _add_names(condition[1], names)
    elif condition[0] != "value":
        for part in condition[1:]:
            _add_names(part, names)
