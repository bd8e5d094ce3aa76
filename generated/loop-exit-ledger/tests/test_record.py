"""Gate record, 10 points: Every run appends exactly one record, with the seven fields
and nothing else
"""

from __future__ import annotations

from contract import (
    Bench,
    Expected,
    check_append,
    check_fields,
    check_one_line,
    check_sorted_keys,
)

WEATHER_TIMEOUT_V1 = Expected(
    reason="completed",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error=None,
    exit_code=0,
    decided_by="row 1 (completed) at `result` of turn 2: the result is ok and final",
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
)


def test_weather_timeout_v1_one_line(bench: Bench) -> None:
    """The first call times out, the retry succeeds: the run leaves exactly one line."""
    check_one_line(bench, "weather_timeout_v1", WEATHER_TIMEOUT_V1)


def test_weather_double_timeout_v1_one_line(bench: Bench) -> None:
    """The call and its only retry both time out: the run leaves exactly one line."""
    check_one_line(bench, "weather_double_timeout_v1", WEATHER_DOUBLE_TIMEOUT_V1)


def test_bad_schema_v1_one_line(bench: Bench) -> None:
    """The very first call has no tool name: the run leaves exactly one line."""
    check_one_line(bench, "bad_schema_v1", BAD_SCHEMA_V1)


def test_plan_ends_well_v1_one_line(bench: Bench) -> None:
    """The plan runs out after two successes: the run leaves exactly one line."""
    check_one_line(bench, "plan_ends_well_v1", PLAN_ENDS_WELL_V1)


def test_weather_timeout_v1_append(bench: Bench) -> None:
    """The first call times out, the retry succeeds: the run leaves earlier lines alone."""
    check_append(bench, "weather_timeout_v1", WEATHER_TIMEOUT_V1)


def test_weather_double_timeout_v1_append(bench: Bench) -> None:
    """The call and its only retry both time out: the run leaves earlier lines alone."""
    check_append(bench, "weather_double_timeout_v1", WEATHER_DOUBLE_TIMEOUT_V1)


def test_weather_timeout_v1_fields(bench: Bench) -> None:
    """The first call times out, the retry succeeds: the run has exactly the agreed
    fields.
    """
    check_fields(bench, "weather_timeout_v1", WEATHER_TIMEOUT_V1)


def test_weather_double_timeout_v1_fields(bench: Bench) -> None:
    """The call and its only retry both time out: the run has exactly the agreed fields."""
    check_fields(bench, "weather_double_timeout_v1", WEATHER_DOUBLE_TIMEOUT_V1)


def test_bad_schema_v1_fields(bench: Bench) -> None:
    """The very first call has no tool name: the run has exactly the agreed fields."""
    check_fields(bench, "bad_schema_v1", BAD_SCHEMA_V1)


def test_weather_timeout_v1_sorted_keys(bench: Bench) -> None:
    """The first call times out, the retry succeeds: the run writes its keys in order."""
    check_sorted_keys(bench, "weather_timeout_v1", WEATHER_TIMEOUT_V1)
