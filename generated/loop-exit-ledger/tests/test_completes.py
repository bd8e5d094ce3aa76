"""Gate completes, 20 points: A run whose last result is final ends as completed, and
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
            "A failure may be retried. Count failures, and compare the count with the "
            "retries."
        ),
        "a5fc89c96d7a": "What does the last_error of a completed run say?",
        "2d6d50cd9939": (
            "Look at what a result says about itself before you take the next turn."
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
            "Look at what a result says about itself before you take the next turn."
        ),
        "f7003def55a6": "When does the number of failures go up?",
        "7cfd74b8e9cc": (
            "Write down the turn number at which the loop stops, and what it had done "
            "by then."
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
            "A failure may be retried. Count failures, and compare the count with the "
            "retries."
        ),
        "a5fc89c96d7a": "What does the last_error of a completed run say?",
        "c29aa6b91bf8": (
            "Look at what a result says about itself before you take the next turn."
        ),
        "8424f4c0889a": "A result has to be two things before it ends the run well.",
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
