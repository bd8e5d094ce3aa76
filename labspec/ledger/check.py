"""`labspec ledger check`: every line of a ledger held against a lab, in one pass and in bounded memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from labspec.ledger.faults import Faults
from labspec.ledger.judge import Judge, Verdict
from labspec.ledger.lines import Memory, open_ledger, read_lines
from labspec.plain_file import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import IO

    from labspec.diagnostics import Report
    from labspec.lab.model import Lab

MAX_FAULTY_LINES = 1_000_000
"""After so many lines with errors a ledger is read no further: what follows would be more of the same."""


class Endings(NamedTuple):
    """The sound records of a fixture: how many there are, and how many end as the decision table says."""

    runs: int
    as_table: int


class Checked(NamedTuple):
    """What became of one ledger.

    `reasons` and `fixtures` count the sound lines: those without an error. Sound lines of fixtures that the lab does
    not have stand under None. `codes` counts every finding, shown or not.
    """

    file: str
    lines: int
    reasons: dict[str, int]
    fixtures: dict[str | None, Endings]
    codes: dict[str, int]

    @property
    def sound(self) -> int:
        """How many lines have no error."""
        return sum(self.reasons.values())


class Checker:
    """Checks ledgers of one lab, one after the other."""

    def __init__(self, lab: Lab, report: Report, shown: int) -> None:
        """Hold ledgers against `lab`; at most `shown` findings of each code and ledger go to `report`."""
        self._report = report
        self._shown = shown
        self._memory = Memory(Judge(lab).look)

    def check(self, path: Path) -> Checked | None:
        """Check one ledger; None if it can't be read at all. Whatever it holds, nothing is raised."""
        file = name_of(path)
        with open_ledger(path, file, self._report) as stream:
            return None if stream is None else self._check(stream, file)

    def _check(self, stream: IO[bytes], file: str) -> Checked:
        faults = Faults(file, self._report, self._shown)
        counts: Counter[Verdict] = Counter()
        look, number, faulty = self._memory.look, 0, 0
        for number, raw in enumerate(read_lines(stream, file, self._report), start=1):
            verdict = look(raw)
            if verdict.faults:
                faults.add(number, raw, verdict.faults)
                faulty += verdict.reason is None
                verdict = verdict._replace(faults=())
            counts[verdict] += 1
            if faulty == MAX_FAULTY_LINES:
                faults.stop(number, raw, faulty)
                break
        faults.close()
        return _summary(file, number, counts, faults)


def _summary(file: str, lines: int, counts: Counter[Verdict], faults: Faults) -> Checked:
    reasons: Counter[str] = Counter()
    runs: Counter[str | None] = Counter()
    as_table: Counter[str | None] = Counter()
    for verdict, count in counts.items():
        if verdict.reason is not None:
            reasons[verdict.reason] += count
            runs[verdict.fixture] += count
            as_table[verdict.fixture] += count * verdict.as_table
    fixtures = {fixture: Endings(runs[fixture], as_table[fixture]) for fixture in runs}
    return Checked(file, lines, dict(reasons), fixtures, dict(faults.codes))


def check_ledgers(paths: Sequence[Path], lab: Lab, report: Report, shown: int) -> list[Checked]:
    """Check every ledger that can be read, each once, in the order given."""
    checker = Checker(lab, report, shown)
    checked = (checker.check(path) for path in dict.fromkeys(paths))
    return [one for one in checked if one is not None]
