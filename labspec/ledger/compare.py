"""`labspec ledger compare`: which runs of two ledgers ended alike, and in what the others differ.

Two runs agree if their exit signatures do: the same reason, turns, tool names and last error, each of the same type.
A run is held against the one with the same run id and fixture in the other ledger; where an id occurs several times,
the first against the first, and so on. The runs that then remain are paired by fixture, in the order of their lines.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from labspec.contract.signature import SIGNATURE_FIELDS, canonical, exit_signature
from labspec.ledger.faults import Fault, Faults, read_record
from labspec.ledger.lines import Memory, open_ledger, plain_run_id, read_lines
from labspec.plain_file import name_of

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.contract.records import Record
    from labspec.diagnostics import Report


class Exit(NamedTuple):
    """How a run of a fixture ended. Runs whose lines differ in the run id only share one."""

    fixture_id: str
    signature: str
    record: Record


class Run(NamedTuple):
    """A run that a ledger records, and the line it stands on."""

    line: int
    run_id: str
    exit: Exit


class Difference(NamedTuple):
    """Two runs that ended differently, and the fields in which they do."""

    a: Run
    b: Run
    fields: tuple[str, ...]


class Comparison(NamedTuple):
    """What came of two ledgers: how many pairs of runs agree, which pairs differ, and which runs have no partner."""

    a: str
    b: str
    agree: int
    differ: tuple[Difference, ...]
    only_in_a: tuple[Run, ...]
    only_in_b: tuple[Run, ...]

    @property
    def is_same(self) -> bool:
        """Whether there are runs, and all of them have a partner that agrees."""
        return self.agree > 0 and not (self.differ or self.only_in_a or self.only_in_b)


def compare_ledgers(a: Path, b: Path, report: Report, shown: int) -> Comparison | None:
    """Compare two ledgers; None if one of them can't be read at all.

    Lines that hold no record of the right form are findings, at most `shown` of each code and ledger, and no runs.
    """
    with _runs_of(a, report, shown) as runs_a, _runs_of(b, report, shown) as runs_b:
        if runs_a is None or runs_b is None:
            return None
        return compare_runs(runs_a, runs_b)._replace(a=name_of(a), b=name_of(b))


def compare_runs(runs_a: Iterable[Run], runs_b: Iterable[Run]) -> Comparison:
    """Pair the runs of two ledgers and compare each pair."""
    by_id = _Pairing(lambda run: (run.run_id, run.exit.fixture_id))
    by_fixture = _Pairing(lambda run: run.exit.fixture_id)
    agree = 0
    differ: list[Difference] = []
    for one, other in _pairs(by_id, by_fixture, runs_a, runs_b):
        if one.exit.signature == other.exit.signature:
            agree += 1
        else:
            differ.append(Difference(one, other, _differences(one.exit.record, other.exit.record)))
    differ.sort(key=lambda pair: pair.a.line)
    only_in_a, only_in_b = by_fixture.left()
    return Comparison("", "", agree, tuple(differ), only_in_a, only_in_b)


def _pairs(
    by_id: _Pairing, by_fixture: _Pairing, runs_a: Iterable[Run], runs_b: Iterable[Run]
) -> Iterator[tuple[Run, Run]]:
    yield from by_id.pair(runs_a, runs_b)
    yield from by_fixture.pair(*by_id.left())


_Waiting: TypeAlias = "defaultdict[Hashable, deque[Run]]"
"""Runs that have no partner yet, by their key; no key without a run."""


class _Pairing:
    """Pairs the runs of two ledgers that have the same key, the first with the first.

    What waits for a partner is kept, so ledgers with the same order take little memory however long they are.
    """

    def __init__(self, key: Callable[[Run], Hashable]) -> None:
        self._key = key
        self._waiting: tuple[_Waiting, _Waiting] = (defaultdict(deque), defaultdict(deque))

    def pair(self, runs_a: Iterable[Run], runs_b: Iterable[Run]) -> Iterator[tuple[Run, Run]]:
        """The pairs, each as soon as both of its runs are there. `left` says which runs have none at the end."""
        from_a, from_b = self._waiting
        for one, other in zip_longest(runs_a, runs_b):
            if one is not None:
                partner = self._partner(one, from_b, from_a)
                if partner is not None:
                    yield one, partner
            if other is not None:
                partner = self._partner(other, from_a, from_b)
                if partner is not None:
                    yield partner, other

    def left(self) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
        """The runs of each ledger that have no partner, in the order of their lines."""
        left_a, left_b = (
            tuple(sorted(chain.from_iterable(one.values()), key=lambda run: run.line)) for one in self._waiting
        )
        return left_a, left_b

    def _partner(self, run: Run, others: _Waiting, own: _Waiting) -> Run | None:
        """The first of the others that waits for a run like this one. If there is none, this one waits."""
        key = self._key(run)
        waiting = others.get(key)
        if waiting is None:
            own[key].append(run)
            return None
        partner = waiting.popleft()
        if not waiting:
            del others[key]
        return partner


@contextmanager
def _runs_of(path: Path, report: Report, shown: int) -> Iterator[Iterator[Run] | None]:
    """The runs of a ledger, to be read once; None if it can't be read at all."""
    file = name_of(path)
    faults = Faults(file, report, shown)
    with open_ledger(path, file, report) as stream:
        yield None if stream is None else _read_runs(read_lines(stream, file, report), faults)
    faults.close()


def _read_runs(lines: Iterable[bytes], faults: Faults) -> Iterator[Run]:
    memory = Memory(_look)
    for number, raw in enumerate(lines, start=1):
        found = memory.look(raw)
        if isinstance(found, Exit):
            run_id = plain_run_id(raw)
            yield Run(number, found.record["run_id"] if run_id is None else run_id, found)
        else:
            faults.add(number, raw, found)


def _look(raw: bytes) -> tuple[Exit | tuple[Fault, ...], bool]:
    record, faults = read_record(raw)
    if record is None:
        return faults, False
    return Exit(record["fixture_id"], exit_signature(record), record), True


def _differences(a: Record, b: Record) -> tuple[str, ...]:
    return tuple(name for name in SIGNATURE_FIELDS if canonical(a[name]) != canonical(b[name]))
