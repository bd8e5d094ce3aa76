"""Gate tokens, 15 points: The first call that the tokens do not cover is the last one"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_exit_code

TOKENS_ONE_LEFT_V1 = Expected(
    reason="unproven",
    turns=3,
    tool_names=("read_file", "write_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 3: the decision is a stop",
    closing=("error", "unproven"),
)

TOKENS_ALL_USED_V1 = Expected(
    reason="unproven",
    turns=3,
    tool_names=("read_file", "write_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 3: the decision is a stop",
    closing=("error", "unproven"),
)

TOKENS_ONE_OVER_V1 = Expected(
    reason="token_budget",
    turns=2,
    tool_names=("read_file", "write_file"),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 9 (token_budget) at `result` of turn 2: tokens exceed the `tokens` budget"
    ),
    hints={
        "67fef70e0a3c": (
            "looks like: Only written bytes are billed\n"
            "hint: A call costs something even if it writes nothing."
        ),
        "67fef70e0a3c with exit code 1": (
            "looks like: Only written bytes are billed\n"
            "hint: A call costs something even if it writes nothing."
        ),
    },
    closing=("budget", "token_budget"),
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
    hints={
        "304a726bf5d6": (
            "looks like: Only written bytes are billed\n"
            "hint: A call costs something even if it writes nothing."
        ),
    },
    closing=("budget", "token_budget"),
)


def test_tokens_one_left_v1_exit(bench: Bench) -> None:
    """207 tokens of 208: the run ends as the table says."""
    check_exit(bench, "tokens_one_left_v1", TOKENS_ONE_LEFT_V1)


def test_tokens_all_used_v1_exit(bench: Bench) -> None:
    """207 tokens of 207: the run ends as the table says."""
    check_exit(bench, "tokens_all_used_v1", TOKENS_ALL_USED_V1)


def test_tokens_one_over_v1_exit(bench: Bench) -> None:
    """207 tokens of 206: the run ends as the table says."""
    check_exit(bench, "tokens_one_over_v1", TOKENS_ONE_OVER_V1)


def test_endless_reader_v1_exit(bench: Bench) -> None:
    """The model reads the same file nine times: the run ends as the table says."""
    check_exit(bench, "endless_reader_v1", ENDLESS_READER_V1)


def test_tokens_one_over_v1_exit_code(bench: Bench) -> None:
    """207 tokens of 206: the run ends with the exit code of its reason."""
    check_exit_code(bench, "tokens_one_over_v1", TOKENS_ONE_OVER_V1)
