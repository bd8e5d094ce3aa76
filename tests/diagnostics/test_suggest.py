"""Did you mean …?"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics.suggest import did_you_mean

REASONS = ["completed", "retry_exhausted", "schema_mismatch", "turn_cap", "tool_error"]


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("complete", "completed"),
        ("compelted", "completed"),
        ("Completed", "completed"),
        ("retry-exhausted", "retry_exhausted"),
        ("retryexhausted", "retry_exhausted"),
        ("turncap", "turn_cap"),
        ("trun_cap", "turn_cap"),
        ("tool_errors", "tool_error"),
        ("zebra", None),
        ("", None),
        ("x", None),
        ("completed", None),
        ("c" * 65, None),
    ],
)
def test_the_nearest_option_is_suggested_and_a_far_one_is_not(word: str, nearest: str | None) -> None:
    assert did_you_mean(word, REASONS) == nearest


def test_of_equally_near_options_the_first_wins() -> None:
    assert did_you_mean("cat", ["bat", "car", "cut"]) == "bat"
    assert did_you_mean("cat", ["cut", "car", "bat"]) == "cut"


def test_short_words_are_not_mistaken_for_each_other() -> None:
    assert did_you_mean("a", ["b", "c"]) is None


def test_no_input_takes_long() -> None:
    start = time.process_time()
    did_you_mean("ab" * 32, ["ba" * 32] * 20 + ["c" * 64] * 5_000 + ["a" * 1_000_000])
    assert time.process_time() - start < 1


@settings(max_examples=200)
@given(word=st.text(max_size=70), options=st.lists(st.text(max_size=70), max_size=5))
def test_a_suggestion_is_another_word_from_the_options(word: str, options: list[str]) -> None:
    suggestion = did_you_mean(word, options)
    assert suggestion is None or (suggestion in options and suggestion != word)
