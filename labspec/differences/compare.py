"""From two labs to their differences: every section in the order in which it matters, and a verdict in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from labspec.differences.fixtures import comparable, ending_changes, fixture_changes, ledger_changes
from labspec.differences.loop import budget_changes, meter_changes, reason_changes, row_changes, setting_changes
from labspec.differences.model import Change, Differences, Runs, Section, Verdict
from labspec.differences.renaming import in_new_words, renames
from labspec.differences.rubric import gate_changes, goal_changes, mistake_changes
from labspec.differences.runs import compare_runs
from labspec.differences.wording import wording_changes, work_changes
from labspec.machine.explorer import TURN_LIMIT

if TYPE_CHECKING:
    from labspec.differences.renaming import Renames
    from labspec.lab.model import Lab

_ENDS: Final[dict[Verdict, str]] = {
    "same": "No run can end differently, which is proved",
    "differs": "Some runs end differently now",
    "traces differ": "No run can end differently, which is proved, but traces do",
    "not decided": "Whether runs can end differently is not proved either way",
}


def compare(old: Lab, new: Lab, *, limit: int = TURN_LIMIT) -> Differences:
    """The change in meaning from `old` to `new`. `limit` is how many turns the explorer takes before it gives up."""
    names = renames(old, new)
    before = in_new_words(old, names)
    runs = compare_runs(before, new, limit)
    sections = tuple(section for section in _sections(before, new, names) if section.changes)
    headline = _headline(old, new, runs, sections, names)
    return Differences(headline, _called(old), _called(new), runs, sections)


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


def _section(name: str, title: str, changes: Iterable[Change]) -> Section:
    return Section(name, title, tuple(changes))


def _headline(old: Lab, new: Lab, runs: Runs, sections: tuple[Section, ...], names: Renames) -> str:
    """The verdict in one sentence."""
    found = {section.id: section for section in sections}
    if not found and runs.verdict == "same":
        same = old.digest == new.digest or old._replace(digest="", version="") == new._replace(digest="", version="")
        return "Nothing differs in meaning." if same else "Nothing differs but how the spec is written, or its version."
    if set(found) == {"wording"} and runs.verdict == "same":
        return "Only the wording differs: every run, gate and point stays as it is."
    endings = found["endings"].changes if "endings" in found else ()
    fixtures = sum(change.kind == "ending of" for change in endings)
    changed = sum(change.kind == "ending of the changed" for change in endings)
    also = [
        f"{_counted(len(names), 'reason')} got a new name" if names else "",
        f"{_counted(fixtures, 'fixture')} of the lab with another ending" if fixtures else "",
        f"{_counted(changed, 'fixture')} changed, and with it the ending" if changed else "",
        "gates or points moved" if "gates" in found else "",
    ]
    told = [part for part in also if part]
    return "; ".join([_ENDS[runs.verdict], *told]) + "."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _called(lab: Lab) -> str:
    return f"{lab.id} {lab.version}"
