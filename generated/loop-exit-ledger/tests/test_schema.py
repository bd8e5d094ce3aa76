"""Gate schema, 10 points: A call without a usable name ends the run, and the calls
before it are still recorded
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit

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
        "5ab2c3954eda": (
            "looks like: A call without a name is skipped and the loop goes on\n"
            "hint: Whose fault is a call without a name, and can a retry mend it?"
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
    hints={
        "ebcf608ec92b": (
            "looks like: A call without a name is skipped and the loop goes on\n"
            "hint: Whose fault is a call without a name, and can a retry mend it?"
        ),
        "cdf7e1103ae2": (
            "looks like: The record of a malformed call forgets the calls before it\n"
            "hint: Which tools had been called before the malformed decision?"
        ),
    },
)

EMPTY_NAME_V1 = Expected(
    reason="schema_mismatch",
    turns=2,
    tool_names=("get_weather",),
    last_error="missing tool name",
    exit_code=1,
    decided_by=(
        "row 3 (schema_mismatch) at `decision` of turn 2: the call has no usable name"
    ),
    hints={
        "333cf3ffe5df": (
            "looks like: The first failure ends the run, as if there were no retries\n"
            "hint: A failure may be retried. Count failures, and compare the count "
            "with the retries."
        ),
        "a323184a7808": (
            "looks like: A call without a name is skipped and the loop goes on\n"
            "hint: Whose fault is a call without a name, and can a retry mend it?"
        ),
        "cdf7e1103ae2": (
            "looks like: The record of a malformed call forgets the calls before it\n"
            "hint: Which tools had been called before the malformed decision?"
        ),
    },
)

NUMBER_FOR_A_NAME_V1 = Expected(
    reason="schema_mismatch",
    turns=1,
    tool_names=(),
    last_error="missing tool name",
    exit_code=1,
    decided_by=(
        "row 3 (schema_mismatch) at `decision` of turn 1: the call has no usable name"
    ),
    hints={
        "5ab2c3954eda": (
            "looks like: A call without a name is skipped and the loop goes on\n"
            "hint: Whose fault is a call without a name, and can a retry mend it?"
        ),
    },
)


def test_bad_schema_v1_exit(bench: Bench) -> None:
    """The very first call has no tool name: the run ends as the table says."""
    check_exit(bench, "bad_schema_v1", BAD_SCHEMA_V1)


def test_second_call_unnamed_v1_exit(bench: Bench) -> None:
    """The second call has no tool name, the first one counts: the run ends as the table
    says.
    """
    check_exit(bench, "second_call_unnamed_v1", SECOND_CALL_UNNAMED_V1)


def test_empty_name_v1_exit(bench: Bench) -> None:
    """A tool name that is there but empty: the run ends as the table says."""
    check_exit(bench, "empty_name_v1", EMPTY_NAME_V1)


def test_number_for_a_name_v1_exit(bench: Bench) -> None:
    """A number where the tool name belongs: the run ends as the table says."""
    check_exit(bench, "number_for_a_name_v1", NUMBER_FOR_A_NAME_V1)
