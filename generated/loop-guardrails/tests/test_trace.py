"""Gate trace, 10 points: Every run leaves one record and one closed trace, and the fuel
report reads it
"""

from __future__ import annotations

from contract import (
    Bench,
    Expected,
    check_closing,
    check_fields,
    check_one_line,
    check_repeat,
    check_report,
    check_sorted_keys,
    check_trace,
    check_use,
)

REPAIRS_IT_V1 = Expected(
    reason="repaired",
    turns=4,
    tool_names=("read_file", "write_file", "run_tests"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 3 (repaired) at `decision` of turn 4: the model stops, the last test run "
        "passed, and nothing has been written since"
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
    closing=("stop", "repaired"),
    budgets={"tokens": 600, "repeats": 3},
    used={"tokens": 360, "repeats": 0},
    report=("tokens: 360 of 600", "repeats: 0 of 3", "ended: stop (repaired)"),
)

NOBODY_IS_THERE_V1 = Expected(
    reason="unproven",
    turns=2,
    tool_names=("ask_person",),
    last_error="nobody_there",
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 2: the decision is a stop",
    trace=(
        ("turn", 1, None, None),
        ("tool", 1, "ask_person", None),
        ("tool_error", 1, "ask_person", "nobody_there"),
        ("turn", 2, None, None),
    ),
    closing=("error", "unproven"),
)

ENDLESS_READER_V1 = Expected(
    reason="token_budget",
    turns=7,
    tool_names=(
        "read_file",
        "read_file",
        "read_file",
        "read_file",
        "read_file",
        "read_file",
        "read_file",
    ),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 9 (token_budget) at `result` of turn 7: tokens exceed the `tokens` budget"
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
        ("turn", 4, None, None),
        ("tool", 4, "read_file", None),
        ("tool_result", 4, "read_file", None),
        ("turn", 5, None, None),
        ("tool", 5, "read_file", None),
        ("tool_result", 5, "read_file", None),
        ("turn", 6, None, None),
        ("tool", 6, "read_file", None),
        ("tool_result", 6, "read_file", None),
        ("turn", 7, None, None),
        ("tool", 7, "read_file", None),
        ("tool_result", 7, "read_file", None),
    ),
    closing=("budget", "token_budget"),
    budgets={"tokens": 600, "repeats": 3},
    used={"tokens": 600, "repeats": 0},
    report=("tokens: 600 of 600", "repeats: 0 of 3", "ended: budget (token_budget)"),
)


def test_repairs_it_v1_trace(bench: Bench) -> None:
    """Read, repair, test, stop: the run leaves a trace of its events."""
    check_trace(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_nobody_is_there_v1_trace(bench: Bench) -> None:
    """The model asks a person, and nobody is there: the run leaves a trace of its
    events.
    """
    check_trace(bench, "nobody_is_there_v1", NOBODY_IS_THERE_V1)


def test_endless_reader_v1_trace(bench: Bench) -> None:
    """The model reads the same file nine times: the run leaves a trace of its events."""
    check_trace(bench, "endless_reader_v1", ENDLESS_READER_V1)


def test_repairs_it_v1_closing(bench: Bench) -> None:
    """Read, repair, test, stop: the run closes its trace as the table says."""
    check_closing(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_nobody_is_there_v1_closing(bench: Bench) -> None:
    """The model asks a person, and nobody is there: the run closes its trace as the
    table says.
    """
    check_closing(bench, "nobody_is_there_v1", NOBODY_IS_THERE_V1)


def test_endless_reader_v1_closing(bench: Bench) -> None:
    """The model reads the same file nine times: the run closes its trace as the table
    says.
    """
    check_closing(bench, "endless_reader_v1", ENDLESS_READER_V1)


def test_repairs_it_v1_use(bench: Bench) -> None:
    """Read, repair, test, stop: the run tells what it used of each budget."""
    check_use(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_endless_reader_v1_use(bench: Bench) -> None:
    """The model reads the same file nine times: the run tells what it used of each
    budget.
    """
    check_use(bench, "endless_reader_v1", ENDLESS_READER_V1)


def test_repairs_it_v1_report(bench: Bench) -> None:
    """Read, repair, test, stop: the run has a fuel report that says what its trace
    says.
    """
    check_report(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_endless_reader_v1_report(bench: Bench) -> None:
    """The model reads the same file nine times: the run has a fuel report that says
    what its trace says.
    """
    check_report(bench, "endless_reader_v1", ENDLESS_READER_V1)


def test_repairs_it_v1_one_line(bench: Bench) -> None:
    """Read, repair, test, stop: the run leaves exactly one line."""
    check_one_line(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_nobody_is_there_v1_one_line(bench: Bench) -> None:
    """The model asks a person, and nobody is there: the run leaves exactly one line."""
    check_one_line(bench, "nobody_is_there_v1", NOBODY_IS_THERE_V1)


def test_repairs_it_v1_fields(bench: Bench) -> None:
    """Read, repair, test, stop: the run has exactly the agreed fields."""
    check_fields(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_nobody_is_there_v1_fields(bench: Bench) -> None:
    """The model asks a person, and nobody is there: the run has exactly the agreed
    fields.
    """
    check_fields(bench, "nobody_is_there_v1", NOBODY_IS_THERE_V1)


def test_repairs_it_v1_sorted_keys(bench: Bench) -> None:
    """Read, repair, test, stop: the run writes its keys in order."""
    check_sorted_keys(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_repairs_it_v1_repeat(bench: Bench) -> None:
    """Read, repair, test, stop: the run ends the same way when it is repeated."""
    check_repeat(bench, "repairs_it_v1", REPAIRS_IT_V1)
