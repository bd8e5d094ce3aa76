"""A proof holds for a sound lab, and says what is wrong with any other."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from labspec.cli import main
from labspec.cli.prove import broken_promises, table_of
from labspec.pipeline import load
from labspec.prove import Proof, prove
from labspec.prove.judge import judge
from labspec.prove.subjects import Subject, build, subjects

if TYPE_CHECKING:
    from labspec.lab.model import Lab

BASE = Path(__file__).resolve().parents[1] / "specs" / "valid" / "_base.yaml"

# One worker runs this module, so that the sound lab is proved once.
pytestmark = pytest.mark.xdist_group("prove")


@pytest.fixture(scope="module")
def sound() -> Lab:
    """Two gates, four fixtures, two mistakes."""
    lab = load(BASE).lab
    assert lab is not None
    return lab


@pytest.fixture(scope="module")
def printed() -> tuple[int, str, str]:
    """What `labspec prove` of the sound lab comes to: the exit code and what was printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["prove", str(BASE), "--jobs", "1"])
    return code, out.getvalue(), err.getvalue()


def rows(text: str) -> list[list[str]]:
    """The cells of a printed table, without its head and without cells that are empty."""
    lines = [line.strip() for line in text.splitlines()]
    lines = lines[next(number for number, line in enumerate(lines) if line.startswith("─")) + 1 :]
    return [re.split(r" {2,}", line) for line in lines[: lines.index("")]]


def shown(proof: Proof) -> str:
    console = Console(file=io.StringIO(), width=110)
    with console.capture() as capture:
        console.print(table_of(proof))
    return capture.get()


def test_a_sound_lab_is_proved(printed: tuple[int, str, str]) -> None:
    """A table on stdout, progress on stderr, and exit code 0."""
    code, out, err = printed
    assert code == 0
    assert rows(out) == [
        ["solution", "10 / 10", "earns every gate", "yes"],
        ["reference runner", "10 / 10", "earns every gate", "yes"],
        ["untouched starter", "0 / 10", "all", "earns nothing", "yes"],
        ["no_retries", "4 / 10", "exits", "misses just these", "yes"],
        ["ledger_is_overwritten", "6 / 10", "record", "misses just these", "yes"],
        ["second build", "gives the same bytes", "yes"],
    ]
    assert out.endswith("\nsmall-lab: proved, 6 of 6 promises kept\n")
    assert err == "".join(
        f"small-lab: {number} of 5 tested ({row[0]})\n" for number, row in enumerate(rows(out)[:-1], 1)
    )


def test_a_wrong_claim_is_named_and_nothing_else_changes(
    sound: Lab, printed: tuple[int, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the other subjects, nor the number of jobs, nor what stands in the environment makes a difference."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--bogus")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("LAB_RUNNER", "false")
    monkeypatch.setenv("LAB_REPORT", "/nowhere/report.json")
    wrong = sound.mistakes[0]._replace(costs=("record",))
    told: list[tuple[int, int, str]] = []
    proof = prove(sound._replace(mistakes=(wrong, *sound.mistakes[1:])), 2, lambda *news: told.append(news))
    assert not proof.holds
    assert broken_promises(proof) == [
        f"no_retries: misses exits ({proof.verdicts[3].result.first_failures['exits']}); "
        "earns record, which it should not"
    ]
    before, after = rows(printed[1]), rows(shown(proof))
    assert after.pop(3) == [*before.pop(3)[:-1], "NO"]
    assert after == before
    assert [(done, total) for done, total, _ in told] == [(number, 5) for number in range(1, 6)]
    assert {name for _, _, name in told} == {row[0] for row in before[:-1]} | {"no_retries"}


def test_a_solution_that_fails_is_not_kept_and_the_first_failing_test_is_named(sound: Lab, tmp_path: Path) -> None:
    """A lab whose tests expect something else than its loop does."""
    odd = sound.fixture("recovers")
    odd = odd._replace(ending=odd.ending._replace(turns=3, stopped_on_turn=3))
    lab = sound._replace(fixtures=(odd, *sound.fixtures[1:]))
    solution = next(subjects(lab, build(lab, tmp_path), tmp_path))
    proof = Proof(lab.id, lab.title, lab.version, lab.digest, (), True, (judge(solution, tmp_path / "report.json"),))
    assert not proof.holds
    assert proof.verdicts[0].result.earned == {"record"}
    first = proof.verdicts[0].result.first_failures["exits"]
    assert re.fullmatch(r"test_recovers\w*: the run of `recovers` ended with another exit than the table says", first)


def test_tests_that_cannot_run_are_a_fault_and_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    subject = Subject("solution", "solution", "earns nothing", tmp_path, None, frozenset())
    verdict = judge(subject, tmp_path / "report.json")
    assert not verdict.kept
    assert verdict.result.fault is not None
    assert verdict.result.fault.startswith("the tests left no report; they said:\n")
    assert "nothing_of_that_name" in verdict.result.fault


def test_a_broken_spec_is_not_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", str(BASE.parents[1] / "invalid" / "budget-zero.yaml")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "error[budget-is-zero]" in err
