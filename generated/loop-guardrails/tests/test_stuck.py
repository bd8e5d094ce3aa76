"""Gate stuck, 15 points: The same red test run, once too often in a row, ends the run"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_exit_code

TWO_REDS_V1 = Expected(
    reason="unproven",
    turns=3,
    tool_names=("run_tests", "run_tests"),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 3: the decision is a stop",
    hints={
        "dba73033f577": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
    },
    closing=("error", "unproven"),
)

THREE_REDS_V1 = Expected(
    reason="unproven",
    turns=4,
    tool_names=("run_tests", "run_tests", "run_tests"),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 4: the decision is a stop",
    hints={
        "dba73033f577": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
    },
    closing=("error", "unproven"),
)

FOUR_REDS_V1 = Expected(
    reason="stuck_loop",
    turns=4,
    tool_names=("run_tests", "run_tests", "run_tests", "run_tests"),
    last_error="test_failed",
    exit_code=2,
    decided_by=(
        "row 8 (stuck_loop) at `result` of turn 4: the tests were red more often in a "
        "row than the repeats allow"
    ),
    hints={
        "dba73033f577": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
        "4e1cd1f1262b": (
            "looks like: The loop waits for one more red test run\n"
            "hint: Three red test runs in a row are allowed. Is there a next turn "
            "after the fourth?"
        ),
        "4e1cd1f1262b with exit code 1": (
            "looks like: The loop waits for one more red test run\n"
            "hint: Three red test runs in a row are allowed. Is there a next turn "
            "after the fourth?"
        ),
    },
    closing=("budget", "stuck_loop"),
)

REDS_WITH_A_LOOK_BETWEEN_V1 = Expected(
    reason="unproven",
    turns=6,
    tool_names=("run_tests", "run_tests", "read_file", "run_tests", "run_tests"),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 6: the decision is a stop",
    hints={
        "dba73033f577": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
        "cee02402b0a0": (
            "looks like: Red test runs are counted over the whole run\n"
            "hint: Four in a row, not four in all."
        ),
    },
    closing=("error", "unproven"),
)

LESS_PATIENCE_V1 = Expected(
    reason="stuck_loop",
    turns=2,
    tool_names=("run_tests", "run_tests"),
    last_error="test_failed",
    exit_code=2,
    decided_by=(
        "row 8 (stuck_loop) at `result` of turn 2: the tests were red more often in a "
        "row than the repeats allow"
    ),
    hints={
        "dba73033f577": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
        "e4163457aed5": (
            "looks like: The loop waits for one more red test run\n"
            "hint: Three red test runs in a row are allowed. Is there a next turn "
            "after the fourth?"
        ),
    },
    closing=("budget", "stuck_loop"),
)


def test_two_reds_v1_exit(bench: Bench) -> None:
    """The same red test run twice: the run ends as the table says."""
    check_exit(bench, "two_reds_v1", TWO_REDS_V1)


def test_three_reds_v1_exit(bench: Bench) -> None:
    """The same red test run three times: the run ends as the table says."""
    check_exit(bench, "three_reds_v1", THREE_REDS_V1)


def test_four_reds_v1_exit(bench: Bench) -> None:
    """The same red test run four times: the run ends as the table says."""
    check_exit(bench, "four_reds_v1", FOUR_REDS_V1)


def test_reds_with_a_look_between_v1_exit(bench: Bench) -> None:
    """Four red test runs, with a look at a missing file after the second: the run ends
    as the table says.
    """
    check_exit(bench, "reds_with_a_look_between_v1", REDS_WITH_A_LOOK_BETWEEN_V1)


def test_less_patience_v1_exit(bench: Bench) -> None:
    """A fixture in which the second red test run is one too many: the run ends as the
    table says.
    """
    check_exit(bench, "less_patience_v1", LESS_PATIENCE_V1)


def test_four_reds_v1_exit_code(bench: Bench) -> None:
    """The same red test run four times: the run ends with the exit code of its reason."""
    check_exit_code(bench, "four_reds_v1", FOUR_REDS_V1)
