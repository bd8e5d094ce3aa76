"""Gate fuel_report, 15 points: The fuel in the trace is the fuel that was used, and the
report prints it
"""

from __future__ import annotations

from contract import Bench, Expected, check_report, check_use

HAPPY_PATH_V1 = Expected(
    reason="tests_green",
    turns=4,
    tool_names=("read_file", "write_file", "run_tests"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 4 (tests_green) at `decision` of turn 4: the model stops, the last test "
        "run passed, and nothing has been written since"
    ),
    closing=("stop", "tests_green"),
    budgets={"turns": 16, "tool_calls": 12, "write_bytes": 8192},
    used={"turns": 4, "tool_calls": 3, "write_bytes": 57},
    report=(
        "turns: 4 of 16",
        "tool calls: 3 of 12",
        "write bytes: 57 of 8192",
        "ended: stop (tests_green)",
    ),
)

TURNS_ONE_OVER_V1 = Expected(
    reason="budget:turns",
    turns=3,
    tool_names=("read_file", "read_file", "read_file"),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 1 (budget_turns) at `turn` of turn 4: turns exceed the `turns` budget"
    ),
    closing=("budget", "budget:turns"),
    budgets={"turns": 3, "tool_calls": 12, "write_bytes": 8192},
    used={"turns": 3, "tool_calls": 3, "write_bytes": 0},
    report=(
        "turns: 3 of 3",
        "tool calls: 3 of 12",
        "write bytes: 0 of 8192",
        "ended: budget (budget:turns)",
    ),
)

NO_TURNS_V1 = Expected(
    reason="budget:turns",
    turns=0,
    tool_names=(),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 1 (budget_turns) at `turn` of turn 1: turns exceed the `turns` budget"
    ),
    closing=("budget", "budget:turns"),
    budgets={"turns": 0, "tool_calls": 12, "write_bytes": 8192},
    used={"turns": 0, "tool_calls": 0, "write_bytes": 0},
)

FAILED_WRITE_IS_FREE_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("write_file", "write_file"),
    last_error="not_writable",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    closing=("error", "stopped_red"),
    budgets={"turns": 16, "tool_calls": 12, "write_bytes": 8},
    used={"turns": 3, "tool_calls": 2, "write_bytes": 8},
)

BAD_ARGUMENTS_V1 = Expected(
    reason="stopped_red",
    turns=5,
    tool_names=("read_file", "write_file", "write_file", "write_file"),
    last_error="bad_arguments",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 5: the decision is a stop",
    closing=("error", "stopped_red"),
    report=(
        "turns: 5 of 16",
        "tool calls: 4 of 12",
        "write bytes: 0 of 8192",
        "ended: error (stopped_red)",
    ),
)


def test_happy_path_v1_use(bench: Bench) -> None:
    """Read, repair, test, stop: the run tells what it used of each budget."""
    check_use(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_turns_one_over_v1_use(bench: Bench) -> None:
    """The stop comes on the fourth turn of three: the run tells what it used of each
    budget.
    """
    check_use(bench, "turns_one_over_v1", TURNS_ONE_OVER_V1)


def test_no_turns_v1_use(bench: Bench) -> None:
    """A budget of no turns at all: the run tells what it used of each budget."""
    check_use(bench, "no_turns_v1", NO_TURNS_V1)


def test_failed_write_is_free_v1_use(bench: Bench) -> None:
    """A write fails, and the same bytes are there for the next one: the run tells what
    it used of each budget.
    """
    check_use(bench, "failed_write_is_free_v1", FAILED_WRITE_IS_FREE_V1)


def test_happy_path_v1_report(bench: Bench) -> None:
    """Read, repair, test, stop: the run has a fuel report that says what its trace
    says.
    """
    check_report(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_turns_one_over_v1_report(bench: Bench) -> None:
    """The stop comes on the fourth turn of three: the run has a fuel report that says
    what its trace says.
    """
    check_report(bench, "turns_one_over_v1", TURNS_ONE_OVER_V1)


def test_bad_arguments_v1_report(bench: Bench) -> None:
    """Arguments of the wrong shape, four times: the run has a fuel report that says
    what its trace says.
    """
    check_report(bench, "bad_arguments_v1", BAD_ARGUMENTS_V1)
