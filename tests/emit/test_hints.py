"""A runner with a listed mistake is told which mistake it looks like, with its hint, by a failing test."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labspec.checks.mistakes import InProcess, expected_of
from labspec.contract import CHECKS, Bench, ContractFailure
from labspec.emit.hints import plan_hints
from labspec.emit.suite import checks_of, shown_fixtures
from labspec.pipeline import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labspec.lab.model import Lab, Mistake

SPECS = Path(__file__).parents[2] / "specs"
LABS = sorted(SPECS.glob("*.yaml"))

NOT_RECOGNISED = {
    "loop-budget": {
        "only_good_runs_are_traced": "its records and exit codes are right: only traces are missing",
        "trace_is_not_closed": "its records and exit codes are right: only the traces differ",
        "run_id_is_made_up": "it ends every run right: it shows in the name of the run",
    },
    "loop-exit-ledger": {
        "ledger_is_overwritten": "each of its records is right: it shows in what stood in the ledger before",
        "only_successes_are_recorded": "where it is wrong it leaves no record that could be compared",
        "time_in_the_record": "it ends every run right: it shows in a field more",
    },
    "loop-guardrails": {
        "refusals_are_free": "its records and exit codes are right: it shows in what the trace says was used",
        "silence_is_consent": "it shows on a hidden fixture alone, which students do not have",
        "no_closing_event": "its records and exit codes are right: only the traces differ",
    },
}
NOT_RECOGNISED["loop-budget-python"] = NOT_RECOGNISED["loop-budget"]
"""The mistakes that no ending of a run gives away, and why."""


def lab_of(spec: Path) -> Lab:
    lab = load(spec).lab
    assert lab is not None
    return lab


def failures(lab: Lab, mistake: Mistake) -> Iterator[str]:
    """What the tests of the student repository say to a runner with a mistake."""
    fixtures = shown_fixtures(lab, hidden=False)
    hints = plan_hints(lab, fixtures)
    bench = Bench(InProcess(mistake.runs, lab))
    for kind, fixture in (pair for gate in lab.rubric for pair in checks_of(gate, fixtures)):
        expected = expected_of(lab, fixture)._replace(hints=hints.get((kind, fixture.id), {}))
        if kind in ("exit", "exit_code"):
            try:
                CHECKS[kind](bench, fixture.id, expected)
            except ContractFailure as failure:
                yield str(failure)


@pytest.mark.parametrize("spec", LABS, ids=lambda spec: spec.stem)
def test_a_failing_test_names_the_mistake_that_a_runner_makes(spec: Path) -> None:
    """Each mistake is told by its own words and its own hint, but for those that no ending gives away."""
    lab = lab_of(spec)
    told = [list(failures(lab, mistake)) for mistake in lab.mistakes]
    silent = {one.id for one, messages in zip(lab.mistakes, told, strict=True) if not names(one, messages)}
    assert silent == set(NOT_RECOGNISED.get(lab.id, {}))


def names(mistake: Mistake, messages: list[str]) -> bool:
    """Whether one of the messages has the mistake's words, and its hint below them."""
    lines = [line.strip() for message in messages for line in message.splitlines()]
    hint = None if mistake.hint is None else f"hint: {mistake.hint.splitlines()[0]}"
    starts = (f"mistake   looks like: {mistake.says}", f"or: {mistake.says}")
    return any(
        line in starts and (hint is None or following == hint) for line, following in itertools.pairwise([*lines, ""])
    )


@pytest.mark.parametrize("spec", LABS, ids=lambda spec: spec.stem)
def test_a_hint_never_shows_how_a_mistake_ends(spec: Path) -> None:
    """What is printed is the author's own words, and stands behind a signature."""
    lab = lab_of(spec)
    said = {f"looks like: {one.says}" for one in lab.mistakes} | {f"or: {one.says}" for one in lab.mistakes}
    said |= {f"hint: {(one.hint or '').rstrip()}" for one in lab.mistakes}
    hints = plan_hints(lab, shown_fixtures(lab, hidden=False))
    for words in (words for found in hints.values() for words in found.values()):
        assert set(words.splitlines()) <= {line for each in said for line in each.splitlines()}


def test_mistakes_that_end_alike_are_all_named() -> None:
    """A wrong ending does not tell which of them it is, so none is claimed."""
    lab = lab_of(SPECS / "loop-exit-ledger.yaml")
    first = lab.mistakes[0]
    twin = first._replace(id="twin", says="The retries are forgotten", hint=None)
    hints = plan_hints(lab._replace(mistakes=(first, twin)), lab.fixtures)
    words = set(hints["exit", "weather_timeout_v1"].values())
    assert words == {f"looks like: {first.says}\nhint: {first.hint}\nor: The retries are forgotten"}
