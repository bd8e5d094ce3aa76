"""Gate error_text, 10 points: The last error is a short code on one line, whatever the
tool said
"""

from __future__ import annotations

from contract import Bench, Expected, check_error_text, check_exit

STACK_TRACE_V1 = Expected(
    reason="retry_exhausted",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error="tool_error",
    exit_code=2,
    decided_by=(
        "row 2 (retry_exhausted) at `result` of turn 2: failures exceed the `retries` "
        "budget"
    ),
    hints={
        "f862515ce2b9": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "fad2b85c1c42": (
            "looks like: The text of the exception goes into the record as it is\n"
            "hint: A record holds a code that can be compared, not a story."
        ),
    },
)

LONG_MESSAGE_V1 = Expected(
    reason="retry_exhausted",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error="tool_error",
    exit_code=2,
    decided_by=(
        "row 2 (retry_exhausted) at `result` of turn 2: failures exceed the `retries` "
        "budget"
    ),
    hints={
        "f862515ce2b9": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "4c827dd2b6d1": (
            "looks like: The text of the exception goes into the record as it is\n"
            "hint: A record holds a code that can be compared, not a story."
        ),
    },
)

EIGHTY_CHARACTERS_V1 = Expected(
    reason="retry_exhausted",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error="upstream_timeout_while_asking_for_the_weather_of_lisbon_porto_faro_and_braga_now",
    exit_code=2,
    decided_by=(
        "row 2 (retry_exhausted) at `result` of turn 2: failures exceed the `retries` "
        "budget"
    ),
    hints={
        "6f88f8f42335": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
    },
)


def test_stack_trace_v1_exit(bench: Bench) -> None:
    """The tool answers with a whole stack trace: the run ends as the table says."""
    check_exit(bench, "stack_trace_v1", STACK_TRACE_V1)


def test_long_message_v1_exit(bench: Bench) -> None:
    """One line of error text, but a very long one: the run ends as the table says."""
    check_exit(bench, "long_message_v1", LONG_MESSAGE_V1)


def test_eighty_characters_v1_exit(bench: Bench) -> None:
    """An error text of exactly eighty characters may stay: the run ends as the table
    says.
    """
    check_exit(bench, "eighty_characters_v1", EIGHTY_CHARACTERS_V1)


def test_stack_trace_v1_error_text(bench: Bench) -> None:
    """The tool answers with a whole stack trace: the run keeps its last error short."""
    check_error_text(bench, "stack_trace_v1", STACK_TRACE_V1)


def test_long_message_v1_error_text(bench: Bench) -> None:
    """One line of error text, but a very long one: the run keeps its last error short."""
    check_error_text(bench, "long_message_v1", LONG_MESSAGE_V1)


def test_eighty_characters_v1_error_text(bench: Bench) -> None:
    """An error text of exactly eighty characters may stay: the run keeps its last error
    short.
    """
    check_error_text(bench, "eighty_characters_v1", EIGHTY_CHARACTERS_V1)
