"""A proof holds for a sound lab, and says what is wrong with any other."""

from __future__ import annotations

import contextlib
import io
import json
import re
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from labspec.cli import main
from labspec.cli.proof_tables import complaints, promises_table
from labspec.emit.shared import forget
from labspec.mutants import FAMILIES, mutants_of
from labspec.mutants.verdicts import judge_mutants
from labspec.pipeline import load
from labspec.prove import Proof, prove
from labspec.prove.children import Children
from labspec.prove.judge import judge
from labspec.prove.subjects import Subject, build, subjects

if TYPE_CHECKING:
    from labspec.lab.model import Lab

VALID = Path(__file__).resolve().parents[1] / "specs" / "valid"
TIGHT = VALID / "every-slip-is-caught.yaml"

# One worker runs this module, so that the sound lab is proved once.
pytestmark = pytest.mark.xdist_group("prove")


def lab_of(spec: Path) -> Lab:
    lab = load(spec).lab
    assert lab is not None
    return lab


@pytest.fixture(scope="module")
def sound() -> Lab:
    """Two gates, eight fixtures, two mistakes, and no slip that goes unnoticed."""
    return lab_of(TIGHT)


class Printed:
    """What `labspec prove` of the sound lab comes to: the exit code, what was printed, and the files it wrote."""

    def __init__(self, folder: Path, *options: str) -> None:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.code = main(["prove", str(TIGHT), "--out", str(folder), *options])
        self.out, self.err = out.getvalue(), err.getvalue()
        self.files = {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    return Printed(tmp_path_factory.mktemp("proof"), "--jobs", "1", "--matrix")


def rows(text: str, title: str) -> list[list[str]]:
    """The cells of the printed table with that title, without its head and without cells that are empty."""
    lines = [line.strip() for line in text.splitlines()]
    lines = lines[lines.index(title) :]
    lines = lines[next(number for number, line in enumerate(lines) if line.startswith("─")) + 1 :]
    return [re.split(r" {2,}", line) for line in lines[: lines.index("")]]


def shown(proof: Proof) -> str:
    console = Console(file=io.StringIO(), width=110)
    with console.capture() as capture:
        console.print(promises_table(proof))
    return capture.get()


def slips_of(lab: Lab) -> int:
    """How many mutants of a lab some plan can tell from its machine."""
    return sum(judged.difference.verdict == "differs" for judged in judge_mutants(lab))


def nobody(lab: str, done: int, total: int, subject: str) -> None:
    """Does not want to know of any progress."""


def test_a_sound_lab_is_proved(printed: Printed, sound: Lab) -> None:
    """Tables on stdout, progress on stderr, and exit code 0."""
    assert printed.code == 0
    assert rows(printed.out, "proof of tight-lab") == [
        ["solution", "10 / 10", "earns every gate", "yes"],
        ["reference runner", "10 / 10", "earns every gate", "yes"],
        ["untouched starter", "0 / 10", "all", "earns nothing", "yes"],
        ["no_retries", "4 / 10", "exits", "misses just these", "yes"],
        ["ledger_is_overwritten", "6 / 10", "record", "misses just these", "yes"],
        ["second build", "gives the same bytes", "yes"],
    ]
    slips = slips_of(sound)
    assert printed.out.endswith(f"\ntight-lab: proved, 6 of 6 promises kept, {slips} of {slips} mutants caught\n")
    told = [line.split(" (")[0] for line in printed.err.splitlines()]
    total = 5 + slips
    numbers = dict.fromkeys([*range(total // 10, total, total // 10), total])
    assert told == [f"tight-lab: {number} of {total} tested" for number in numbers]


def test_mutants_are_counted_by_family_and_by_gate(printed: Printed, sound: Lab) -> None:
    """Every mutant is counted, and what has no effect on any record is told from what is caught."""
    mutants = mutants_of(sound)
    equivalent = len(mutants) - slips_of(sound)
    families = {family: sum(mutant.family == family for mutant in mutants) for family in FAMILIES}
    expected = {"the table" if name == "table" else name: number for name, number in families.items() if number}
    lines = rows(printed.out, "mutants: the reference runner with one slip")
    assert {line[0]: int(line[1]) for line in lines} == {**expected, "all": len(mutants)}
    assert lines[-1][1:] == [str(len(mutants)), str(slips_of(sound)), str(equivalent), "-", "-"]
    missed = [mutant["missed"] for mutant in json.loads(printed.files["tight-lab.proof.json"])["mutants"]]
    assert rows(printed.out, "gates") == [
        [gate, points, str(sum(gate in each for each in missed)), str(sum([*each] == [gate] for each in missed))]
        for gate, points in (("exits", "6"), ("record", "4"))
    ]


def test_the_matrix_has_a_line_for_each_mutant_and_a_reason_from_each_gate_that_catches_it(printed: Printed) -> None:
    matrix = printed.out[printed.out.index("each mutant") :]
    mutants = json.loads(printed.files["tight-lab.proof.json"])["mutants"]
    assert [line.split()[0] for line in matrix.splitlines() if line.startswith("  ") and ": " in line[:45]] == [
        f"{mutant['id']}:" for mutant in mutants
    ]
    assert matrix.count(" test_") == sum(len(mutant["missed"]) for mutant in mutants)
    assert max(map(len, matrix.splitlines())) <= 110


def test_the_proof_is_the_same_however_many_jobs_there_are(printed: Printed, tmp_path: Path) -> None:
    """The same bytes of the data and of the page, and the same tables."""
    again = Printed(tmp_path, "--jobs", "4", "--matrix")
    assert (again.code, again.out, again.files) == (printed.code, printed.out, printed.files)
    assert sorted(again.files) == ["tight-lab.proof.html", "tight-lab.proof.json"]


def test_the_data_says_why_each_mutant_is_caught(printed: Printed) -> None:
    data = json.loads(printed.files["tight-lab.proof.json"])
    assert data["labspec_proof"] == 1
    assert data["holds"] is True
    assert [gate["id"] for gate in data["gates"]] == ["exits", "record"]
    assert [runner["name"] for runner in data["runners"]] == [
        *("solution", "reference runner", "untouched starter", "no_retries", "ledger_is_overwritten"),
    ]
    mutants = {mutant["id"]: mutant for mutant in data["mutants"]}
    assert mutants["recorder.exit_code_zero"]["missed"] == {
        "record": "test_fails_twice_exit_code: the run of `fails_twice` ended with the wrong exit code"
    }
    equivalent = [mutant for mutant in data["mutants"] if mutant["verdict"] == "equivalent"]
    assert [(mutant["missed"], mutant["note"][:7]) for mutant in equivalent] == [({}, "proved:")]


def test_tests_that_miss_a_slip_prove_nothing_and_the_slip_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The small lab that the sound one extends has no fixture with budgets of its own, among others."""
    assert main(["prove", str(VALID / "_base.yaml")]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "turns.written_down survives: no gate notices that 3 is written down instead of the budget `turns`" in out
    assert "recorder.exit_code_zero survives: no gate notices that the exit code is always 0" in out
    slips = slips_of(lab_of(VALID / "_base.yaml"))
    survivors = out.count(" survives: no gate notices that ")
    assert survivors == 6
    assert out.endswith(f"small-lab: NOT proved, 6 of 6 promises kept, {slips - survivors} of {slips} mutants caught")


def test_a_wrong_claim_is_named_and_nothing_else_changes(
    sound: Lab, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the other subjects nor what stands in the environment makes a difference."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--bogus")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("LAB_RUNNER", "false")
    monkeypatch.setenv("LAB_REPORT", "/nowhere/report.json")
    wrong = sound.mistakes[0]._replace(costs=("record",))
    told: list[tuple[str, int, int, str]] = []
    proof = prove(sound._replace(mistakes=(wrong, *sound.mistakes[1:])), 2, lambda *news: told.append(news))
    assert not proof.holds
    assert list(complaints(proof)) == [
        f"no_retries: misses exits ({proof.verdicts[3].result.first_failures['exits']}); "
        "earns record, which it should not"
    ]
    before, after = rows(printed.out, "proof of tight-lab"), rows(shown(proof), "proof of tight-lab")
    assert after.pop(3) == [*before.pop(3)[:-1], "NO"]
    assert after == before
    total = 5 + slips_of(sound)
    assert [news[:3] for news in told] == [("tight-lab", number, total) for number in range(1, total + 1)]
    mutants = {mutant.id for mutant in proof.mutants if mutant.verdict != "equivalent"}
    assert {name for *_, name in told} == {row[0] for row in before[:-1]} | {"no_retries"} | mutants


def test_a_solution_that_fails_is_not_kept_and_the_first_failing_test_is_named(sound: Lab) -> None:
    """A lab whose tests expect something else than its loop does."""
    odd = sound.fixture("recovers")
    odd = odd._replace(ending=odd.ending._replace(turns=3, stopped_on_turn=3))
    proof = prove(sound._replace(fixtures=(odd, *sound.fixtures[1:])), 2, nobody)
    assert not proof.holds
    assert [verdict.kept for verdict in proof.verdicts] == [False, False, True, True, False]
    assert proof.verdicts[0].result.earned == {"record"}
    first = proof.verdicts[0].result.first_failures["exits"]
    assert re.fullmatch(r"test_recovers\w*: the run of `recovers` ended with another exit than the table says", first)


def test_tests_that_cannot_run_are_a_fault_and_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    subject = Subject("solution", "solution", "earns nothing", tmp_path, None, frozenset())
    with Children() as children:
        result = judge(subject, tmp_path / "of it", children)
    assert result.fault is not None
    assert result.fault.startswith("the tests left no report; they said:\n")
    assert "nothing_of_that_name" in result.fault


def test_a_broken_spec_is_not_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", str(VALID.parent / "invalid" / "budget-zero.yaml")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "error[budget-is-zero]" in err


@pytest.mark.parametrize(("module", "name"), [("repository", "fixture_json"), ("render", "text_of")])
def test_a_file_that_comes_out_differently_each_time_is_no_proof(
    module: str, name: str, sound: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever one build keeps for the next, the two that a proof compares have nothing in common."""
    emit, numbers = import_module(f"labspec.emit.{module}"), count()
    make = getattr(emit, name)
    monkeypatch.setattr(emit, name, lambda of: make(of) + "\n" * next(numbers))
    assert not build(sound, tmp_path / "sabotaged").same_bytes
    monkeypatch.undo()
    forget()
    assert build(sound, tmp_path / "sound").same_bytes


def test_every_subject_but_the_mutants_is_in_the_order_of_the_spec(sound: Lab, tmp_path: Path) -> None:
    names = [subject.name for subject in subjects(sound, build(sound, tmp_path), tmp_path)]
    assert names[:3] == ["solution", "reference runner", "untouched starter"]
    assert names[3:] == [mistake.id for mistake in sound.mistakes]
