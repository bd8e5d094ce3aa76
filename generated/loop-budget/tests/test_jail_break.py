"""Stretch goal jail_break, 10 points: Path jail"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_exit_code, check_inside

TWO_ESCAPES_V1 = Expected(
    reason="stopped_red",
    turns=4,
    tool_names=("write_file", "read_file", "read_file"),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 4: the decision is a stop",
    closing=("error", "stopped_red"),
)

THREE_ESCAPES_V1 = Expected(
    reason="budget:escapes",
    turns=3,
    tool_names=("write_file", "write_file", "write_file"),
    last_error="path_escape",
    exit_code=2,
    decided_by=(
        "the row budget_escapes of the goal at `result` of turn 3: escapes exceed 2"
    ),
    closing=("budget", "budget:escapes"),
)


def test_two_escapes_v1_exit(bench: Bench) -> None:
    """Two attempts to get out, and then the model behaves: the run ends as the table
    says.
    """
    check_exit(bench, "two_escapes_v1", TWO_ESCAPES_V1)


def test_three_escapes_v1_exit(bench: Bench) -> None:
    """A third attempt to get out: the run ends as the table says."""
    check_exit(bench, "three_escapes_v1", THREE_ESCAPES_V1)


def test_three_escapes_v1_exit_code(bench: Bench) -> None:
    """A third attempt to get out: the run ends with the exit code of its reason."""
    check_exit_code(bench, "three_escapes_v1", THREE_ESCAPES_V1)


def test_three_escapes_v1_inside(bench: Bench) -> None:
    """A third attempt to get out: the run touches nothing outside the allowed roots."""
    check_inside(bench, "three_escapes_v1", THREE_ESCAPES_V1)
