"""Gate turn_cap, 15 points: The turn budget is never exceeded, under the budgets of the
lab and of the fixture
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit

ENDLESS_SUCCESS_V1 = Expected(
    reason="turn_cap",
    turns=4,
    tool_names=("get_weather", "get_weather", "get_weather", "get_weather"),
    last_error=None,
    exit_code=2,
    decided_by="row 4 (turn_cap) at `turn` of turn 5: turns exceed the `turns` budget",
    hints={
        "f7003def55a6": (
            "looks like: The successful retry is counted as one more failure\n"
            "hint: When does the number of failures go up?"
        ),
        "7cfd74b8e9cc": (
            "looks like: The turns are counted from zero in one place and from one in "
            "another\n"
            "hint: Write down the turn number at which the loop stops, and what it had "
            "done by then."
        ),
        "bd25c9a76ce0": (
            "looks like: Nothing ends a plan that is longer than the turns\n"
            "hint: What if a plan has a hundred steps?"
        ),
    },
)

CAP_AFTER_FAILURE_V1 = Expected(
    reason="turn_cap",
    turns=4,
    tool_names=("get_weather", "get_weather", "get_weather", "get_weather"),
    last_error="timeout",
    exit_code=2,
    decided_by="row 4 (turn_cap) at `turn` of turn 5: turns exceed the `turns` budget",
    hints={
        "333cf3ffe5df": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "114fc43a5499": (
            "looks like: The successful retry is counted as one more failure\n"
            "hint: When does the number of failures go up?"
        ),
        "902cc7377b5d": (
            "looks like: The turns are counted from zero in one place and from one in "
            "another\n"
            "hint: Write down the turn number at which the loop stops, and what it had "
            "done by then."
        ),
        "917f85f36324": (
            "looks like: Nothing ends a plan that is longer than the turns\n"
            "hint: What if a plan has a hundred steps?"
        ),
    },
)

FIVE_TIMEOUTS_V1 = Expected(
    reason="turn_cap",
    turns=4,
    tool_names=("get_weather", "get_weather", "get_weather", "get_weather"),
    last_error="timeout",
    exit_code=2,
    decided_by="row 4 (turn_cap) at `turn` of turn 5: turns exceed the `turns` budget",
    hints={
        "902cc7377b5d": (
            "looks like: The turns are counted from zero in one place and from one in "
            "another\n"
            "hint: Write down the turn number at which the loop stops, and what it had "
            "done by then."
        ),
        "67dbcdc9e8b2": (
            "looks like: Nothing ends a plan that is longer than the turns\n"
            "hint: What if a plan has a hundred steps?"
        ),
    },
)

TWO_TURNS_V1 = Expected(
    reason="turn_cap",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error=None,
    exit_code=2,
    decided_by="row 4 (turn_cap) at `turn` of turn 3: turns exceed the `turns` budget",
    hints={
        "f7003def55a6": (
            "looks like: The successful retry is counted as one more failure\n"
            "hint: When does the number of failures go up?"
        ),
        "93f0e2348e3f": (
            "looks like: The turns are counted from zero in one place and from one in "
            "another\n"
            "hint: Write down the turn number at which the loop stops, and what it had "
            "done by then."
        ),
        "7cfd74b8e9cc": (
            "looks like: Nothing ends a plan that is longer than the turns\n"
            "hint: What if a plan has a hundred steps?"
        ),
    },
)


def test_endless_success_v1_exit(bench: Bench) -> None:
    """Every call succeeds and none is final: the run ends as the table says."""
    check_exit(bench, "endless_success_v1", ENDLESS_SUCCESS_V1)


def test_cap_after_failure_v1_exit(bench: Bench) -> None:
    """A failure, then successes until the turns are used up: the run ends as the table
    says.
    """
    check_exit(bench, "cap_after_failure_v1", CAP_AFTER_FAILURE_V1)


def test_five_timeouts_v1_exit(bench: Bench) -> None:
    """Five failing calls, with retries for all of them: the run ends as the table says."""
    check_exit(bench, "five_timeouts_v1", FIVE_TIMEOUTS_V1)


def test_two_turns_v1_exit(bench: Bench) -> None:
    """Three successes, under a budget of two turns: the run ends as the table says."""
    check_exit(bench, "two_turns_v1", TWO_TURNS_V1)
