"""Ledgers as tests: what labspec prints about each, and what it makes of it, is what was reviewed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ledger.cases import KINDS, stored

CASES = [pytest.param(show, case, id=f"{case.parent.name}-{case.stem}") for cases, show in KINDS for case in cases()]


@pytest.mark.parametrize(("show", "case"), CASES)
def test_a_ledger_leads_to_what_was_reviewed(show: Callable[[Path], str], case: Path) -> None:
    expected = stored(case).read_text(encoding="utf-8")
    assert show(case) == expected, "run `python -m tests.regen` and read the diff"


def test_there_are_cases_of_every_kind() -> None:
    assert all(len(cases()) >= 5 for cases, _ in KINDS)
