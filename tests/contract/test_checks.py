"""Every slip in a runner costs a check, and only the checks that are about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labspec.contract import CHECKS, Bench, ContractFailure, Expected, Observation, exit_signature
from labspec.contract.form import FIELDS

from .cases import EXPECTED, OF_A_LEDGER, in_process, write_fixtures

if TYPE_CHECKING:
    from pathlib import Path

EVERY_CHECK = set(OF_A_LEDGER)
EVERY_CHECK_OF_A_RECORD = EVERY_CHECK - {"one_line", "append", "repeat"}

SLIPS: dict[str, set[str]] = {
    "": set(),
    "line ends of Windows": set(),
    "cap off by one": {"exit"},
    "cap removed": {"exit"},
    "final honoured on a failed call": {"exit"},
    "retries reset by a success": {"exit", "exit_code"},
    "names dropped on schema_mismatch": {"exit"},
    "wrong last_error": {"exit"},
    "wiped last_error": {"exit"},
    "line only on success": EVERY_CHECK,
    "file opened for overwriting": {"append", "repeat"},
    "ledger read and written anew": {"append"},
    "an added timestamp": {"fields"},
    "unsorted keys": {"sorted_keys"},
    "wrong turns": {"exit"},
    "turns as a float": {"exit", "fields"},
    "turns as a boolean": {"exit", "fields"},
    "stopped_on_turn always 0": {"exit"},
    "run id hard-coded": {"fields"},
    "fixture id hard-coded": {"fields"},
    "ended plan reported as completed": {"exit", "exit_code"},
    "error text as it came": {"exit", "error_text"},
    "exit code always 0": {"exit_code"},
    "two lines": {"one_line", "append", "repeat"},
    "no newline": EVERY_CHECK,
    "a key twice": EVERY_CHECK,
    "not a number": EVERY_CHECK,
    "another reason each time": {"exit", "repeat"},
}


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fixtures(tmp_path_factory.mktemp("fixtures"))


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_costs_the_checks_that_are_about_it(slip: str, fixtures: Path, tmp_path: Path) -> None:
    bench = Bench(in_process(fixtures, tmp_path, slip))
    assert {kind for kind in OF_A_LEDGER for fixture_id in EXPECTED if fails(kind, bench, fixture_id)} == SLIPS[slip]


def fails(kind: str, bench: Bench, fixture_id: str) -> bool:
    try:
        CHECKS[kind](bench, fixture_id, EXPECTED[fixture_id])
    except ContractFailure:
        return True
    return False


def failure_of(
    observation: Observation, *, kind: str = "exit", expected: Expected = EXPECTED["retry_then_final"]
) -> str:
    """The message of the check on a runner that always leaves the same."""
    bench = Bench(lambda _fixture_id, _run_id, _earlier: observation)
    with pytest.raises(ContractFailure) as caught:
        CHECKS[kind](bench, "retry_then_final", expected)
    return str(caught.value)


def test_a_wrong_exit_is_told_with_what_was_expected_what_came_and_what_decides() -> None:
    ledger = (
        b'{"reason": "retry_exhausted", "turns": 1, "tool_names": ["get_weather"], '
        b'"last_error": "timeout", "stopped_on_turn": 2}\n'
    )
    assert failure_of(Observation(2, ledger)) == (
        "the run of `retry_then_final` ended with another exit than the table says\n"
        "  expected  reason completed, turns 2, tool_names [get_weather, get_weather], last_error null\n"
        '  came      reason retry_exhausted, turns 1, tool_names [get_weather], last_error "timeout"\n'
        "  decides   row `completed`, at turn 2\n"
        "  differs   reason, turns, tool_names, last_error"
    )


@pytest.mark.parametrize(
    ("turns", "stopped_on_turn", "differs"),
    [
        (b"1", b"1", "turns"),
        (b"1", b"2", "turns"),
        (b"2.0", b"2", "turns"),
        (b"2", b"0", "stopped_on_turn"),
        (b"1", b"0", "turns, stopped_on_turn"),
    ],
)
def test_a_wrong_count_of_turns_is_one_finding(turns: bytes, stopped_on_turn: bytes, differs: str) -> None:
    ledger = (
        b'{"last_error": null, "reason": "completed", "tool_names": ["get_weather", "get_weather"], '
        b'"turns": %s, "stopped_on_turn": %s}\n' % (turns, stopped_on_turn)
    )
    assert failure_of(Observation(0, ledger)).endswith(f"\n  differs   {differs}")


def test_a_crash_without_a_line_is_told_with_the_end_of_stderr() -> None:
    stderr = "".join(f"line {number}\n" for number in range(50)) + "KeyError: '\x1b[31m\u00e9'\n"
    message = failure_of(Observation(70, None, stderr=stderr))
    assert message.startswith(
        "the run of `retry_then_final` left no line in the ledger\n"
        "  expected  reason completed, turns 2, tool_names [get_weather, get_weather], last_error null\n"
        "  came      no ledger, exit code 70\n"
    )
    assert message.endswith("  stderr    line 43\n" + "".join(f"            line {n}\n" for n in range(44, 50))
                            + "            KeyError: '\\x1b[31m\\xe9'")  # fmt: skip


def test_a_damaged_line_is_shown_escaped_and_shortened() -> None:
    message = failure_of(Observation(0, b'{"a": "\x1b[31m\xff' + b"z" * 100_000 + b"\n"))
    assert message.startswith("line 1 of the ledger of `retry_then_final` is not UTF-8 (byte 13)\n")
    assert "\\x1b[31m\\xffzzz" in message
    assert len(message) < 400


@pytest.mark.parametrize(
    ("observation", "sentence"),
    [
        (Observation(None, None, timed_out=True), "did not end in time and was stopped"),
        (Observation(None, None, trouble="could not be started: no\x1bsuch"), "could not be started: no\\x1bsuch"),
        (Observation(0, b""), "left no line in the ledger"),
        (Observation(0, b" " * (1024 * 1024 + 1)), "is larger than 1,048,576 bytes"),
    ],
)
@pytest.mark.parametrize("kind", OF_A_LEDGER)
def test_every_check_says_why_a_run_cannot_be_judged(kind: str, observation: Observation, sentence: str) -> None:
    headline = failure_of(observation, kind=kind).splitlines()[0]
    assert headline.endswith(f"`retry_then_final` {sentence}")


def test_a_right_line_of_a_run_that_hung_afterwards_earns_nothing(fixtures: Path, tmp_path: Path) -> None:
    good = in_process(fixtures, tmp_path, "")

    def execute(fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        return Observation(None, good(fixture_id, run_id, earlier).ledger, timed_out=True)

    bench = Bench(execute)
    assert all(fails(kind, bench, "retry_then_final") for kind in CHECKS)


def test_values_of_hostile_records_never_make_a_long_or_steering_message() -> None:
    names = b"[" + b",".join([b'"\\u001b]0;x\\u0007"'] * 20_000) + b"]"
    ledger = b'{"reason": "null", "turns": true, "tool_names": ' + names + b', "last_error": "\\ud800\x7f"}\n'
    message = failure_of(Observation(0, ledger, stderr="\x1b\u2028" * 50_000))
    assert 'reason "null", turns true, tool_names ["\\u001b]0;x\\u0007", ' in message
    assert 'last_error "\\ud800\\u007f"' in message
    assert all(" " <= char <= "~" or char == "\n" for char in message)
    assert len(message) < 3_000


def test_a_known_wrong_exit_says_which_mistake_it_looks_like() -> None:
    record = {"reason": "retry_exhausted", "turns": 1, "tool_names": ["get_weather"], "last_error": "timeout"}
    expected = Expected(
        "completed", 2, (), None, 0, "row 1", hints={exit_signature(record): "looks like: no retries\nhint: look again"}
    )
    ledger = b'{"last_error": "timeout", "reason": "retry_exhausted", "tool_names": ["get_weather"], "turns": 1}\n'
    message = failure_of(Observation(0, ledger), expected=expected)
    assert message.endswith("\n  mistake   looks like: no retries\n            hint: look again")


@pytest.mark.parametrize(
    ("last_error", "sentence"),
    [
        (b'"' + b"x" * 81 + b'"', "has 81 characters"),
        (b'"a\\nb"', "holds a line break or another control character"),
        (b'"a\\u2028b"', "holds a line break or another control character"),
        (b'" "', "is empty"),
        (b"7", "is not text"),
    ],
)
def test_an_error_text_is_null_or_one_short_line(last_error: bytes, sentence: str) -> None:
    message = failure_of(Observation(0, b'{"last_error": ' + last_error + b"}\n"), kind="error_text")
    assert message.splitlines()[0] == f"the last error in the record of `retry_then_final` {sentence}"


def test_each_wrong_field_is_named() -> None:
    ledger = (
        b'{"fixture_id": "other", "last_error": 5, "reason": null, "run_id": "run-0042-b", '
        b'"tool_names": ["a", 1], "turns": 1.0, "time": 3}\n'
    )
    message = failure_of(Observation(0, ledger), kind="fields")
    assert [line.strip() for line in message.split("differs")[1].splitlines()] == [
        "last_error is 5, which is not text or null",
        "reason is null, which is not text",
        "stopped_on_turn is missing",
        'tool_names is ["a", 1], which is not a list of text',
        "turns is 1.0, which is not a whole number",
        'fixture_id is "other", but "retry_then_final" was given',
        "time is not a field of a record",
    ]


def test_the_fields_stand_in_the_order_a_record_has_them() -> None:
    assert list(FIELDS) == sorted(FIELDS)


def test_checks_on_one_bench_do_not_see_each_other(fixtures: Path, tmp_path: Path) -> None:
    bench = Bench(in_process(fixtures, tmp_path, ""))
    for _ in range(3):
        CHECKS["one_line"](bench, "ran_out", EXPECTED["ran_out"])
