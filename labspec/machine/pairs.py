"""Two runs of one plan, side by side: where they stand, and whether their records can still become equal.

What is compared is what a record shows of a run: how it ended, its turns, tool names and last error, and for labs with
a trace the events and the use of each budget. Runs can owe each other something for a while: a tool name or a turn that
only one of them has recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from labspec.machine.alphabet import Step
from labspec.machine.runner import Machine
from labspec.machine.turns import State, Turn, Turns


class Running(NamedTuple):
    """A run that goes on: its state, and its last error."""

    state: State
    error: str | None


class Ended(NamedTuple):
    """How a run ended. `reason` is None if no row ever ends it."""

    reason: str | None
    exit_code: int
    last_error: str | None
    use: tuple[Any, ...]


Run: TypeAlias = "Running | Ended"

ENDLESS: Final = Ended(None, 0, None, ())

_NO_TURN: Final = Turn(None, None, (), 0, (), None, (), (), ())


class Pair(NamedTuple):
    """Where the run of a machine and that of its mutant stand.

    `ahead` are tool names that only one of them has recorded so far (the mutant, if `by_mutant`), `turns` is how many
    turns the mutant has recorded more. Once names or events are apart, nothing that can still come makes them equal.
    """

    own: Run
    other: Run
    ahead: tuple[str, ...] = ()
    by_mutant: bool = False
    turns: int = 0
    names_apart: bool = False
    events_apart: bool = False

    @property
    def is_common(self) -> bool:
        """Whether the two runs can't be told apart here."""
        return self.own == self.other and not (self.ahead or self.turns or self.names_apart or self.events_apart)

    @property
    def have_ended(self) -> bool:
        """Whether both runs are over."""
        return isinstance(self.own, Ended) and isinstance(self.other, Ended)

    @property
    def differ(self) -> bool:
        """Whether two runs that are over left different records."""
        return not self.is_common and not (self.own == self.other == ENDLESS)

    def shown_by(self) -> Iterator[str]:
        """The kinds of checks that see how two runs that are over differ."""
        if not (isinstance(self.own, Ended) and isinstance(self.other, Ended)):
            return
        names = self.names_apart or bool(self.ahead)
        if names or self.turns or (self.own.reason, self.own.last_error) != (self.other.reason, self.other.last_error):
            yield "exit"
        if self.own.exit_code != self.other.exit_code:
            yield "exit_code"
        if self.events_apart:
            yield "trace"
        if self.own.use != self.other.use:
            yield "use"


class Pairing:
    """A machine and a mutant that take the same turns. With `traced`, events count."""

    def __init__(self, own: Turns, other: Turns, *, traced: bool) -> None:
        self._own = own
        self._other = other
        self._traced = traced

    def start(self) -> Pair:
        """Where both begin."""
        return Pair(Running(self._own.start, None), Running(self._other.start, None))

    def take(self, pair: Pair, number: int, step: Step) -> Pair:
        """After a turn with a step. A run that has ended takes no part in it."""
        if isinstance(pair.own, Running) and isinstance(pair.other, Running):
            mine = self._own.take(pair.own.state, number, step)
            theirs = self._other.take(pair.other.state, number, step)
            if _show_the_same(mine, theirs) and not (pair.ahead and mine.names):
                after = Running(mine.state, mine.error or pair.own.error)
                return Pair(after, Running(theirs.state, theirs.error or pair.other.error), *pair[2:])
            return self._after(pair, mine, theirs)
        own = None if isinstance(pair.own, Ended) else self._own.take(pair.own.state, number, step)
        other = None if isinstance(pair.other, Ended) else self._other.take(pair.other.state, number, step)
        return self._after(pair, own, other)

    def close(self, pair: Pair) -> Pair:
        """After the plan has ended, and with it both runs."""
        own = None if isinstance(pair.own, Ended) else self._own.tail(pair.own.state)
        other = None if isinstance(pair.other, Ended) else self._other.tail(pair.other.state)
        after = self._after(pair, own, other)
        return after._replace(own=_last(after.own), other=_last(after.other))

    def _after(self, pair: Pair, own: Turn | None, other: Turn | None) -> Pair:
        shown, wanted = own or _NO_TURN, other or _NO_TURN
        ahead, by_mutant, names_apart = pair.ahead, pair.by_mutant, pair.names_apart
        if ahead or shown.names != wanted.names:
            ahead, by_mutant, contradict = _owed(pair, shown.names, wanted.names)
            names_apart = names_apart or contradict
        return Pair(
            _run(pair.own, own, self._own.machine),
            _run(pair.other, other, self._other.machine),
            ahead,
            by_mutant,
            pair.turns + wanted.turns - shown.turns,
            names_apart,
            pair.events_apart or (self._traced and shown.events != wanted.events),
        )


def _show_the_same(own: Turn, other: Turn) -> bool:
    """Whether both runs go on after two turns that add the same to their records: the most frequent case."""
    if own.row is not None or other.row is not None:
        return False
    return own.turns == other.turns and own.names == other.names and own.events == other.events


def _owed(pair: Pair, own: tuple[str, ...], other: tuple[str, ...]) -> tuple[tuple[str, ...], bool, bool]:
    """The names that one run is ahead by, whether that is the mutant's, and whether the names contradict each other."""
    if pair.by_mutant:
        other = pair.ahead + other
    else:
        own = pair.ahead + own
    common = min(len(own), len(other))
    return own[common:] or other[common:], len(other) > common, own[:common] != other[:common]


def _run(before: Run, turn: Turn | None, machine: Machine) -> Run:
    if turn is None or isinstance(before, Ended):
        return before
    error = turn.error or before.error
    row = turn.row
    if row is None:
        return Running(turn.state, error)
    last_error = {"none": None, "error": error, "text": row.error_text}[row.error_from]
    return Ended(row.outcome, machine.reasons[row.outcome]["exit_code"], last_error, turn.use)


def _last(run: Run) -> Ended:
    """What a run has come to whose plan has ended: if it still goes on, it does so for ever."""
    return run if isinstance(run, Ended) else ENDLESS
