"""Stretch goal retry_budget, 10 points: Retry budget"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_exit_code

TWO_RED_RUNS_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("run_tests", "run_tests"),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    closing=("error", "stopped_red"),
)

THREE_RED_RUNS_V1 = Expected(
    reason="budget:red_runs",
    turns=4,
    tool_names=("run_tests", "run_tests", "read_file", "run_tests"),
    last_error="test_failed",
    exit_code=2,
    decided_by=(
        "the row budget_red_runs of the goal at `result` of turn 4: red runs exceed 2"
    ),
    closing=("budget", "budget:red_runs"),
)


def test_two_red_runs_v1_exit(bench: Bench) -> None:
    """Two red test runs: the run ends as the table says."""
    check_exit(bench, "two_red_runs_v1", TWO_RED_RUNS_V1)


def test_three_red_runs_v1_exit(bench: Bench) -> None:
    """A third red test run, after something else: the run ends as the table says."""
    check_exit(bench, "three_red_runs_v1", THREE_RED_RUNS_V1)


def test_three_red_runs_v1_exit_code(bench: Bench) -> None:
    """A third red test run, after something else: the run ends with the exit code of
    its reason.
    """
    check_exit_code(bench, "three_red_runs_v1", THREE_RED_RUNS_V1)
