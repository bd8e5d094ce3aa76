"""A ledger is read strictly, line by line, and no byte of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.contract import Problem, exit_signature, read_ledger, signature_values

TOO_MANY_LINES = b"{}\n" * 10_001
DEEP = b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"


def only_content(data: bytes) -> object:
    lines = read_ledger(data)
    assert not isinstance(lines, Problem)
    assert len(lines) == 1
    return lines[0].content


@pytest.mark.parametrize(
    ("data", "record"),
    [
        (b"{}\n", {}),
        (b'{"a": 1}\r\n', {"a": 1}),
        (b'  {"a": [1.5, null, true]} \n', {"a": [1.5, None, True]}),
        ('{"a": "one\u2028line\u0085"}\n'.encode(), {"a": "one\u2028line\u0085"}),
        (b'{"a": "\\ud800"}\n', {"a": "\ud800"}),
    ],
)
def test_a_json_object_on_a_line_is_a_record(data: bytes, record: object) -> None:
    assert only_content(data) == record


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"{}", "does not end with a newline, so it may have been cut off"),
        (b"{}\r", "does not end with a newline, so it may have been cut off"),
        (b"\n", "is empty"),
        (b" \r\n", "is empty"),
        (b"\xef\xbb\xbf{}\n", "starts with a byte order mark, which JSON does not allow"),
        (b'{"a": "\xff"}\n', "is not UTF-8 (byte 8)"),
        (b'{"a": "\xed\xa0\x80"}\n', "is not UTF-8 (byte 8)"),
        (b'{"a": NaN}\n', "has NaN, which is not JSON"),
        (b'{"a": -Infinity}\n', "has -Infinity, which is not JSON"),
        (b'{"a": 1e999}\n', "has a number that is too large"),
        (b'{"a": ' + b"1" * 5000 + b"}\n", "has a number of more than 18 digits"),
        (b'{"a": 1, "a": 1}\n', 'has the key "a" twice'),
        (b'{"b": {"a\\u001b": 1, "a\\u001b": 2}}\n', 'has the key "a\\x1b" twice'),
        (b"[]\n", "is JSON, but not an object"),
        (b"null\n", "is JSON, but not an object"),
        (b'{"a": 1} {"b": 2}\n', "is not JSON (column 10: Extra data)"),
        (b"{'a': 1}\n", "is not JSON (column 2: Expecting property name enclosed in double quotes)"),
        (b'{"a": "\t"}\n', "is not JSON (column 8: Invalid control character at)"),
        (b'{"a": ' + b"[" * 17 + b"]" * 17 + b"}\n", "is nested too deeply"),
        (DEEP, "is nested too deeply"),
    ],
)
def test_anything_else_on_a_line_is_a_problem_in_one_sentence(data: bytes, sentence: str) -> None:
    assert only_content(data) == Problem(sentence)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"x" * (1024 * 1024 + 1), "is larger than 1,048,576 bytes"),
        (TOO_MANY_LINES, "has more than 10,000 lines"),
    ],
)
def test_a_ledger_without_bounds_is_refused(data: bytes, sentence: str) -> None:
    assert read_ledger(data) == Problem(sentence)


@given(st.lists(st.sampled_from([b"{}", b"\n", b"\r\n", b"\r", b'{"a": 1}', b"\xff", b"\xe2\x80\xa8"])).map(b"".join))
def test_the_lines_put_together_are_the_ledger_again(data: bytes) -> None:
    lines = read_ledger(data)
    assert not isinstance(lines, Problem)
    assert b"".join(line.raw for line in lines) == data
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_but_never_raise(data: bytes) -> None:
    assert isinstance(read_ledger(data), (tuple, Problem))


RECORD = {"reason": "completed", "turns": 1, "tool_names": ["a"], "last_error": None}


def test_a_signature_is_the_same_everywhere_and_for_ever() -> None:
    assert exit_signature(RECORD) == "f8920db8e07e"
    assert signature_values(RECORD) == ("completed", 1, ["a"], None)


def test_a_signature_does_not_look_at_the_ids() -> None:
    assert exit_signature({**RECORD, "run_id": "b", "fixture_id": "c", "stopped_on_turn": 9}) == exit_signature(RECORD)


@pytest.mark.parametrize(
    "change",
    [{"reason": "turn_cap"}, {"turns": 2}, {"turns": 1.0}, {"turns": True}, {"tool_names": []}, {"last_error": ""}],
)
def test_a_signature_sees_every_difference_of_value_and_type(change: dict[str, object]) -> None:
    assert exit_signature({**RECORD, **change}) != exit_signature(RECORD)


def test_a_missing_field_is_not_a_null_one() -> None:
    assert exit_signature({key: RECORD[key] for key in RECORD if key != "last_error"}) != exit_signature(RECORD)
