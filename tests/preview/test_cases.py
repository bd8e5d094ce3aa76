"""Specs as tests: what can be read on the page of each is what was reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.preview.pages import cases, read_out


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.stem)
def test_the_page_of_a_spec_says_what_was_reviewed(case: Path) -> None:
    expected = case.with_suffix(".txt").read_text(encoding="utf-8")
    assert read_out(case) == expected, "run `python -m tests.regen` and read the diff"


def test_there_are_cases() -> None:
    assert len(cases()) >= 3
