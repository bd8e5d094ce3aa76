"""Gate trace, 20 points: Every run leaves one record and one trace, and the last event
of the trace says why it ended
"""

from __future__ import annotations

from contract import (
    Bench,
    Expected,
    check_closing,
    check_fields,
    check_one_line,
    check_sorted_keys,
    check_trace,
    check_use,
)

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
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "read_file", None),
        ("tool_result", 1, "read_file", None),
        ("turn", 2, None, None),
        ("tool", 2, "write_file", None),
        ("tool_result", 2, "write_file", None),
        ("turn", 3, None, None),
        ("tool", 3, "run_tests", None),
        ("tool_result", 3, "run_tests", None),
        ("turn", 4, None, None),
    ),
    closing=("stop", "tests_green"),
    budgets={"turns": 16, "tool_calls": 12, "write_bytes": 8192},
    used={"turns": 4, "tool_calls": 3, "write_bytes": 57},
)

RUNAWAY_WRITER_V1 = Expected(
    reason="budget:tool_calls",
    turns=13,
    tool_names=(
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
    ),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 7 (budget_tool_calls) at `call` of turn 13: tool calls exceed the "
        "`tool_calls` budget"
    ),
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "write_file", None),
        ("tool_result", 1, "write_file", None),
        ("turn", 2, None, None),
        ("tool", 2, "write_file", None),
        ("tool_result", 2, "write_file", None),
        ("turn", 3, None, None),
        ("tool", 3, "write_file", None),
        ("tool_result", 3, "write_file", None),
        ("turn", 4, None, None),
        ("tool", 4, "write_file", None),
        ("tool_result", 4, "write_file", None),
        ("turn", 5, None, None),
        ("tool", 5, "write_file", None),
        ("tool_result", 5, "write_file", None),
        ("turn", 6, None, None),
        ("tool", 6, "write_file", None),
        ("tool_result", 6, "write_file", None),
        ("turn", 7, None, None),
        ("tool", 7, "write_file", None),
        ("tool_result", 7, "write_file", None),
        ("turn", 8, None, None),
        ("tool", 8, "write_file", None),
        ("tool_result", 8, "write_file", None),
        ("turn", 9, None, None),
        ("tool", 9, "write_file", None),
        ("tool_result", 9, "write_file", None),
        ("turn", 10, None, None),
        ("tool", 10, "write_file", None),
        ("tool_result", 10, "write_file", None),
        ("turn", 11, None, None),
        ("tool", 11, "write_file", None),
        ("tool_result", 11, "write_file", None),
        ("turn", 12, None, None),
        ("tool", 12, "write_file", None),
        ("tool_result", 12, "write_file", None),
        ("turn", 13, None, None),
    ),
    closing=("budget", "budget:tool_calls"),
    budgets={"turns": 16, "tool_calls": 12, "write_bytes": 8192},
    used={"turns": 13, "tool_calls": 12, "write_bytes": 120},
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
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "read_file", None),
        ("tool_result", 1, "read_file", None),
        ("turn", 2, None, None),
        ("tool", 2, "read_file", None),
        ("tool_result", 2, "read_file", None),
        ("turn", 3, None, None),
        ("tool", 3, "read_file", None),
        ("tool_result", 3, "read_file", None),
    ),
    closing=("budget", "budget:turns"),
)

CALLS_ONE_OVER_V1 = Expected(
    reason="budget:tool_calls",
    turns=4,
    tool_names=("read_file", "read_file", "read_file"),
    last_error="not_readable",
    exit_code=2,
    decided_by=(
        "row 7 (budget_tool_calls) at `call` of turn 4: tool calls exceed the "
        "`tool_calls` budget"
    ),
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "read_file", None),
        ("tool_result", 1, "read_file", None),
        ("turn", 2, None, None),
        ("tool", 2, "read_file", None),
        ("tool_result", 2, "read_file", None),
        ("turn", 3, None, None),
        ("tool", 3, "read_file", None),
        ("tool_error", 3, "read_file", "not_readable"),
        ("turn", 4, None, None),
    ),
    closing=("budget", "budget:tool_calls"),
)

STOP_WHILE_RED_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("run_tests",),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "run_tests", None),
        ("tool_error", 1, "run_tests", "test_failed"),
        ("turn", 2, None, None),
    ),
    closing=("error", "stopped_red"),
)

SCRIPT_ENDS_V1 = Expected(
    reason="script_exhausted",
    turns=2,
    tool_names=("read_file",),
    last_error="not_readable",
    exit_code=1,
    decided_by=(
        "row 3 (script_exhausted) at `decision` of turn 2: the decision is a stop and "
        "the reason given is `script_exhausted`"
    ),
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "read_file", None),
        ("tool_error", 1, "read_file", "not_readable"),
        ("turn", 2, None, None),
    ),
    closing=("error", "script_exhausted"),
)

NOT_A_CALL_V1 = Expected(
    reason="protocol_error",
    turns=2,
    tool_names=("read_file",),
    last_error="not_readable",
    exit_code=1,
    decided_by=(
        "row 2 (protocol_error) at `decision` of turn 2: the call has no usable name"
    ),
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "read_file", None),
        ("tool_error", 1, "read_file", "not_readable"),
        ("turn", 2, None, None),
    ),
    closing=("error", "protocol_error"),
)

INHERITED_NAMES_V1 = Expected(
    reason="stopped_red",
    turns=5,
    tool_names=(),
    last_error="unknown_tool",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 5: the decision is a stop",
    trace=(
        ("turn", 1, None, None),
        ("tool_error", 1, "constructor", "unknown_tool"),
        ("turn", 2, None, None),
        ("tool_error", 2, "toString", "unknown_tool"),
        ("turn", 3, None, None),
        ("tool_error", 3, "__proto__", "unknown_tool"),
        ("turn", 4, None, None),
        ("tool_error", 4, "__class__", "unknown_tool"),
        ("turn", 5, None, None),
    ),
    closing=("error", "stopped_red"),
)

BAD_ARGUMENTS_V1 = Expected(
    reason="stopped_red",
    turns=5,
    tool_names=("read_file", "write_file", "write_file", "write_file"),
    last_error="bad_arguments",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 5: the decision is a stop",
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "read_file", None),
        ("tool_error", 1, "read_file", "bad_arguments"),
        ("turn", 2, None, None),
        ("tool", 2, "write_file", None),
        ("tool_error", 2, "write_file", "bad_arguments"),
        ("turn", 3, None, None),
        ("tool", 3, "write_file", None),
        ("tool_error", 3, "write_file", "bad_arguments"),
        ("turn", 4, None, None),
        ("tool", 4, "write_file", None),
        ("tool_error", 4, "write_file", "bad_arguments"),
        ("turn", 5, None, None),
    ),
    closing=("error", "stopped_red"),
)


def test_happy_path_v1_trace(bench: Bench) -> None:
    """Read, repair, test, stop: the run leaves a trace of its events."""
    check_trace(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_runaway_writer_v1_trace(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run leaves a trace of its
    events.
    """
    check_trace(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_turns_one_over_v1_trace(bench: Bench) -> None:
    """The stop comes on the fourth turn of three: the run leaves a trace of its events."""
    check_trace(bench, "turns_one_over_v1", TURNS_ONE_OVER_V1)


def test_calls_one_over_v1_trace(bench: Bench) -> None:
    """A fourth call of three, after a failed one: the run leaves a trace of its events."""
    check_trace(bench, "calls_one_over_v1", CALLS_ONE_OVER_V1)


def test_stop_while_red_v1_trace(bench: Bench) -> None:
    """The tests are red, and the model calls them green: the run leaves a trace of its
    events.
    """
    check_trace(bench, "stop_while_red_v1", STOP_WHILE_RED_V1)


def test_script_ends_v1_trace(bench: Bench) -> None:
    """The script ends after one call, which failed: the run leaves a trace of its
    events.
    """
    check_trace(bench, "script_ends_v1", SCRIPT_ENDS_V1)


def test_not_a_call_v1_trace(bench: Bench) -> None:
    """A call fails, and the second answer is neither a call nor a stop: the run leaves
    a trace of its events.
    """
    check_trace(bench, "not_a_call_v1", NOT_A_CALL_V1)


def test_inherited_names_v1_trace(bench: Bench) -> None:
    """Names that every object answers to, and no tool has: the run leaves a trace of
    its events.
    """
    check_trace(bench, "inherited_names_v1", INHERITED_NAMES_V1)


def test_bad_arguments_v1_trace(bench: Bench) -> None:
    """Arguments of the wrong shape, four times: the run leaves a trace of its events."""
    check_trace(bench, "bad_arguments_v1", BAD_ARGUMENTS_V1)


def test_happy_path_v1_closing(bench: Bench) -> None:
    """Read, repair, test, stop: the run closes its trace as the table says."""
    check_closing(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_runaway_writer_v1_closing(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run closes its trace as
    the table says.
    """
    check_closing(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_script_ends_v1_closing(bench: Bench) -> None:
    """The script ends after one call, which failed: the run closes its trace as the
    table says.
    """
    check_closing(bench, "script_ends_v1", SCRIPT_ENDS_V1)


def test_not_a_call_v1_closing(bench: Bench) -> None:
    """A call fails, and the second answer is neither a call nor a stop: the run closes
    its trace as the table says.
    """
    check_closing(bench, "not_a_call_v1", NOT_A_CALL_V1)


def test_bad_arguments_v1_closing(bench: Bench) -> None:
    """Arguments of the wrong shape, four times: the run closes its trace as the table
    says.
    """
    check_closing(bench, "bad_arguments_v1", BAD_ARGUMENTS_V1)


def test_happy_path_v1_use(bench: Bench) -> None:
    """Read, repair, test, stop: the run tells what it used of each budget."""
    check_use(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_runaway_writer_v1_use(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run tells what it used of
    each budget.
    """
    check_use(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_happy_path_v1_one_line(bench: Bench) -> None:
    """Read, repair, test, stop: the run leaves exactly one line."""
    check_one_line(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_runaway_writer_v1_one_line(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run leaves exactly one
    line.
    """
    check_one_line(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_happy_path_v1_fields(bench: Bench) -> None:
    """Read, repair, test, stop: the run has exactly the agreed fields."""
    check_fields(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_runaway_writer_v1_fields(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run has exactly the
    agreed fields.
    """
    check_fields(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_happy_path_v1_sorted_keys(bench: Bench) -> None:
    """Read, repair, test, stop: the run writes its keys in order."""
    check_sorted_keys(bench, "happy_path_v1", HAPPY_PATH_V1)
