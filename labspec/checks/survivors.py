"""Slips that no gate sees, and what would catch them: a fixture that is missing, or a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.checks.mistakes import Judge
from labspec.lab.model import Lab
from labspec.lab.places import Places
from labspec.machine.runs import Runs
from labspec.mutants import Mutant, mutants_of

if TYPE_CHECKING:
    from labspec.mutants.verdicts import Explorer, Judged
    from labspec.suggestions import Author

_NAMED: Final = 6
"""How many slips a finding names before it says how many more there are."""


def check_survivors(lab: Lab, explorer: Explorer, judge: Judge, places: Places) -> None:
    """Every slip and every mistake that can be told from the reference fails some gate."""
    suspects = (*mutants_of(lab), *(_as_mutant(lab, number) for number in range(len(lab.mistakes))))
    survivors = [mutant for mutant in suspects if not judge.catches(Runs(mutant.machine))]
    if not survivors:
        return
    unseen = _report_missing_checks(survivors, judge, places)
    judged = [explorer.judge(mutant) for mutant in unseen]
    _report_undecided([one.mutant for one in judged if one.difference.verdict == "not decided"], places)
    _report_missing_fixtures(lab, [one for one in judged if one.difference.plan is not None], explorer, places)


def _as_mutant(lab: Lab, number: int) -> Mutant:
    """A listed mistake as a mutant, so that a fixture can be found for one that nobody catches."""
    mistake = lab.mistakes[number]
    only_records = {**mistake.machine, "recorder": {}} == lab.machine
    return Mutant(mistake.id, "recorder" if only_records else "table", f"the mistake `{mistake.id}`", mistake.machine)


def _report_undecided(mutants: Sequence[Mutant], places: Places) -> None:
    if mutants:
        message = f"not decided whether a fixture could notice this: {_slips(mutants)}"
        help = (
            "raise the limit of turns (`labspec check --limit N`), lower the budgets that rows read, or add a fixture"
        )
        places.report.warning("not-decided", message, places.key("budgets"), help=help)


def _slips(mutants: Sequence[Mutant]) -> str:
    named = "; ".join(mutant.says for mutant in mutants[:_NAMED])
    more = len(mutants) - _NAMED
    return f"{named}; and {more} more" if more > 0 else named


def _goes_unnoticed(mutants: Sequence[Mutant]) -> str:
    if len(mutants) == 1:
        return f"a slip goes unnoticed: {_slips(mutants)}"
    return f"{len(mutants)} slips go unnoticed: {_slips(mutants)}"


# --- a check is missing ---


def _report_missing_checks(survivors: Sequence[Mutant], judge: Judge, places: Places) -> list[Mutant]:
    """Report the slips that a fixture of the lab shows, if only a gate looked; returns the others."""
    shown: dict[tuple[str, str], list[Mutant]] = {}
    unseen = []
    for mutant in survivors:
        found = judge.first_check_that_fails(Runs(mutant.machine))
        if found is None:
            unseen.append(mutant)
        else:
            shown.setdefault(found, []).append(mutant)
    for (kind, fixture), mutants in shown.items():
        what = f"the check `{kind}` on the fixture `{fixture}`"
        help = f"{what} would see it: add `{{check: {kind}, fixtures: [{fixture}]}}` to the checks of a gate"
        places.report.warning("mutant-survives", _goes_unnoticed(mutants), places.key("rubric"), help=help)
    return unseen


# --- a fixture is missing ---


class _Group(NamedTuple):
    """A plan, and the mutants that it tells from the reference. The first is the one the plan was found for."""

    found: Judged
    mutants: tuple[Mutant, ...]


def _report_missing_fixtures(lab: Lab, judged: Sequence[Judged], explorer: Explorer, places: Places) -> None:
    if not judged:
        return
    from labspec.suggestions import Author  # a lab whose slips are all caught needs none

    author = Author(lab)
    for group in _grouped(judged, explorer):
        _report_group(lab, group, author, places)


def _grouped(judged: Sequence[Judged], explorer: Explorer) -> Iterator[_Group]:
    """Few plans that tell all of them apart: again and again the one that tells most of those that are left."""
    left = list(judged)
    while left:
        groups = (_Group(one, tuple(_told_by(one, left, explorer))) for one in left)
        best = max(groups, key=lambda group: (len(group.mutants), -len(group.found.difference.plan or ())))
        yield best
        left = [one for one in left if one.mutant not in best.mutants]


def _told_by(found: Judged, left: Iterable[Judged], explorer: Explorer) -> Iterator[Mutant]:
    plan = found.difference.plan or ()
    for one in left:
        if one is found or explorer.differ_on(one.mutant, plan, found.budgets):
            yield one.mutant


def _report_group(lab: Lab, group: _Group, author: Author, places: Places) -> None:
    from labspec.suggestions import SuggestionError, Wanted

    plan, shown_by = group.found.difference.plan or (), group.found.difference.shown_by
    gates = _gates_for(lab, shown_by, author.row_of(plan, group.found.budgets))
    message, at = _goes_unnoticed(group.mutants), places.key("fixtures")
    if not gates:
        kind = shown_by[0]
        help = f"no gate has a check of the kind `{kind}`: add one; it takes {author.told(plan, group.found.budgets)}"
        places.report.warning("mutant-survives", message, at, help=help)
        return
    code = "mistake-not-caught" if any(_is_mistake(lab, mutant) for mutant in group.mutants) else "mutant-survives"
    try:
        suggestion = author.suggest(Wanted(plan, gates, group.mutants, group.found.budgets), code)
    except SuggestionError as error:
        help = f"a fixture would have to do this: {author.told(plan, group.found.budgets)} ({error})"
    else:
        places.report.suggestions.append(suggestion)
        then = suggestion.blocked or "`labspec check --fix` adds it"
        help = f"a fixture is missing: {suggestion.fixture['title']}; {then}"
    places.report.warning("mutant-survives", message, at, help=help)


def _is_mistake(lab: Lab, mutant: Mutant) -> bool:
    return any(mistake.machine == mutant.machine for mistake in lab.mistakes)


def _gates_for(lab: Lab, kinds: Sequence[str], row: str) -> tuple[str, ...]:
    """The gates that make one of these checks: first those whose fixtures most often end by the same row."""
    ends = Counter[str]()
    for gate in lab.rubric:
        checked = {name for check in gate.checks for name in check.fixtures}
        ends[gate.id] = sum(fixture.ending.row == row for fixture in lab.fixtures if fixture.id in checked)
    able = [gate.id for gate in lab.rubric if any(check.kind in kinds for check in gate.checks)]
    return tuple(sorted(able, key=lambda name: -ends[name]))
