"""Specs as test cases: every file in `specs/invalid/` has findings, every file in `specs/valid/` has none.

A new case is a new file. `python -m tests.regen` writes the expected outputs of the invalid ones; read the diff.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labspec.pipeline import load
from tests.regen import INVALID, cases, check

VALID = sorted((INVALID.parent / "valid").glob("[!_]*.yaml"))


def name_of(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_an_invalid_spec_gets_the_findings_that_were_reviewed(case: Path) -> None:
    code, printed = check(case)
    assert printed.encode() == case.with_suffix(".txt").read_bytes(), "run `python -m tests.regen` and read the diff"
    assert code == 1


@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_findings_speak_of_the_file_and_not_of_our_code(case: Path) -> None:
    printed = case.with_suffix(".txt").read_text(encoding="utf-8")
    assert re.search(r"^[a-z_0-9-]+\.yaml:\d+:\d+: error\[[a-z0-9-]+\] ", printed, re.MULTILINE)
    assert not re.search(r"pydantic|Traceback|Spec\(|Input should|NoneType|'str'|<[a-z]+>", printed)


def test_every_expected_output_has_its_spec() -> None:
    assert sorted(INVALID.glob("*.txt")) == [case.with_suffix(".txt") for case in cases()]


@pytest.mark.parametrize("case", VALID, ids=name_of)
def test_a_valid_oddity_has_no_findings(case: Path) -> None:
    loaded = load(case)
    assert not loaded.report.diagnostics
    assert loaded.lab is not None
