"""What `parse` says about texts that are no conditions: `refused.txt` holds the cases."""

from __future__ import annotations

import pytest

from labspec.conditions import ConditionError, parse
from tests.conditions.tables import cases, marked


@pytest.mark.parametrize(("text", "expected"), cases("refused.txt"))
def test_a_refused_text_is_marked_and_explained(text: str, expected: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert marked(caught.value) == expected


@pytest.mark.parametrize(
    ("text", "message", "start", "end"),
    [
        ("", "the condition is empty", 0, 0),
        (" \n ", "the condition is empty", 0, 3),
        ("a" * 501, "the condition is longer than 500 characters", 500, 501),
        ("failures >\x00 3", "a condition has no `U+0000`", 10, 11),
        ("failures >\u00a03", "a condition has no `U+00A0`", 10, 11),
        ('call.name == "a\tb"', "a text cannot hold the character U+0009", 15, 16),
        ('call.name == "a\u2028b"', "a text cannot hold the character U+2028", 15, 16),
        ('call.name == "a\nb"', "the text has no end", 13, 18),
    ],
    ids=["empty", "blank", "long", "nul", "no-break-space", "tab", "line-separator", "line-break"],
)
def test_a_text_that_cannot_stand_in_a_table_is_refused(text: str, message: str, start: int, end: int) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.start, caught.value.end) == (message, start, end)


def test_a_condition_may_run_over_several_lines() -> None:
    assert parse("result.ok\n  and\tresult.final\r\n") == parse("result.ok and result.final")


def test_both_quotes_and_their_escapes_mean_the_same_text() -> None:
    assert parse(r"""call.name == 'say "it\'s"\n\\'""") == parse(r'''call.name == "say \"it's\"\n\\"''')


def test_and_binds_tighter_than_or_and_not_tighter_than_both() -> None:
    assert parse("not a and b or c") == parse("((not a) and b) or c")
