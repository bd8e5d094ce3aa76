"""The rubric is earned gate by gate, and only by tests that ran and passed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from labspec.contract.rubric import Gate, Rubric, ScoreboardError, load_rubric
from labspec.contract.score import Outcome, Score, Status, judge, worst
from labspec.contract.scoreboard import report_data, scoreboard_lines

if TYPE_CHECKING:
    from pathlib import Path

COMPLETES = Gate("completes", 25, "A timeout followed by a success completes", "test_completes.py", 2)
TURN_CAP = Gate("turn_cap", 5, "Five failing calls end at\nthe turn cap, " + "and so on, " * 20, "test_turn_cap.py", 1)
RUBRIC = Rubric("loop-exit-ledger", 20, (COMPLETES, TURN_CAP))
PASSED = Outcome("passed")
FAILED = Outcome("failed", "the run of `x` ended with another exit")


def score(**statuses: Status) -> Score:
    return Score(COMPLETES, {name: Outcome(status) for name, status in statuses.items()})


@pytest.mark.parametrize(
    ("each", "state", "earned"),
    [
        (score(), "not run", 0),
        (score(a="passed"), "not run", 0),
        (score(a="passed", b="passed"), "earned", 25),
        (score(a="passed", b="passed", of_the_student="passed"), "earned", 25),
        (score(a="passed", b="passed", of_the_student="failed"), "missed", 0),
        (score(a="passed", b="skipped"), "not run", 0),
        (score(a="passed", b="passed", c="skipped"), "not run", 0),
        (score(a="passed", b="failed"), "missed", 0),
        (score(a="skipped", b="error"), "missed", 0),
    ],
)
def test_a_gate_is_earned_when_all_its_tests_ran_and_passed(each: Score, state: str, earned: int) -> None:
    assert (each.state, each.earned) == (state, earned)


def test_the_table_has_a_row_for_each_gate_a_total_and_a_word_on_its_worth() -> None:
    outcomes = {
        ("test_completes.py", "test_a"): PASSED,
        ("test_completes.py", "test_b"): PASSED,
        ("test_turn_cap.py", "test_c"): FAILED,
        ("test_loop_exit.py", "test_d"): FAILED,
    }
    assert scoreboard_lines(judge(RUBRIC, outcomes)) == [
        "  earned   completes   25 / 25   A timeout followed by a success completes",
        "  missed   turn_cap     0 / 5    Five failing calls end at the turn cap, and so on, and so on, and so ..."
        " (1 of 1 tests failed)",
        "  total                25 / 30",
        "",
        "This is a self-check. What counts is the grade your instructor gives,",
        "and that may look at more than these tests do.",
    ]


def test_a_run_of_some_tests_says_so() -> None:
    lines = scoreboard_lines(judge(RUBRIC, {("test_completes.py", "test_a"): PASSED}))
    assert lines[0].endswith("completes (1 of 2 tests not run)")
    assert "Only 0 of 2 gates were run in full." in lines


def test_a_gate_that_was_not_run_says_why_if_its_tests_do() -> None:
    skipped = Outcome("skipped", "the wrong loops are elsewhere")
    outcomes = {("test_completes.py", "test_a"): PASSED, ("test_completes.py", "test_b"): skipped}
    line = scoreboard_lines(judge(RUBRIC, outcomes))[0]
    assert line.startswith("  not run  completes    0 / 25 ")
    assert line.endswith("(1 of 2 tests not run: the wrong loops are elsewhere)")
    outcomes["test_completes.py", "test_a"] = Outcome("skipped", "another reason")
    assert scoreboard_lines(judge(RUBRIC, outcomes))[0].endswith("(2 of 2 tests not run)")


def test_the_report_holds_points_outcomes_and_messages_as_plain_data() -> None:
    outcomes = {("test_completes.py", "test_a"): PASSED, ("test_completes.py", "test_b"): FAILED}
    data = report_data(RUBRIC, judge(RUBRIC, outcomes))
    assert json.loads(json.dumps(data)) == data
    assert (data["lab"], data["earned"], data["points"]) == ("loop-exit-ledger", 0, 30)
    assert data["gates"]["completes"] == {
        "state": "missed",
        "earned": 0,
        "points": 25,
        "zeroed": None,
        "not_run": 0,
        "tests": {"test_a": "passed", "test_b": "failed"},
        "messages": {"test_b": "the run of `x` ended with another exit"},
        "events": [],
    }
    assert data["gates"]["turn_cap"]["state"] == "not run"


def test_the_worst_of_several_outcomes_counts() -> None:
    assert worst(["passed", "error"]) == "error"
    assert worst(["skipped", "passed"]) == "skipped"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"lab": "x", "timeout_seconds": 1, "gates": [{"id": "a"}]}', '{"lab": "x", "gates": []}']
)
def test_a_damaged_rubric_is_told_in_one_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "gates.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScoreboardError, match=r"^gates\.json is damaged: "):
        load_rubric(path)


def test_a_missing_rubric_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ScoreboardError, match=r"^cannot read gates\.json: "):
        load_rubric(tmp_path / "gates.json")
