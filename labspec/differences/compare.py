"""From two labs to their differences: every section in the order in which it matters, and a verdict in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from labspec.differences.fixtures import comparable, ending_changes, fixture_changes, ledger_changes
from labspec.differences.loop import budget_changes, meter_changes, reason_changes, row_changes, setting_changes
from labspec.differences.model import Change, Differences, Section, SectionId, Verdict
from labspec.differences.renaming import in_new_words, renames
from labspec.differences.rubric import gate_changes, goal_changes, mistake_changes
from labspec.differences.runs import compare_runs
from labspec.differences.wording import wording_changes, work_changes
from labspec.handed_out.read import as_students_have_it
from labspec.machine.explorer import TURN_LIMIT

if TYPE_CHECKING:
    from labspec.differences.renaming import Renames
    from labspec.lab.model import Lab

_ENDS: Final[dict[Verdict, str]] = {
    "same": "No run can end differently, which is proved",
    "same with proviso": "No run can end differently{proviso}, which is proved",
    "differs": "Some runs end differently now",
    "traces differ": "No run can end differently{proviso}, which is proved, but traces do",
    "not decided": "Whether all runs stay the same is not proved either way",
}

NOT_HANDED_OUT: Final = (
    "Only what students have is compared: no hidden fixtures, no mistakes, not how stretch goals change the loop, and "
    "only the words of the loop and of fixtures."
)
"""What is said about a comparison with a repository."""


def compare(old: Lab, new: Lab, *, limit: int = TURN_LIMIT, as_handed_out: bool = False) -> Differences:
    """The change in meaning from `old` to `new`.

    `limit` is how many turns the explorer takes before it gives up. With `as_handed_out`, only what students have is
    compared: so it has to be if one of the labs was read from a repository.
    """
    if as_handed_out:
        old, new = as_students_have_it(old), as_students_have_it(new)
    names = renames(old, new)
    before = in_new_words(old, names)
    runs = compare_runs(before, new, limit)
    sections = tuple(section for section in _sections(before, new, names) if section.changes)
    note = NOT_HANDED_OUT if as_handed_out and old.digest != new.digest else ""
    found = Differences("", _called(old), _called(new), runs, sections, note)
    return found._replace(headline=_headline(found, len(names)))


def _sections(old: Lab, new: Lab, names: Renames) -> Iterator[Section]:
    """`old` is in the words of `new`."""
    good, fixtures = comparable(old, new)
    ledgers = f"Ledgers: what is right on {good} of {fixtures} old fixtures is right still"
    yield _section("endings", "Fixtures that end differently", ending_changes(old, new))
    yield _section("reasons", "Reasons", reason_changes(old, new, names))
    yield _section("rows", "Rows of the decision table", row_changes(old, new))
    yield _section("budgets", "Budgets and meters", (*budget_changes(old, new), *meter_changes(old, new)))
    yield _section("settings", "Tools and settings of the loop", setting_changes(old, new))
    yield _section("gates", "Gates and points", gate_changes(old, new))
    yield _section("mistakes", "Mistakes", mistake_changes(old, new))
    yield _section("goals", "Stretch goals and grading by people", goal_changes(old, new))
    yield _section("ledgers", ledgers, ledger_changes(old, new, names))
    yield _section("fixtures", "Fixtures", fixture_changes(old, new))
    yield _section("work", "What students do", work_changes(old, new))
    yield _section("wording", "Wording", wording_changes(old, new))


def _section(name: SectionId, title: str, changes: Iterable[Change]) -> Section:
    return Section(name, title, tuple(changes))


def _headline(found: Differences, renamed: int) -> str:
    """The verdict in one sentence. `renamed` is how many reasons have a new name."""
    if found.same_meaning:
        words = "Only the wording differs: every run, gate and point stays as it is."
        return words if found.sections else "Nothing differs in meaning."
    fixtures = sum(change.kind == "ending of" for change in found.of("endings"))
    changed = sum(change.kind == "ending of the changed" for change in found.of("endings"))
    also = [
        f"{_counted(renamed, 'reason')} got a new name" if renamed else "",
        f"{_counted(fixtures, 'fixture')} of the lab with another ending" if fixtures else "",
        f"{_counted(changed, 'fixture')} changed, and with it the ending" if changed else "",
        "gates or points moved" if found.of("gates") else "",
    ]
    told = [part for part in also if part]
    return "; ".join([_ENDS[found.runs.verdict].format(proviso=found.runs.proviso), *told]) + "."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _called(lab: Lab) -> str:
    return f"{lab.id} {lab.version}"
