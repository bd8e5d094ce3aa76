"""Which fixtures end differently now, and which lines of old ledgers can still be compared with new ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from labspec.differences.items import changes, from_to
from labspec.differences.model import Change, How
from labspec.differences.runs import ending_told
from labspec.ledger.faults import Fault
from labspec.ledger.renames import Renames as LedgerRenames

if TYPE_CHECKING:
    from labspec.differences.renaming import Renames
    from labspec.lab.model import Fixture, Lab


class _Both(NamedTuple):
    """A fixture that both labs have, and whether a runner is given the same in both.

    `migrated` is the reason that `labspec ledger migrate` writes in a line of a right run of the old one.
    """

    old: Fixture
    new: Fixture
    same_inputs: bool
    migrated: str

    @property
    def ends_alike(self) -> bool:
        """Whether a right run leaves the same record."""
        return self.old.ending.seen() == self.new.ending.seen()

    @property
    def stays_right(self) -> bool:
        """Whether a right line of the old lab's ledger, once it is migrated, is right for the new lab."""
        return self.old.ending._replace(reason=self.migrated).seen() == self.new.ending.seen()


def ending_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Fixtures whose right run leaves another record now, with the row that decides it."""
    for name, both in _in_both(old, new).items():
        if not both.ends_alike:
            kind = "ending of" if both.same_inputs else "ending of the changed"
            details = (f"was: {ending_told(both.old.ending)}", f"now: {ending_told(both.new.ending)}")
            yield Change("changed", kind, name, details)
        elif both.old.ending.row != both.new.ending.row:
            row = from_to("same record, decided by another row", both.old.ending.row, both.new.ending.row)
            yield Change("changed", "deciding row of", name, tuple(row))
        elif both.same_inputs and _leaves(both.old) != _leaves(both.new):
            yield Change("changed", "traces of", name, ("same record, and another trace or other files",))


def fixture_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """Fixtures that went, came, or give a runner something else."""
    before, after = _fixtures(old), _fixtures(new)
    yield from changes("fixture", before, after, _differs, lambda fixture: iter((ending_told(fixture.ending),)))


def _differs(one: Fixture, other: Fixture) -> Iterator[str]:
    yield from from_to("hidden from students", one.hidden, other.hidden)
    yield from from_to("its own budgets", _budgets(one), _budgets(other))
    if one.simulated["planned_calls"] != other.simulated["planned_calls"]:
        yield "another plan"
    if one.simulated.get("workspace") != other.simulated.get("workspace"):
        yield "another workspace of its own"


def _budgets(fixture: Fixture) -> str:
    return ", ".join(f"{name} {limit}" for name, limit in fixture.budgets.items())


def ledger_changes(old: Lab, new: Lab, names: Renames) -> Iterator[Change]:
    """Lines of old ledgers that can't be compared as they stand, by reason and by fixture."""
    today = LedgerRenames(new.taxonomy)
    for was, name in names.items():
        yield _migrated(was, name)
    for reason in old.taxonomy:
        called = today.new_name(reason.name)
        if isinstance(called, Fault):
            yield Change("removed", "lines with reason", reason.name, (f"lost: {called.message}",))
        elif called != reason.name:
            yield _migrated(reason.name, called)
    both = _in_both(old, new)
    kept = [name for name in _fixtures(old) if name in both and both[name].same_inputs]
    changed = [name for name in _fixtures(old) if name in both and not both[name].same_inputs]
    yield from _lines("removed", [name for name in _fixtures(old) if name not in both], "lost: their fixture is gone")
    yield from _lines("changed", changed, "lost: the old runs were given something else")
    wrong = [name for name in kept if not both[name].stays_right]
    yield from _lines("changed", wrong, "can be compared, but what was right is wrong now")


def _migrated(was: str, name: str) -> Change:
    what = f"comparable once `labspec ledger migrate` writes `{name}`"
    return Change("renamed", "lines with reason", was, (what,))


def _lines(how: How, names: Sequence[str], what: str) -> Iterator[Change]:
    if names:
        yield Change(how, "lines of", ", ".join(names), (what,))


def comparable(old: Lab, new: Lab) -> tuple[int, int]:
    """How many fixtures of the old lab have ledgers whose right lines are right still, and how many it has."""
    good = [both for both in _in_both(old, new).values() if both.same_inputs and both.stays_right]
    return len(good), len(_fixtures(old))


def _in_both(old: Lab, new: Lab) -> dict[str, _Both]:
    before, after = _fixtures(old), _fixtures(new)
    today = LedgerRenames(new.taxonomy)
    return {name: _both(before[name], old, after[name], new, today) for name in after if name in before}


def _both(one: Fixture, old: Lab, other: Fixture, new: Lab, today: LedgerRenames) -> _Both:
    called = today.new_name(one.ending.reason)
    migrated = one.ending.reason if isinstance(called, Fault) else called
    return _Both(one, other, _inputs(one, old) == _inputs(other, new), migrated)


def _fixtures(lab: Lab) -> dict[str, Fixture]:
    """Every fixture by id, those of the stretch goals as well."""
    goals = lab.stretch.goals if lab.stretch else ()
    return {fixture.id: fixture for fixture in (*lab.fixtures, *(one for goal in goals for one in goal.fixtures))}


def _inputs(fixture: Fixture, lab: Lab) -> tuple[Any, ...]:
    """What a runner is given: the plan, the fixture's budgets, and the files that the tools work on."""
    given = {key: value for key, value in fixture.simulated.items() if key != "goal"}
    return given, None if lab.workspace is None else (lab.workspace.roots, sorted(lab.workspace.files))


def _leaves(fixture: Fixture) -> object:
    return list(fixture.trace), fixture.files
