"""Gate retries, 10 points: The retries are counted over the whole run, and one failure
too many ends it
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit

WEATHER_DOUBLE_TIMEOUT_V1 = Expected(
    reason="retry_exhausted",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error="timeout",
    exit_code=2,
    decided_by=(
        "row 2 (retry_exhausted) at `result` of turn 2: failures exceed the `retries` "
        "budget"
    ),
    hints={
        "333cf3ffe5df": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
    },
)

WEATHER_TWO_CAUSES_V1 = Expected(
    reason="retry_exhausted",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error="rate_limited",
    exit_code=2,
    decided_by=(
        "row 2 (retry_exhausted) at `result` of turn 2: failures exceed the `retries` "
        "budget"
    ),
    hints={
        "333cf3ffe5df": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "0bbe727f211e": (
            "looks like: A call that a rate limit has refused does not count as a "
            "failure\n"
            "hint: Which of the failures may be repeated for ever?"
        ),
    },
)

FAILURE_SUCCESS_FAILURE_V1 = Expected(
    reason="retry_exhausted",
    turns=3,
    tool_names=("get_weather", "get_weather", "get_weather"),
    last_error="timeout",
    exit_code=2,
    decided_by=(
        "row 2 (retry_exhausted) at `result` of turn 3: failures exceed the `retries` "
        "budget"
    ),
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
        "07d1fedbcb26": (
            "looks like: A success sets the count of failures back to zero\n"
            "hint: The retries are for the whole run."
        ),
    },
)


def test_weather_double_timeout_v1_exit(bench: Bench) -> None:
    """The call and its only retry both time out: the run ends as the table says."""
    check_exit(bench, "weather_double_timeout_v1", WEATHER_DOUBLE_TIMEOUT_V1)


def test_weather_two_causes_v1_exit(bench: Bench) -> None:
    """The call times out, its retry is refused by a rate limit: the run ends as the
    table says.
    """
    check_exit(bench, "weather_two_causes_v1", WEATHER_TWO_CAUSES_V1)


def test_failure_success_failure_v1_exit(bench: Bench) -> None:
    """A success between two failures gives no retry back: the run ends as the table
    says.
    """
    check_exit(bench, "failure_success_failure_v1", FAILURE_SUCCESS_FAILURE_V1)
