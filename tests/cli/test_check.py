"""`labspec check`: findings for people and for programs, of several specs at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from labspec.cli import COMMANDS

from .users import BASE, INVALID, SPEC, VALID, labspec

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = [INVALID / f"{name}.yaml" for name in ("extends-remove-used", "budget-zero", "several-at-once")]


def test_a_sound_lab_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "check", SPEC)
    assert done == (0, f"{SPEC}: sound (6 rows, 22 fixtures, 18 mistakes, 9 gates, 100 points)\n", "")


def test_without_the_proof_no_slip_is_looked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert "warning[mutant-survives]" in labspec(capsys, "check", BASE).out
    done = labspec(capsys, "check", "--no-proof", BASE)
    assert done.out.splitlines() == [f"{BASE}: sound (4 rows, 4 fixtures, 2 mistakes, 2 gates, 10 points)"]


def test_what_the_reference_filled_in_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "check", VALID / "endings-left-out.yaml")
    assert done.code == 0
    lines = [line for line in done.out.splitlines() if line.startswith("  filled in: ")]
    assert lines
    assert all("ends in" in line and "(row `" in line for line in lines)


def test_several_specs_are_told_of_together(capsys: pytest.CaptureFixture[str]) -> None:
    """The findings of the broken ones, a line for each sound one, and each spec once."""
    done = labspec(capsys, "check", BASE, BROKEN[1], SPEC, BASE)
    assert done.code == 1
    assert done.out.count(f"{BASE}: sound") == 1
    assert done.out.count(f"{SPEC}: sound") == 1
    assert "error[budget-is-zero]" in done.out


@pytest.mark.parametrize(
    "specs", [BROKEN, BROKEN[:1], [BASE, BROKEN[2]], [BASE]], ids=["three", "one", "mixed", "sound"]
)
def test_the_formats_for_programs_hold_every_finding(specs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    told = {kind: labspec(capsys, "check", "--format", kind, *specs) for kind in ("terminal", "json", "github")}
    document = json.loads(told["json"].out)
    findings = document["diagnostics"]
    severities = [finding["severity"] for finding in findings]
    assert {done.code for done in told.values()} == {1 if "error" in severities else 0}
    assert {done.err for done in told.values()} == {""}
    assert (document["errors"], document["warnings"]) == (severities.count("error"), severities.count("warning"))
    heads = [
        f"{one['file']}:{one['line']}:{one['column']}: {one['severity']}[{one['code']}] {one['message']}"
        for one in findings
    ]
    assert [line for line in told["terminal"].out.splitlines() if line in heads] == heads
    annotations = told["github"].out.splitlines()
    assert len(annotations) == len(findings)
    for line, one in zip(annotations, findings, strict=True):
        assert line.startswith(f"::{one['severity']} file={one['file']},line={one['line']},")
        assert f"title={one['code']}::{one['message']}".replace("%", "%25") in line


def test_findings_on_a_pipe_have_no_colour(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in labspec(capsys, "check", BROKEN[0]).out


@pytest.mark.parametrize("name", ["missing.yaml", ".", "no/such/folder/lab.yaml"])
def test_a_spec_that_cannot_be_read_is_a_finding(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "check", tmp_path / name)
    assert done.code == 1
    assert "error[" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Usage: labspec COMMAND"),
        (["chek"], "there is no command `chek`. Did you mean `check`?"),
        (["nothing-like-it"], "there is no command `nothing-like-it`."),
        (["check", "--format", "xml", "x"], "'xml' is not one of"),
        (["build", "--nothing", "x"], "No such option"),
        (["check", "--fix", "--no-proof", "x"], "leave out --no-proof"),
        (["prove", "--jobs", "0", "x"], "0 is not in the range"),
        (["run", "x"], "Missing argument 'FIXTURE'"),
    ],
)
def test_wrong_usage_is_2_and_says_what_is_right(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = labspec(capsys, *arguments)
    assert done.code == 2
    assert says in done.out + done.err
    assert "Usage: labspec" in done.out + done.err


@pytest.mark.parametrize("word", ["--help", "-h", "help"])
def test_help_names_every_command(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, word)
    assert (done.code, done.err) == (0, "")
    assert all(f"\n  {name} " in done.out for name in COMMANDS)


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_the_version_is_one_line(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, word)
    assert done.code == 0
    assert done.out.startswith("labspec ")
    assert done.out.count("\n") == 1
