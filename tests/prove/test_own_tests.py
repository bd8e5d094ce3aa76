"""The tests of a solution catch the wrong loops; an empty file, and the example that students start from, do not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from labspec.emit import Edition, plan, render, write
from labspec.emit.own_tests import right_files, wrong_files
from labspec.lab import model
from labspec.lab.own_tests import stands_in_loop_file
from labspec.machine.runner import Machine
from labspec.machine.simulation import simulate
from labspec.pipeline import load
from labspec.prove.own_tests import without_own_tests, write_mutants
from labspec.prove.subjects import build, subjects
from tests.emit.loops import emitted_loop

if TYPE_CHECKING:
    from labspec.lab.model import Lab

ROOT = Path(__file__).resolve().parents[2]
SPECS = sorted((ROOT / "specs").glob("*.yaml"))
SMALL = ROOT / "tests" / "specs" / "valid" / "own-tests.yaml"

# One worker runs this module, so that the repositories are built once.
pytestmark = pytest.mark.xdist_group("own tests")


def lab_of(spec: Path) -> Lab:
    lab = load(spec).lab
    assert lab is not None
    return lab


class Repositories(NamedTuple):
    """The small lab, what it comes to, and the environment that leads tests to its wrong loops."""

    lab: Lab
    solution: Path
    empty: Path
    mutants: dict[str, str]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Repositories:
    folder = tmp_path_factory.mktemp("own tests")
    lab = lab_of(SMALL)
    solution = build(lab, folder).solution
    return Repositories(
        lab, solution, without_own_tests(lab, solution, folder / "empty"), write_mutants(lab, folder / "mutants")
    )


class Judged(NamedTuple):
    """The gates of a report, and everything that pytest printed."""

    gates: dict[str, Any]
    output: str


def judge(repository: Path, folder: Path, *tests: str, **environment: str) -> Judged:
    """Run tests of a repository as students do."""
    report = folder / "report.json"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "LAB_"))}
    kept |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LAB_REPORT": str(report)}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(
        command, cwd=repository, env=kept | environment, capture_output=True, text=True, timeout=120, check=False
    )
    gates = json.loads(report.read_text("utf-8"))["gates"] if report.exists() else {}
    return Judged(gates, done.stdout + done.stderr)


def states(judged: Judged) -> dict[str, str]:
    return {name: gate["state"] for name, gate in judged.gates.items()}


def test_the_tests_of_the_solution_earn_every_gate(small: Repositories, tmp_path: Path) -> None:
    judged = judge(small.solution, tmp_path, **small.mutants)
    assert set(states(judged).values()) == {"earned"}, judged.output


def test_an_empty_test_file_earns_all_other_gates(small: Repositories, tmp_path: Path) -> None:
    """A gate that is about runs as well is lost as a whole."""
    judged = judge(small.empty, tmp_path, **small.mutants)
    assert states(judged) == {"exits": "earned", "record": "earned", "own": "missed", "mixed": "missed"}
    assert "your own test file test_loop_exit.py has no tests" in judged.output


def test_the_example_alone_does_not_earn_the_gate(small: Repositories, tmp_path: Path) -> None:
    """Who writes the loop and no test has the starter's test file."""
    starter = render(plan(small.lab, Edition()))["test_loop_exit.py"].data
    copy = without_own_tests(small.lab, small.solution, tmp_path / "copy")
    (copy / "test_loop_exit.py").write_bytes(starter)
    judged = judge(copy, tmp_path, "tests/test_own.py", "tests/test_mixed.py", **small.mutants)
    assert judged.gates["own"]["messages"] == {
        "test_own_tests_catch": "your own tests catch 0 of 2 wrong loops, and 1 are asked for"
    }
    assert judged.gates["mixed"]["messages"]["test_own_tests_catch"].startswith("your own tests catch 1 of 3 wrong")


def test_without_the_wrong_loops_the_gate_shows_as_not_run(small: Repositories, tmp_path: Path) -> None:
    """A self-check gives no points for what it can't see, and says who can."""
    judged = judge(small.solution, tmp_path)
    assert states(judged) == {"exits": "earned", "record": "earned", "own": "not run", "mixed": "not run"}
    assert judged.gates["own"]["tests"] == {"test_own_tests_pass": "passed", "test_own_tests_catch": "skipped"}
    sentence = "your course staff have the wrong loops that your tests must catch"
    line = next(line for line in judged.output.splitlines() if " own " in line and "0 / 4" in line)
    assert line.endswith(f"(1 of 2 tests not run: {sentence})")


def test_a_self_check_says_that_own_tests_fail(small: Repositories, tmp_path: Path) -> None:
    """Tests that do not pass with the student's own loop are news also without wrong loops."""
    copy = without_own_tests(small.lab, small.solution, tmp_path / "copy")
    (copy / "test_loop_exit.py").write_text("def test_it(): assert 1 == 2\n", encoding="utf-8")
    judged = judge(copy, tmp_path, "tests/test_own.py")
    said = "your own tests do not accept your own loop: test_loop_exit.py::test_it failed"
    assert judged.gates["own"]["state"] == "missed"
    assert said in judged.gates["own"]["messages"].values()


def test_another_program_has_no_tests_of_its_own(small: Repositories, tmp_path: Path) -> None:
    """With LAB_RUNNER a program is judged, and what lies beside it is not its work."""
    runner = json.dumps([sys.executable, "lab.py"])
    judged = judge(small.solution, tmp_path, "tests/test_own.py", LAB_RUNNER=runner, **small.mutants)
    assert judged.gates["own"]["tests"] == {"test_own_tests_pass": "skipped", "test_own_tests_catch": "skipped"}


def test_wrong_loops_that_are_not_there_judge_nobody(small: Repositories, tmp_path: Path) -> None:
    """Whoever grades hears of it; no student loses points."""
    judged = judge(small.solution, tmp_path, "tests/test_own.py", LAB_MUTANTS=str(tmp_path / "nowhere"))
    assert judged.gates == {}
    assert "LAB_MUTANTS leads to no loops" in judged.output


def test_the_subjects_of_a_proof_promise_what_own_tests_can_show(small: Repositories, tmp_path: Path) -> None:
    """The solution earns everything, an empty file and every lone runner all but the gates about own tests."""
    by_name = {one.name: one for one in subjects(small.lab, build(small.lab, tmp_path), tmp_path)}
    everything = {"exits", "record", "own", "mixed"}
    assert by_name["solution"].expected == everything
    assert by_name["empty test file"].expected == {"exits", "record"}
    assert by_name["reference runner"].expected == {"exits", "record"}
    assert by_name["no_cap"].expected == {"record"}
    with_loops = {name for name, one in by_name.items() if "LAB_MUTANTS" in one.environment}
    assert with_loops == {"solution", "empty test file"}
    assert (by_name["empty test file"].repository / "test_loop_exit.py").read_bytes() == b""


def test_a_lab_without_such_gates_has_neither_loops_nor_subjects(tmp_path: Path) -> None:
    lab = lab_of(SMALL.with_name("own-meter.yaml"))
    assert write_mutants(lab, tmp_path / "mutants") == {}
    assert not (tmp_path / "mutants").exists()
    assert "empty test file" not in {one.name for one in subjects(lab, build(lab, tmp_path), tmp_path)}


# --- the wrong loops ---


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_a_mistake_can_be_caught_if_and_only_if_it_changes_the_loop_file(spec: Path) -> None:
    """What `check` says from the lab alone is what comes out of the templates, in every lab and for every mistake."""
    lab = lab_of(spec)
    right = right_files(lab)
    own_loop = model.Loop(*(getattr(lab, name) for name in model.Loop._fields))
    for mistake in lab.mistakes:
        ((path, text),) = wrong_files(lab, mistake).items()
        differs = text != right[path] and not mistake.machine["recorder"]
        assert stands_in_loop_file(lab.target, own_loop, mistake) == differs, mistake.id


def test_a_wrong_loop_does_what_its_mistake_does(tmp_path: Path) -> None:
    """On every fixture: so a test that looks at exits catches the loop where it would catch the mistake."""
    lab = lab_of(ROOT / "specs" / "loop-exit-ledger.yaml")
    asked = lab.own_test_gates[0].tests_catch
    assert asked is not None
    for mistake in (one for one in lab.mistakes if one.id in asked.mistakes):
        with emitted_loop(lab, wrong_files(lab, mistake)["run_loop.py"]) as run_loop:
            for number, fixture in enumerate(lab.fixtures):
                event = run_loop("run-001", fixture.data, tmp_path / f"{mistake.id}-{number}.jsonl")
                ending = simulate(Machine(mistake.machine), fixture.simulated).ending
                came = (event.reason, event.turns, list(event.tool_names), event.last_error)
                assert came == (ending.reason, ending.turns, list(ending.tool_names), ending.last_error), mistake.id


def test_wrong_loops_stay_at_home(tmp_path: Path) -> None:
    """Neither the loops nor the names of those to catch are in a student's repository."""
    lab = lab_of(SMALL)
    tree = render(plan(lab, Edition()))
    assert not [path for path in tree if "mutants" in path or "wrong" in path]
    test_file = tree["tests/test_own.py"].data.decode("utf-8")
    assert not [mistake.id for mistake in lab.mistakes if mistake.id in test_file]
    write(tree, tmp_path / "student")
    assert "raise NotImplementedError" in (tmp_path / "student" / "run_loop.py").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("node") is None, reason="a lab in JavaScript needs Node")
def test_a_lab_in_javascript_is_proved_alike(tmp_path: Path) -> None:
    """The solution's tests catch what they are asked to, an empty file nothing."""
    lab = lab_of(ROOT / "specs" / "loop-budget.yaml")
    asked = model.TestsCatch(("believes_the_model", "no_turn_cap", "no_jail"), 3)
    gate = lab.rubric[0]._replace(checks=(), tests_catch=asked)
    lab = lab._replace(rubric=(gate,), stretch=None)
    solution = build(lab, tmp_path).solution
    mutants = write_mutants(lab, tmp_path / "mutants")
    tests = f"tests/test_{gate.id}.py"
    assert states(judge(solution, tmp_path, tests, **mutants)) == {gate.id: "earned"}
    empty = without_own_tests(lab, solution, tmp_path / "empty")
    assert states(judge(empty, tmp_path, tests, **mutants)) == {gate.id: "missed"}
