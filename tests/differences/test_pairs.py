"""What is said about a change of a spec, and that it is true."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from labspec.differences import compare
from labspec.differences.items import moved
from labspec.machine.alphabet import alphabet
from labspec.machine.runner import CLOSING_EVENTS, Loop, Machine, Trace, drive, ending_of
from labspec.machine.simulation import AbstractTools
from tests.machine.machines import STEPS

from .cases import FORMATS, PAIRS, difference, labs, pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labspec.lab.model import Lab

    Steps = Sequence[Mapping[str, Any]]

ALL = pytest.mark.parametrize("pair", pairs())
RENAMED = {"turn_cap": "out_of_turns"}
"""The rename that pairs make."""


def leaves(lab: Lab, steps: Steps, names: Mapping[str, str]) -> tuple[object, ...]:
    """What a run leaves: record and exit code, and the trace if the lab has one; reasons under their new names."""
    machine, trace = Machine(lab.machine), Trace()
    loop = Loop(machine)
    ending = ending_of(loop, drive(loop, steps, trace, AbstractTools(machine)))
    reason = names.get(ending.reason, ending.reason)
    trace.close(loop, CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]], reason)
    return ending._replace(reason=reason).seen(), trace.events if lab.traced else None


def steps_of(old: Lab, new: Lab) -> list[Mapping[str, Any]]:
    """Steps that call only tools that both labs have, none that neither has left out."""
    if old.workspace is not None:
        return [*alphabet(Machine(old.machine)), *alphabet(Machine(new.machine))]
    return [{**step, "name": "search"} if step.get("name") in ("a", "b") else step for step in STEPS.values()]


@pytest.mark.parametrize("format", FORMATS)
@ALL
def test_what_is_said_is_what_was_reviewed(pair: str, format: str) -> None:
    stored = (PAIRS / f"{pair}{FORMATS[format]}").read_text(encoding="utf-8")
    assert difference(pair, format) == stored, "run `make regen` and read the diff"


@ALL
def test_a_shown_plan_really_ends_differently_and_a_proof_holds_on_every_short_plan(pair: str) -> None:
    old, new = labs(pair)
    names = RENAMED if any(reason.name in RENAMED.values() for reason in new.taxonomy) else {}
    runs = compare(old, new).runs
    assert runs.verdict != "not decided"
    if runs.shown is not None:
        plan = runs.shown.plan
        (before, before_trace), (after, after_trace) = leaves(old, plan, names), leaves(new, plan, {})
        assert before != after if runs.verdict == "differs" else (before == after and before_trace != after_trace)
    shorter = min(3, len(runs.shown.plan) - 1) if runs.shown is not None else 3
    for length in range(shorter + 1):
        for steps in product(steps_of(old, new), repeat=length):
            assert leaves(old, steps, names) == leaves(new, steps, {}), steps


@ALL
def test_a_fixture_is_said_to_end_differently_exactly_if_it_does(pair: str) -> None:
    old, new = labs(pair)
    said = json.loads(difference(pair, "json"))["sections"].get("endings", [])
    names = RENAMED if any(reason.name in RENAMED.values() for reason in new.taxonomy) else {}
    before = {
        one.id: one.ending._replace(reason=names.get(one.ending.reason, one.ending.reason)) for one in old.fixtures
    }
    wrong = [one.id for one in new.fixtures if one.id in before and before[one.id].seen() != one.ending.seen()]
    assert [change["name"] for change in said if change["kind"].startswith("ending of")] == wrong


@ALL
def test_a_lab_does_not_differ_from_itself(pair: str) -> None:
    for lab in labs(pair):
        found = compare(lab, lab)
        assert (found.headline, found.runs.verdict, found.sections) == ("Nothing differs in meaning.", "same", ())


def test_another_exit_code_alone_is_another_ending() -> None:
    """The rows are the same, so only the taxonomy shows it."""
    _, new = labs("reason-renamed")
    taxonomy = tuple(one._replace(exit_code=9) if one.name == "completed" else one for one in new.taxonomy)
    reasons = {**new.machine["reasons"], "completed": {"kind": "done", "exit_code": 9}}
    other = new._replace(taxonomy=taxonomy, machine={**new.machine, "reasons": reasons})
    runs = compare(new, other).runs
    assert runs.verdict == "differs"
    assert runs.shown is not None
    assert "exit code 9" in runs.shown.new


def test_too_many_states_are_not_taken_for_a_proof() -> None:
    old, new = labs("rows-swap-without-effect")
    assert compare(old, new, limit=1).runs.verdict == "not decided"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("abcd", "abcd", ""), ("abcd", "bcda", "a"), ("abcd", "dabc", "d"), ("abc", "cba", "cb"), ("axb", "ba", "b")],
)
def test_as_few_names_as_can_be_have_moved(old: str, new: str, expected: str) -> None:
    assert len(moved(list(old), list(new))) == len(expected)
    assert set(moved(list(old), list(new))) <= set(new)


@pytest.mark.parametrize("shorter", range(77, 81))
def test_a_failure_that_is_just_too_long_now_is_another_ending(shorter: int) -> None:
    _, old = labs("layout")
    errors = old.errors._replace(max_chars=shorter)
    machine = {**old.machine, "errors": {**old.machine["errors"], "max_chars": shorter}}
    runs = compare(old, old._replace(errors=errors, machine=machine)).runs
    assert runs.verdict == ("same" if shorter == old.errors.max_chars else "differs")
