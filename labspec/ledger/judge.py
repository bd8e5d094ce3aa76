"""What a lab says about a record: its reason, its fixture, its counts and its error text. Used by `ledger check`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from labspec.contract.form import error_problem
from labspec.contract.records import Record
from labspec.contract.signature import exit_signature
from labspec.contract.wording import show
from labspec.diagnostics import Severity
from labspec.ledger.faults import Fault, nearest, quoted, read_record
from labspec.ledger.renames import Renames

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Lab


class Limits(NamedTuple):
    """The most turns and the most calls that a record of a fixture can have; None where nothing limits them."""

    turns: int | None
    calls: int | None


class Verdict(NamedTuple):
    """What there is to say about a line. It does not depend on the run id.

    `reason` is None if there is an error. `fixture` is None if the lab has no such fixture; `as_table` says whether
    the run ended as the decision table says.
    """

    faults: tuple[Fault, ...]
    reason: str | None = None
    fixture: str | None = None
    as_table: bool = False


class Judge:
    """Holds lines against one lab. What stretch goals add to the lab may occur in a ledger as well."""

    def __init__(self, lab: Lab) -> None:
        """Prepare what lines are held against."""
        solved = lab.solved()
        self._max_error_chars = max(lab.max_error_chars, solved.max_error_chars)
        self._renames = Renames((*lab.taxonomy, *solved.taxonomy))
        self._limits = {fixture.id: _limits((lab, solved), fixture) for fixture in solved.fixtures}
        self._signatures = {
            fixture.id: exit_signature({**fixture.ending._asdict(), "tool_names": list(fixture.ending.tool_names)})
            for fixture in solved.fixtures
        }

    def look(self, raw: bytes) -> tuple[Verdict, bool]:
        """What there is to say about a line, and whether it may be kept for other run ids."""
        record, faults = read_record(raw)
        if record is None:
            return Verdict(faults), False
        return self.judge(record), True

    def judge(self, record: Record) -> Verdict:
        """What there is to say about a record of the right form."""
        faults = tuple(self._faults(record))
        fixture = record["fixture_id"] if record["fixture_id"] in self._limits else None
        if any(fault.severity is Severity.ERROR for fault in faults):
            return Verdict(faults, None, fixture)
        as_table = fixture is not None and exit_signature(record) == self._signatures[fixture]
        return Verdict(faults, record["reason"], fixture, as_table)

    def _faults(self, record: Record) -> Iterator[Fault]:
        fault = self._renames.fault(record["reason"])
        if fault is not None:
            yield fault
        yield from _counts(record)
        yield from self._over_budget(record)
        problem = error_problem(record, self._max_error_chars)
        if problem is not None:
            help = f"write null, or one line of at most {self._max_error_chars} characters"
            yield Fault("ledger-wrong-error", f"the last error {problem}", "last_error", help)

    def _over_budget(self, record: Record) -> Iterator[Fault]:
        fixture = record["fixture_id"]
        limits = self._limits.get(fixture)
        if limits is None:
            help = partial(nearest, fixture, self._limits, "its budgets are not known, so they are not looked at")
            message = f"the lab has no fixture {quoted(fixture)}"
            yield Fault("ledger-unknown-fixture", message, "fixture_id", help, Severity.WARNING)
            return
        calls = len(record["tool_names"])
        if limits.turns is not None and record["turns"] > limits.turns:
            message = f"{record['turns']} turns, but no run of `{fixture}` can take more than {limits.turns}"
            yield Fault("ledger-over-budget", message, "turns", _CHARGE)
        if limits.calls is not None and calls > limits.calls:
            message = f"{calls} tool names, but no run of `{fixture}` can make more than {limits.calls} calls"
            yield Fault("ledger-over-budget", message, "tool_names", _CHARGE)


_CHARGE = "a turn or a call that ends the loop before it happens is not counted"


def _counts(record: Record) -> Iterator[Fault]:
    """Counts that contradict each other in any lab."""
    turns, stopped, calls = record["turns"], record["stopped_on_turn"], len(record["tool_names"])
    if stopped != turns:
        message = f"stopped_on_turn is {show(stopped)}, but turns is {show(turns)}"
        yield Fault("ledger-counts-disagree", message, "stopped_on_turn", "a run stops on the last turn it takes")
    if calls > turns:
        message = f"{calls} tool names in {turns} turn{'' if turns == 1 else 's'}"
        yield Fault("ledger-counts-disagree", message, "tool_names", "a turn brings one decision, so at most one call")


def _limits(labs: tuple[Lab, ...], fixture: Fixture) -> Limits:
    """What budgets allow. A run that ends as the table says is never over a limit, whatever its rows compare."""
    ending = fixture.ending
    return Limits(
        _limit("turns", labs, fixture, ending.turns), _limit("tool_calls", labs, fixture, len(ending.tool_names))
    )


def _limit(meter: str, labs: tuple[Lab, ...], fixture: Fixture, used: int) -> int | None:
    budgets = [budget for lab in labs for budget in lab.budgets if meter in budget.meters]
    limits = [fixture.budgets.get(budget.name, budget.limit) for budget in budgets]
    return max(*limits, used) if limits else None
