"""Gate completes, 15 points: A run whose last result is final ends as completed, and
not before
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit

WEATHER_TIMEOUT_V1 = Expected(
    reason="completed",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error=None,
    exit_code=0,
    decided_by="row 1 (completed) at `result` of turn 2: the result is ok and final",
    hints={
        "333cf3ffe5df": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "a5fc89c96d7a": (
            "looks like: A recovered run is completed, but its record still shows the "
            "old failure\n"
            "hint: What does the last_error of a completed run say?"
        ),
        "2d6d50cd9939": (
            "looks like: The loop walks on after the final result\n"
            "hint: Look at what a result says about itself before you take the next "
            "turn."
        ),
    },
)

FINAL_ON_THE_LAST_TURN_V1 = Expected(
    reason="completed",
    turns=4,
    tool_names=("get_weather", "get_weather", "get_weather", "get_weather"),
    last_error=None,
    exit_code=0,
    decided_by="row 1 (completed) at `result` of turn 4: the result is ok and final",
    hints={
        "d4a9e6abf461": (
            "looks like: The loop walks on after the final result\n"
            "hint: Look at what a result says about itself before you take the next "
            "turn."
        ),
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
    },
)

FINAL_BUT_FAILED_V1 = Expected(
    reason="completed",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error=None,
    exit_code=0,
    decided_by="row 1 (completed) at `result` of turn 2: the result is ok and final",
    hints={
        "333cf3ffe5df": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "a5fc89c96d7a": (
            "looks like: A recovered run is completed, but its record still shows the "
            "old failure\n"
            "hint: What does the last_error of a completed run say?"
        ),
        "c29aa6b91bf8": (
            "looks like: The loop walks on after the final result\n"
            "hint: Look at what a result says about itself before you take the next "
            "turn."
        ),
        "8424f4c0889a": (
            "looks like: A failing call that claims to be final completes the run\n"
            "hint: A result has to be two things before it ends the run well."
        ),
    },
)


def test_weather_timeout_v1_exit(bench: Bench) -> None:
    """The first call times out, the retry succeeds: the run ends as the table says."""
    check_exit(bench, "weather_timeout_v1", WEATHER_TIMEOUT_V1)


def test_final_on_the_last_turn_v1_exit(bench: Bench) -> None:
    """The last turn that is allowed brings the final result: the run ends as the table
    says.
    """
    check_exit(bench, "final_on_the_last_turn_v1", FINAL_ON_THE_LAST_TURN_V1)


def test_final_but_failed_v1_exit(bench: Bench) -> None:
    """A failing call that claims to be final: the run ends as the table says."""
    check_exit(bench, "final_but_failed_v1", FINAL_BUT_FAILED_V1)
