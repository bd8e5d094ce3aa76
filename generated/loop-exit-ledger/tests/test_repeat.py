"""Gate repeat, 5 points: The same run twice leaves two lines with the same signature
and the same exit code
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit_code, check_repeat

WEATHER_TIMEOUT_V1 = Expected(
    reason="completed",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error=None,
    exit_code=0,
    decided_by="row 1 (completed) at `result` of turn 2: the result is ok and final",
    hints={
        "333cf3ffe5df with exit code 2": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "2d6d50cd9939 with exit code 1": (
            "looks like: The loop walks on after the final result\n"
            "hint: Look at what a result says about itself before you take the next "
            "turn."
        ),
    },
)

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
        "114fc43a5499 with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
)

SECOND_CALL_UNNAMED_V1 = Expected(
    reason="schema_mismatch",
    turns=2,
    tool_names=("get_weather",),
    last_error="missing tool name",
    exit_code=1,
    decided_by=(
        "row 3 (schema_mismatch) at `decision` of turn 2: the call has no usable name"
    ),
)

BAD_SCHEMA_V1 = Expected(
    reason="schema_mismatch",
    turns=1,
    tool_names=(),
    last_error="missing tool name",
    exit_code=1,
    decided_by=(
        "row 3 (schema_mismatch) at `decision` of turn 1: the call has no usable name"
    ),
    hints={
        "76161a7e02b3 with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
)

PLAN_ENDS_WELL_V1 = Expected(
    reason="turn_cap",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 5 (plan_ran_out) at `turn` of turn 3: the plan has ended and there are no "
        "failures"
    ),
    hints={
        "11a1a739330c with exit code 0": (
            "looks like: A plan that runs out is reported as completed\n"
            "hint: Did any result say that it was final?"
        ),
        "fd3c03c424d6 with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
)


def test_weather_timeout_v1_repeat(bench: Bench) -> None:
    """The first call times out, the retry succeeds: the run ends the same way when it
    is repeated.
    """
    check_repeat(bench, "weather_timeout_v1", WEATHER_TIMEOUT_V1)


def test_weather_double_timeout_v1_repeat(bench: Bench) -> None:
    """The call and its only retry both time out: the run ends the same way when it is
    repeated.
    """
    check_repeat(bench, "weather_double_timeout_v1", WEATHER_DOUBLE_TIMEOUT_V1)


def test_second_call_unnamed_v1_repeat(bench: Bench) -> None:
    """The second call has no tool name, the first one counts: the run ends the same way
    when it is repeated.
    """
    check_repeat(bench, "second_call_unnamed_v1", SECOND_CALL_UNNAMED_V1)


def test_weather_timeout_v1_exit_code(bench: Bench) -> None:
    """The first call times out, the retry succeeds: the run ends with the exit code of
    its reason.
    """
    check_exit_code(bench, "weather_timeout_v1", WEATHER_TIMEOUT_V1)


def test_weather_double_timeout_v1_exit_code(bench: Bench) -> None:
    """The call and its only retry both time out: the run ends with the exit code of its
    reason.
    """
    check_exit_code(bench, "weather_double_timeout_v1", WEATHER_DOUBLE_TIMEOUT_V1)


def test_bad_schema_v1_exit_code(bench: Bench) -> None:
    """The very first call has no tool name: the run ends with the exit code of its
    reason.
    """
    check_exit_code(bench, "bad_schema_v1", BAD_SCHEMA_V1)


def test_plan_ends_well_v1_exit_code(bench: Bench) -> None:
    """The plan runs out after two successes: the run ends with the exit code of its
    reason.
    """
    check_exit_code(bench, "plan_ends_well_v1", PLAN_ENDS_WELL_V1)
