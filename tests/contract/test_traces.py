"""Every slip in a trace, in a report or in a workspace costs a check, and only the checks that are about it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.contract import (
    CHECKS,
    HANGS,
    MISSING_TRACE,
    WROTE_OUTSIDE,
    Bench,
    ContractFailure,
    Expected,
    Observation,
    Problem,
    Trace,
    read_trace,
)

from .cases import OF_A_TRACE, OF_A_WORKSPACE
from .traced_cases import ESCAPES, EXPECTED, InProcess, write_repository

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("exit", "exit_code", *OF_A_TRACE, *OF_A_WORKSPACE)
READS_A_TRACE = set(OF_A_TRACE)

SLIPS: dict[str, set[str]] = {
    "": set(),
    "keys of its own": set(),
    "report with blanks": set(),
    "error text of its own": {"trace"},
    "results left out": {"trace"},
    "turns one too high": {"trace"},
    "no closing event": {"closing", "use", "report"},
    "two closing events": {"closing", "use"},
    "closing event first": {"closing", "report"},
    "closes as a stop": {"closing", "report"},
    "limits left out": {"use", "report"},
    "wrong use": {"use", "report"},
    "use as a float": {"use", "report"},
    "trace empty": READS_A_TRACE,
    "trace is an object": READS_A_TRACE,
    "trace not written": READS_A_TRACE,
    "report invented": {"report"},
    "report fails": {"report"},
    "report with a wrong exit code": {"report"},
    "write does nothing": {"workspace"},
    "tool cap removed": {"exit", "exit_code", "trace", "closing", "use", "report"},
    "jail removed": {"exit", "trace", "workspace", "inside"},
    "jail by prefix": {"exit", "trace", "workspace", "inside"},
    "jail that follows links": {"exit", "trace", "workspace", "inside"},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_repository(tmp_path_factory.mktemp("repository"))


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_costs_the_checks_that_are_about_it(slip: str, root: Path, tmp_path: Path) -> None:
    bench = InProcess(root, tmp_path, slip).bench()
    assert {kind for kind in KINDS for fixture_id in EXPECTED if fails(kind, bench, fixture_id)} == SLIPS[slip]


@pytest.mark.parametrize(
    ("slip", "caught"),
    [
        ("jail removed", set(ESCAPES)),
        ("jail by prefix", {"twin"}),
        ("jail that follows links", {"link", "dangling"}),
    ],
)
def test_a_write_outside_is_seen_by_every_trick_with_paths(
    slip: str, caught: set[str], root: Path, tmp_path: Path
) -> None:
    bench = InProcess(root, tmp_path, slip).bench()
    assert {fixture_id for fixture_id in EXPECTED if fails("inside", bench, fixture_id)} == caught


def fails(kind: str, bench: Bench, fixture_id: str) -> bool:
    try:
        CHECKS[kind](bench, fixture_id, EXPECTED[fixture_id])
    except ContractFailure:
        return True
    return False


def failure_of(
    kind: str, trace: Any = None, *, expected: Expected = EXPECTED["happy"], report: str = "", **seen: Any
) -> str:
    """The message of a check on a runner that always leaves the same."""
    data = trace if isinstance(trace, bytes) or trace is None else json.dumps(trace).encode("ascii")
    observation = Observation(0, None, trace=data, **seen)
    bench = Bench(lambda _f, _r, _e: observation, lambda _trace: Observation(0, None, stdout=report))
    with pytest.raises(ContractFailure) as caught:
        CHECKS[kind](bench, "happy", expected)
    return str(caught.value)


def test_the_first_event_that_differs_is_shown_with_its_neighbours() -> None:
    events = [{"type": type, "turn": turn, "name": name} for type, turn, name, _ in EXPECTED["happy"].trace]
    events[3:5] = [{"type": "turn", "turn": 2}, {"type": "tool_error", "turn": True, "name": "x\x1b", "error": "a b"}]
    assert failure_of("trace", events) == (
        "the trace of `happy` differs at event 5\n"
        "  expected     3  tool_result write_file (turn 1)\n"
        "               4  turn 2\n"
        "            >  5  tool write_file (turn 2)\n"
        "               6  tool_result write_file (turn 2)\n"
        "               7  turn 3\n"
        "  came         3  tool_result write_file (turn 1)\n"
        "               4  turn 2\n"
        '            >  5  tool_error "x\\u001b" (turn true): "a b"\n'
        "               6  tool_result write_file (turn 2)\n"
        "               7  turn 3\n"
        "  decides   row `tests_green`"
    )


def test_a_trace_that_ends_too_early_says_so() -> None:
    message = failure_of("trace", [{"type": "turn", "turn": 1}])
    assert "  came         1  turn 1\n            >  2  (no more events)\n" in message


def test_a_wrong_closing_event_is_told_with_what_was_expected() -> None:
    assert failure_of("closing", [{"type": "budget", "reason": ["x"]}]) == (
        "the trace of `happy` closes in another way than the table says\n"
        "  expected  stop, reason tests_green\n"
        '  came      budget, reason ["x"]\n'
        "  decides   row `tests_green`"
    )


@pytest.mark.parametrize(
    ("events", "came"),
    [
        ([], "no events"),
        ([{"type": "turn", "turn": 3}], "at its end turn 3"),
        ([{"type": "stop"}, {"type": "error", "reason": "crash"}], "stop, reason missing; error, reason crash"),
    ],
)
def test_none_or_several_closing_events_are_shown(events: list[object], came: str) -> None:
    lines = failure_of("closing", events).splitlines()
    assert lines[0] == f"the trace of `happy` has {'no' if 'end' in came or not events else 2} closing events"
    assert lines[2] == f"  came      {came}"


def test_each_wrong_count_of_a_closing_event_is_named() -> None:
    closing = {
        "type": "stop",
        "reason": "tests_green",
        "budgets": {"turns": 4.0, "tool_calls": 2, "calls": 1},
        "used": {"turns": 5},
    }
    message = failure_of("use", [closing])
    assert "  expected  turns 3 of 4, tool_calls 2 of 2\n" in message
    assert "  came      turns 5 of 4.0, tool_calls missing of 2, calls missing of 1\n" in message
    assert [line.strip() for line in message.split("differs")[1].splitlines()] == [
        "budgets of turns is 4.0, not 4",
        "budgets of calls: there is no such budget",
        "used of turns is 5, not 3",
        "used of tool_calls is missing",
        "decides   row `tests_green`",
    ]


def test_a_report_that_says_something_else_is_shown_line_by_line() -> None:
    message = failure_of("report", [], report="turns: 3 of 4\nI almost had it\x1b!\n")
    assert message == (
        "the report of `happy` does not say what its trace says\n"
        "  expected  turns: 3 of 4\n"
        "            tool calls: 2 of 2\n"
        "            ended: stop (tests_green)\n"
        "  came      turns: 3 of 4\n"
        "            I almost had it\\x1b!\n"
        "  differs   line 2, 3"
    )


def test_a_runner_without_a_report_is_a_failure_in_words() -> None:
    bench = Bench(lambda _f, _r, _e: Observation(0, None, trace=b"[]"))
    with pytest.raises(ContractFailure, match="has no command that prints a fuel report"):
        CHECKS["report"](bench, "happy", EXPECTED["happy"])


def test_other_files_than_agreed_are_shown_with_what_stands_in_them() -> None:
    files = {"fixtures/app.js": "old\n", "fixtures-evil/keep.js": "// keep\n", "\udcff\n": "x"}
    message = failure_of("workspace", files=files)
    assert message == (
        "the run of `happy` left other files in the workspace than agreed\n"
        '  expected  check.mjs: "// check\\n"\n'
        '            fixtures/app.js: "new\\n"\n'
        '            fixtures/b.js: "new\\n"\n'
        "            \\udcff\\n: no such file\n"
        "  came      check.mjs: no such file\n"
        '            fixtures/app.js: "old\\n"\n'
        "            fixtures/b.js: no such file\n"
        '            \\udcff\\n: "x"\n'
        "  decides   row `tests_green`\n"
        "  differs   4 of 5 files"
    )


def test_long_texts_are_shown_from_where_they_differ() -> None:
    expected = EXPECTED["happy"]._replace(files={"a": "x" * 5000 + "right"})
    message = failure_of("workspace", expected=expected, files={"a": "x" * 5000 + "wrong"})
    assert f'a, from character 4981 on: "{"x" * 20}right"' in message
    assert f'a, from character 4981 on: "{"x" * 20}wrong"' in message


def test_what_was_written_outside_is_named_and_never_long() -> None:
    message = failure_of("inside", outside=("\x1b.env (changed)", *(f"f{n} (created)" for n in range(40))))
    assert "  came      \\x1b.env (changed)\n            f0 (created)\n" in message
    assert "            (and 31 more)\n" in message


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b"{}", "is JSON, but not an array of events"),
        (b"[1]", "has something else than an object as event 1"),
        (b'[{"type": "turn"}, {"type": null}]', "has no type in event 2"),
        (b'[\n {"type": "turn",}]', "is not JSON (line 2, column 18: "),
        (b'[{"type": "turn", "type": "turn"}]', 'has the key "type" twice'),
        (b'[{"type": "turn", "turn": NaN}]', "has NaN, which is not JSON"),
        (b"\xef\xbb\xbf[]", "starts with a byte order mark, which JSON does not allow"),
        (b'[{"type": "\xff"}]', "is not UTF-8 (byte 12)"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"[" + b'{"type":"turn"},' * 10_000 + b'{"type":"turn"}]', "has more than 10,000 events"),
        (b" " * (1024 * 1024 + 1), "is larger than 1,048,576 bytes"),
    ],
)
@pytest.mark.parametrize("kind", OF_A_TRACE)
def test_every_check_of_a_trace_says_why_it_cannot_be_read(kind: str, data: bytes, sentence: str) -> None:
    assert failure_of(kind, data).startswith(f"the trace of `happy` {sentence}")


@given(st.binary(max_size=80) | st.text('[]{}":,01ntypeur ', max_size=40).map(str.encode))
def test_any_bytes_are_a_trace_or_a_problem_but_never_raise(data: bytes) -> None:
    assert isinstance(read_trace(data), (Trace, Problem))


TEXT = st.sampled_from(["", "turns", "\x1b]0;x\x07", "\u2028", "\ud800", "x" * 1000, "a b", "null"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.just(1.5) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(["turn", "name", "error", "reason", "budgets", "used", "args"])
EVENTS = st.builds(
    lambda type, more: {**more, "type": type},
    st.sampled_from(["turn", "tool", "tool_error", "stop", "budget", "odd\x1b"]),
    st.dictionaries(KEYS, JSON, max_size=4),
)


@pytest.mark.parametrize("kind", OF_A_TRACE)
@given(events=st.lists(EVENTS, max_size=4))
def test_whatever_events_hold_the_message_is_short_plain_text(kind: str, events: list[dict[str, Any]]) -> None:
    message = failure_of(kind, events, report=json.dumps(events))
    assert all(" " <= char <= "~" or char == "\n" for char in message)
    assert len(message) <= 6_000


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_hung_passes_no_check_and_is_remembered(kind: str) -> None:
    bench = Bench(lambda _f, _r, _e: Observation(None, None, timed_out=True))
    with pytest.raises(ContractFailure, match="did not end in time and was stopped"):
        CHECKS[kind](bench, "happy", EXPECTED["happy"])
    assert bench.events == {HANGS}


def test_a_bench_remembers_what_happened_also_in_runs_that_pass() -> None:
    ledger = json.dumps(EXPECTED["up"].as_record()).encode() + b"\n"
    bench = Bench(lambda _f, _r, _e: Observation(0, ledger, outside=(".env (changed)",)))
    CHECKS["exit"](bench, "up", EXPECTED["up"])
    assert bench.events == {WROTE_OUTSIDE, MISSING_TRACE}


def test_a_trace_that_nobody_expects_is_not_missing() -> None:
    bench = Bench(lambda _f, _r, _e: Observation(0, None))
    assert not fails("inside", bench, "happy")
    assert bench.events == {MISSING_TRACE}
    plain = Bench(lambda _f, _r, _e: Observation(0, None))
    CHECKS["inside"](plain, "happy", Expected("completed", 1, (), None, 0, "row 1"))
    assert plain.events == set()


def test_a_report_that_hangs_is_remembered() -> None:
    hangs = Observation(None, None, timed_out=True, trouble="did not end within 1 seconds and was stopped")
    bench = Bench(lambda _f, _r, _e: Observation(0, None, trace=b"[]"), lambda _trace: hangs)
    with pytest.raises(ContractFailure, match="the report of `happy` did not end within 1 seconds"):
        CHECKS["report"](bench, "happy", EXPECTED["happy"])
    assert bench.events == {HANGS}
