"""Zeros, stretch goals and what a person grades: each is shown with its reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from labspec.contract import HANGS, MISSING_TRACE, WROTE_OUTSIDE
from labspec.contract.handed_out import Change
from labspec.contract.rubric import Gate, Manual, Rubric, ScoreboardError, Stretch, load_rubric
from labspec.contract.rules import CHANGED_TESTS, WITHOUT, Rule, read_rules
from labspec.contract.score import Outcome, Scores, Status, judge
from labspec.contract.scoreboard import report_data, scoreboard_lines
from labspec.contract.setting import Setting

if TYPE_CHECKING:
    from pathlib import Path

CHANGED = (Change("tests/test_a.py", "changed"),)


def gate(name: str, *rules: Rule, points: int = 10) -> Gate:
    return Gate(name, points, f"Gate {name}", f"test_{name}.py", 1, rules)


def outcomes(**each: Status | frozenset[str]) -> dict[tuple[str, str], Outcome]:
    """The outcome of the one test of each gate: how it ended, or, where it passed, what happened in it."""
    return {
        (f"test_{name}.py", "test_it"): Outcome(status) if isinstance(status, str) else Outcome("passed", events=status)
        for name, status in each.items()
    }


def states(scores: Scores) -> dict[str, tuple[str, str | None]]:
    return {score.gate.id: (score.state, score.zeroed) for score in scores.gates}


@pytest.mark.parametrize(
    ("rule", "event", "reason"),
    [
        (Rule(HANGS), HANGS, "a run did not end in time"),
        (Rule(WROTE_OUTSIDE), WROTE_OUTSIDE, "a run wrote outside the allowed roots"),
        (Rule(MISSING_TRACE), MISSING_TRACE, "a run left no trace"),
    ],
)
def test_an_event_zeroes_the_gate_it_happened_in_or_the_whole_lab(rule: Rule, event: str, reason: str) -> None:
    happened = outcomes(a=frozenset({event}), b="passed")
    one = judge(Rubric("lab", 20, (gate("a", rule), gate("b", rule))), happened)
    assert states(one) == {"a": ("zeroed", reason), "b": ("earned", None)}
    assert (one.earned, one.zeroed) == (10, None)
    whole = judge(Rubric("lab", 20, (gate("a"), gate("b")), (rule,)), happened)
    assert states(whole) == {"a": ("earned", None), "b": ("earned", None)}
    assert (whole.earned, whole.total, whole.zeroed) == (0, 0, reason)


def test_an_event_that_no_rule_names_costs_nothing() -> None:
    events = frozenset({HANGS, WROTE_OUTSIDE, MISSING_TRACE})
    assert judge(Rubric("lab", 20, (gate("a"),)), outcomes(a=events)).total == 10


def test_changed_tests_zero_a_gate_by_its_rule_only_and_are_always_named() -> None:
    rubric = Rubric("lab", 20, (gate("a", Rule(CHANGED_TESTS)), gate("b")))
    scores = judge(rubric, outcomes(a="passed", b="passed"), CHANGED)
    assert states(scores) == {"a": ("zeroed", "the tests are not as they were handed out"), "b": ("earned", None)}
    assert "  changed  tests/test_a.py" in scoreboard_lines(scores)
    untouched = judge(rubric, outcomes(a="passed", b="passed"))
    assert untouched.total == 20


def test_a_gate_that_needs_another_is_zero_without_it_and_so_is_what_needs_that_gate() -> None:
    def needs(*names: str) -> Rule:
        return Rule(WITHOUT, names)

    gates = (gate("a", needs("b")), gate("b", needs("c", "d")), gate("c"), gate("d"))
    missed = judge(Rubric("lab", 20, gates), outcomes(a="passed", b="passed", c="failed", d="passed"))
    assert states(missed) == {
        "a": ("zeroed", "without b"),
        "b": ("zeroed", "without c"),
        "c": ("missed", None),
        "d": ("earned", None),
    }
    assert judge(Rubric("lab", 20, gates), outcomes(a="passed", b="passed", c="passed", d="passed")).total == 40


def test_gates_that_need_each_other_stand_and_fall_together() -> None:
    gates = (gate("a", Rule(WITHOUT, ("b",))), gate("b", Rule(WITHOUT, ("a",))))
    assert judge(Rubric("lab", 20, gates), outcomes(a="passed", b="passed")).total == 20
    assert judge(Rubric("lab", 20, gates), outcomes(a="failed", b="passed")).total == 0


def test_a_missed_gate_stays_missed_and_says_both() -> None:
    scores = judge(Rubric("lab", 20, (gate("a", Rule(CHANGED_TESTS)),)), outcomes(a="failed"), CHANGED)
    assert scoreboard_lines(scores)[0] == (
        "  missed   a    0 / 10   Gate a (1 of 1 tests failed, zero: the tests are not as they were handed out)"
    )


STRETCH = Stretch(10, 1, ("a",), (gate("jail", points=8), gate("cap", points=9), gate("big", points=30)))


@pytest.mark.parametrize(
    ("stretch", "happened", "counted"),
    [
        (STRETCH, {"a": "passed"}, {}),
        (STRETCH, {"a": "passed", "jail": "passed"}, {"jail": 8}),
        (STRETCH, {"a": "passed", "jail": "passed", "cap": "passed"}, {"cap": 9}),
        (STRETCH, {"a": "passed", "jail": "passed", "big": "passed"}, {"big": 10}),
        (STRETCH, {"a": "passed", "jail": "failed", "cap": "passed"}, {"cap": 9}),
        (STRETCH, {"a": "failed", "cap": "passed"}, {}),
        (STRETCH, {"cap": "passed"}, {}),
        (Stretch(10, 2, (), STRETCH.goals), {"jail": "passed", "cap": "passed"}, {"cap": 9, "jail": 1}),
        (Stretch(100, 3, (), STRETCH.goals), dict.fromkeys(("jail", "cap", "big"), "passed"),
         {"jail": 8, "cap": 9, "big": 30}),
    ],
)  # fmt: skip
def test_the_best_goals_count_up_to_the_points_there_are(
    stretch: Stretch, happened: dict[str, Status], counted: dict[str, int]
) -> None:
    scores = judge(Rubric("lab", 20, (gate("a"),), stretch=stretch), outcomes(**happened))
    assert {score.gate.id: score.earned for score in scores.goals if score.earned} == counted
    assert scores.stretch == sum(counted.values())


def test_the_table_shows_goals_zeros_and_what_a_person_grades_each_with_its_reason() -> None:
    rubric = Rubric(
        "lab",
        20,
        (gate("a"), gate("b", Rule(HANGS))),
        stretch=STRETCH,
        manual=(Manual("notes", 5, "What you would\ncut"),),
    )
    happened = outcomes(a="passed", b=frozenset({HANGS}), jail="passed", cap="passed", big="failed")
    assert scoreboard_lines(judge(rubric, happened))[:-3] == [
        "  earned   a       10 / 10   Gate a",
        "  zeroed   b        0 / 10   Gate b (zero: a run did not end in time)",
        "  stretch: at most 10 points for 1 goal, once earned: a",
        "  earned   jail     0 / 8    Gate jail (not counted)",
        "  earned   cap      9 / 9    Gate cap",
        "  missed   big      0 / 30   Gate big (1 of 1 tests failed)",
        "  total            19 / 20 (9 of them for stretch)",
        "           notes    - / 5    What you would cut (graded by a person)",
    ]


def test_goals_without_their_gate_and_a_lab_that_is_zero_say_why() -> None:
    rubric = Rubric("lab", 20, (gate("a"),), (Rule(CHANGED_TESTS),), STRETCH)
    lines = scoreboard_lines(judge(rubric, outcomes(a="failed", cap="passed"), CHANGED))
    assert "  zeroed   cap     0 / 9    Gate cap (zero: without a)" in lines
    assert "  total            0 / 10 (zero: the tests are not as they were handed out)" in lines


def test_the_report_has_it_all_as_plain_data() -> None:
    manual = (Manual("notes", 5, "What you would cut"),)
    rubric = Rubric("lab", 20, (gate("a", Rule(HANGS)), gate("b")), stretch=STRETCH, manual=manual)
    happened = outcomes(a=frozenset({HANGS}), b="passed", cap="passed")
    data = report_data(rubric, judge(rubric, happened, CHANGED))
    assert json.loads(json.dumps(data)) == data
    assert (data["earned"], data["points"], data["total"]) == (10, 20, {"earned": 10, "points": 20, "zeroed": None})
    assert data["gates"]["a"]["zeroed"] == "a run did not end in time"
    assert data["gates"]["a"]["events"] == [HANGS]
    assert data["gates"]["b"]["zeroed"] is None
    assert data["manual"] == [{"id": "notes", "points": 5, "says": "What you would cut"}]
    assert data["changes"] == [{"path": "tests/test_a.py", "what": "changed"}]
    stretch = data["stretch"]
    assert (stretch["earned"], stretch["points"], stretch["pick"], stretch["needs"]) == (0, 10, 1, ["a"])
    assert (stretch["goals"]["cap"]["state"], stretch["goals"]["cap"]["zeroed"]) == ("zeroed", "without a")


def test_a_lab_that_is_zero_says_so_in_the_report() -> None:
    rubric = Rubric("lab", 20, (gate("a"),), (Rule(WROTE_OUTSIDE),))
    data = report_data(rubric, judge(rubric, outcomes(a=frozenset({WROTE_OUTSIDE}))))
    assert data["total"] == {"earned": 0, "points": 10, "zeroed": "a run wrote outside the allowed roots"}
    assert (data["earned"], data["gates"]["a"]["state"]) == (0, "earned")


GATES: dict[str, Any] = {
    "lab": "loop-budget",
    "timeout_seconds": 20,
    "traced": True,
    "workspace": {"folder": "workspace", "roots": ["fixtures"]},
    "gates": [
        {"id": "a", "points": 5, "says": "A", "file": "test_a.py", "tests": 1, "zero_if": [{"hangs": True}]},
        {"id": "b", "points": 5, "says": "B", "file": "test_b.py", "tests": 1},
    ],
    "zero_if": [{"changed": "tests"}, {"missing": "trace"}, {"wrote_outside": True}, {"without": ["a", "b"]}],
    "stretch": {
        "points": 10,
        "pick": 1,
        "needs": ["a"],
        "goals": [{"id": "jail", "points": 8, "title": "A jail", "file": "test_stretch_jail.py", "tests": 2}],
    },
    "manual": [{"id": "notes", "points": 5, "says": "Notes"}],
}


def load(data: object, folder: Path) -> Rubric:
    path = folder / "tests" / "gates.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return load_rubric(path)


def test_the_whole_rubric_is_read(tmp_path: Path) -> None:
    assert load(GATES, tmp_path) == Rubric(
        "loop-budget",
        20.0,
        (Gate("a", 5, "A", "test_a.py", 1, (Rule(HANGS),)), Gate("b", 5, "B", "test_b.py", 1)),
        (Rule(CHANGED_TESTS), Rule(MISSING_TRACE), Rule(WROTE_OUTSIDE), Rule(WITHOUT, ("a", "b"))),
        Stretch(10, 1, ("a",), (Gate("jail", 8, "A jail", "test_stretch_jail.py", 2),)),
        (Manual("notes", 5, "Notes"),),
        Setting(True, tmp_path / "workspace", ("fixtures",)),
    )
    assert load(GATES, tmp_path).files == {"test_a.py", "test_b.py", "test_stretch_jail.py"}


@pytest.mark.parametrize(
    "change",
    [
        {"zero_if": [{"hangs": False}]},
        {"zero_if": [{"changed": "everything"}]},
        {"zero_if": [{"without": []}]},
        {"zero_if": [{"hangs": True, "wrote_outside": True}]},
        {"zero_if": ["hangs"]},
        {"zero_if": 7},
        {"stretch": {"points": 1}},
        {"stretch": {**GATES["stretch"], "goals": [{"id": "x"}]}},
        {"manual": [{"id": "x"}]},
        {"traced": "yes"},
        {"workspace": {"folder": "workspace"}},
        {"workspace": {"folder": "workspace", "roots": "fixtures"}},
        {"workspace": "workspace"},
    ],
)
def test_a_damaged_rubric_is_told_in_one_sentence(change: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ScoreboardError, match=r"^gates\.json is damaged: "):
        load({**GATES, **change}, tmp_path)


def test_a_rule_that_does_not_exist_is_named_in_plain_text() -> None:
    with pytest.raises(ValueError, match=r"^there is no rule x\\x1b: True$"):
        read_rules([{"x\x1b": True}])
