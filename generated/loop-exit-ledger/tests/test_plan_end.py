"""Gate plan_end, 10 points: A plan that runs out is no success"""

from __future__ import annotations

from contract import Bench, Expected, check_exit

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
        "f7003def55a6": (
            "looks like: The successful retry is counted as one more failure\n"
            "hint: When does the number of failures go up?"
        ),
        "11a1a739330c": (
            "looks like: A plan that runs out is reported as completed\n"
            "hint: Did any result say that it was final?"
        ),
    },
)

PLAN_ENDS_AFTER_FAILURE_V1 = Expected(
    reason="tool_error",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error="timeout",
    exit_code=1,
    decided_by="row 6 (tool_error) at `turn` of turn 3: the plan has ended",
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
        "75bdb75075ab": (
            "looks like: A success sets the count of failures back to zero\n"
            "hint: The retries are for the whole run.\n"
            "or: A plan that runs out counts as used up, whatever went wrong before\n"
            "hint: Which two rows ask whether the plan has ended, and what tells them "
            "apart?"
        ),
    },
)

EMPTY_PLAN_V1 = Expected(
    reason="turn_cap",
    turns=0,
    tool_names=(),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 5 (plan_ran_out) at `turn` of turn 1: the plan has ended and there are no "
        "failures"
    ),
    hints={
        "3a1852db26f1": (
            "looks like: A plan that runs out is reported as completed\n"
            "hint: Did any result say that it was final?"
        ),
    },
)


def test_plan_ends_well_v1_exit(bench: Bench) -> None:
    """The plan runs out after two successes: the run ends as the table says."""
    check_exit(bench, "plan_ends_well_v1", PLAN_ENDS_WELL_V1)


def test_plan_ends_after_failure_v1_exit(bench: Bench) -> None:
    """The plan runs out while a failure stands: the run ends as the table says."""
    check_exit(bench, "plan_ends_after_failure_v1", PLAN_ENDS_AFTER_FAILURE_V1)


def test_empty_plan_v1_exit(bench: Bench) -> None:
    """A plan without a single step: the run ends as the table says."""
    check_exit(bench, "empty_plan_v1", EMPTY_PLAN_V1)
