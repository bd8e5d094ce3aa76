"""What is wrong with a line of a ledger, and the findings about all lines: some of them shown, all of them counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from labspec.contract.form import field_problems
from labspec.contract.records import Problem, Record, read_ledger
from labspec.contract.wording import printable
from labspec.diagnostics import Diagnostic, Report, Severity, Span
from labspec.diagnostics.suggest import did_you_mean
from labspec.ledger.places import value_places

UNREADABLE = "ledger-line-unreadable"
TORN = "ledger-line-torn"
WRONG_FIELDS = "ledger-wrong-fields"

_END_OF_LINE = "write each record whole, with its newline, in one write"
MAX_PROBLEMS = 100
"""How many faults of one record are counted: it could have a hundred thousand fields that are none."""

MAX_NAME = 80
"""How many characters of a name from a ledger are shown."""


class Fault(NamedTuple):
    """One thing that is wrong with a line. `field` is the value it is about; None if it is about the whole line.

    `help` is a function where it takes time to find: most faults of a ledger full of them are only counted.
    """

    code: str
    message: str
    field: str | None = None
    help: str | Callable[[], str] | None = None
    severity: Severity = Severity.ERROR


class Read(NamedTuple):
    """A line that was read: its record, None if it holds none of the right form, and what is wrong with it."""

    record: Record | None
    faults: tuple[Fault, ...]


def quoted(name: str) -> str:
    """A name from a ledger as messages show it."""
    return f"`{printable(name, MAX_NAME)}`" if name else '""'


def nearest(name: str, options: Iterable[str], otherwise: str) -> str:
    """The advice about a name that is not one of the options: the one that was probably meant, if any."""
    near = did_you_mean(name, options)
    return f"did you mean `{near}`?" if near else otherwise


def read_record(raw: bytes) -> Read:
    """The record of a line, read strictly: JSON that can be read in one way only, the seven fields, and their types."""
    content = read_json_object(raw)
    if isinstance(content, Fault):
        return Read(None, (content,))
    problems = _form_problems(content)
    if problems:
        return Read(None, tuple(Fault(WRONG_FIELDS, problem) for problem in problems))
    return Read(content, ())


def read_json_object(raw: bytes) -> Record | Fault:
    """The JSON object of a line, whatever its fields are."""
    read = read_ledger(raw)
    content = read if isinstance(read, Problem) else read[0].content
    if not isinstance(content, Problem):
        return content
    if not isinstance(read, Problem) and not raw.endswith(b"\n"):
        return Fault(TORN, f"the line {content.sentence}", help=_END_OF_LINE)
    return Fault(UNREADABLE, f"the line {content.sentence}")


def _form_problems(record: Record) -> list[str]:
    """What is wrong with the fields of a record by themselves, whichever run it is about."""
    run_id, fixture_id = (str(record.get(name)) for name in ("run_id", "fixture_id"))
    return list(islice(field_problems(record, run_id, fixture_id), MAX_PROBLEMS))


class Faults:
    """The faults of one ledger: every one is counted by its code, and the first `shown` of each code are findings."""

    def __init__(self, file: str, report: Report, shown: int) -> None:
        """Add findings about the ledger called `file` to `report`, at most `shown` of each code."""
        self._file = file
        self._report = report
        self._shown = shown
        self._beyond: dict[str, Span] = {}
        self.codes: Counter[str] = Counter()

    def add(self, number: int, raw: bytes, faults: tuple[Fault, ...]) -> None:
        """Count what is wrong with line `number`."""
        for fault in faults:
            self.codes[fault.code] += 1
            if self.codes[fault.code] <= self._shown:
                at = self._span(number, raw, fault.field)
                help = fault.help() if callable(fault.help) else fault.help
                self._report.diagnostics.append(Diagnostic(fault.code, fault.message, at, fault.severity, help))
            elif fault.code not in self._beyond:
                self._beyond[fault.code] = self._span(number, raw, fault.field)

    def stop(self, number: int, raw: bytes, faulty: int) -> None:
        """Say that nothing after line `number` was looked at."""
        code = "too-many-findings"
        self.codes[code] += 1
        message = f"{faulty:,} lines have errors; what follows is not looked at"
        self._report.error(code, message, self._span(number, raw, None), help="check that this is a ledger of this lab")

    def close(self) -> None:
        """Say how many there are of which not all are shown; the last thing to do."""
        for code, at in self._beyond.items():
            more = self.codes[code] - self._shown
            message = f"and {more:,} more of this kind, the first of them here"
            self._report.diagnostics.append(Diagnostic(code, message, at, Severity.NOTE))

    def _span(self, number: int, raw: bytes, field: str | None) -> Span:
        """The value of a field, or the whole line without its end."""
        text = raw.decode("utf-8", "surrogateescape").rstrip("\r\n")
        start, end = (0, len(text)) if field is None else value_places(text)[field]
        return Span(self._file, number, start + 1, number, max(end, start + 1) + 1)
