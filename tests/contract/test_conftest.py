"""The shipped files work in a student repository of their own, under a real pytest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import labspec.contract

from . import sloppy_runner
from .cases import write_fixtures

CONTRACT = Path(labspec.contract.__file__).parent
CONFTEST = Path(__file__).parents[2] / "templates/python/tests/conftest.py"

GATES = {
    "lab": "loop-exit-ledger",
    "timeout_seconds": 20,
    "gates": [
        {"id": "completes", "points": 25, "says": "It completes", "file": "test_completes.py", "tests": 2},
        {"id": "turn_cap", "points": 75, "says": "It stops", "file": "test_turn_cap.py", "tests": 1},
    ],
}

TEST_COMPLETES = '''"""Gate `completes`, 25 points: It completes."""

from contract import Bench, Expected, check_exit, check_one_line

RETRY_THEN_FINAL = Expected(
    reason="completed",
    turns=2,
    tool_names=("get_weather", "get_weather"),
    last_error=None,
    exit_code=0,
    decided_by="row 1 `completed`, at result of turn 2: the result is ok and final",
)


def test_exit_retry_then_final(bench: Bench) -> None:
    """The first call times out, the retry succeeds."""
    check_exit(bench, "retry_then_final", RETRY_THEN_FINAL)


def test_one_line_retry_then_final(bench: Bench) -> None:
    """One run leaves one line."""
    check_one_line(bench, "retry_then_final", RETRY_THEN_FINAL)
'''

TEST_TURN_CAP = '''"""Gate `turn_cap`, 75 points: It stops."""

from contract import Bench, Expected, check_exit

FIVE_FAILURES = Expected("turn_cap", 4, ("get_weather",) * 4, "timeout", 2, "row 4")


def test_exit_five_failures(bench: Bench) -> None:
    """Five failing calls end at the turn cap."""
    check_exit(bench, "five_failures", FIVE_FAILURES)
'''


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small student repository in a folder with a space in its name."""
    root = tmp_path_factory.mktemp("student") / "my lab"
    tests = root / "tests"
    (tests / "contract").mkdir(parents=True)
    for module in CONTRACT.glob("*.py"):
        shutil.copy(module, tests / "contract")
    shutil.copy(CONFTEST, tests)
    shutil.copy(sloppy_runner.__file__, root / "lab.py")
    write_fixtures(root / "fixtures")
    (tests / "gates.json").write_text(json.dumps(GATES), encoding="utf-8")
    (tests / "test_completes.py").write_text(TEST_COMPLETES, encoding="utf-8")
    (tests / "test_turn_cap.py").write_text(TEST_TURN_CAP, encoding="utf-8")
    (root / "test_of_the_student.py").write_text("def test_mine() -> None: ...\n", encoding="utf-8")
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\nfilterwarnings = ['error']\n", encoding="utf-8")
    return root


def run_pytest(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONUTF8": "1", **variables}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=False
    )


def report_of(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_a_correct_program_earns_every_gate(repository: Path, tmp_path: Path) -> None:
    report = tmp_path / "new folder" / "report.json"
    done = run_pytest(repository, LAB_REPORT=str(report))
    assert done.returncode == 0, done.stdout
    assert "= rubric of loop-exit-ledger =" in done.stdout
    assert "  earned   completes   25 / 25   It completes\n" in done.stdout
    assert "  total               100 / 100\n" in done.stdout
    assert "self-check" in done.stdout
    assert [(gate["state"], gate["tests"]) for gate in report_of(report)["gates"].values()] == [
        ("earned", {"test_exit_retry_then_final": "passed", "test_one_line_retry_then_final": "passed"}),
        ("earned", {"test_exit_five_failures": "passed"}),
    ]
    assert [path.name for path in report.parent.iterdir()] == ["report.json"]


def test_a_slip_loses_its_gate_and_the_message_stands_without_our_code(repository: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    runner = json.dumps([sys.executable, "lab.py", "--slip", "cap off by one"])
    done = run_pytest(repository, LAB_RUNNER=runner, LAB_REPORT=str(report))
    assert done.returncode == 1
    assert "  missed   turn_cap     0 / 75   It stops (1 of 1 tests failed)\n" in done.stdout
    assert "  decides   row 4\n" in done.stdout
    assert "checks.py" not in done.stdout
    assert report_of(report)["earned"] == 25
    assert report_of(report)["gates"]["turn_cap"]["messages"] == {
        "test_exit_five_failures": "the run of `five_failures` ended with another exit than the table says"
    }


def test_the_points_are_the_same_when_tests_run_in_parallel(repository: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    runner = json.dumps([sys.executable, "lab.py", "--slip", "cap off by one"])
    done = run_pytest(repository, "-n", "2", LAB_RUNNER=runner, LAB_REPORT=str(report))
    assert done.stdout.count("rubric of loop-exit-ledger") == 1, done.stdout
    assert [gate["state"] for gate in report_of(report)["gates"].values()] == ["earned", "missed"]


def test_a_run_of_some_tests_earns_no_gate_and_says_so(repository: Path) -> None:
    done = run_pytest(repository, "tests/test_completes.py", "-k", "one_line")
    assert "  not run  completes    0 / 25   It completes (1 of 2 tests not run)\n" in done.stdout
    assert "Only 0 of 2 gates were run in full.\n" in done.stdout


def test_the_students_own_tests_alone_print_no_rubric(repository: Path) -> None:
    done = run_pytest(repository, "-k", "mine")
    assert done.returncode == 0
    assert "rubric" not in done.stdout


def test_a_test_file_that_cannot_be_read_loses_its_gate(repository: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken lab"
    shutil.copytree(repository, broken)
    (broken / "tests" / "test_turn_cap.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    done = run_pytest(broken, "--continue-on-collection-errors", LAB_REPORT=str(tmp_path / "report.json"))
    assert done.returncode == 1
    gates = report_of(tmp_path / "report.json")["gates"]
    assert (gates["completes"]["state"], gates["turn_cap"]["state"]) == ("earned", "missed")
    assert gates["turn_cap"]["tests"] == {"(the file itself)": "error"}


def test_a_lab_runner_that_makes_no_sense_is_told_in_one_line(repository: Path) -> None:
    done = run_pytest(repository, LAB_RUNNER='["python"')
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.strip() == 'ERROR: LAB_RUNNER is no JSON list of texts: ["python"'


def test_the_shipped_files_are_clean_under_the_settings_of_a_student(repository: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--isolated", "--no-cache", "--target-version", "py310"]
    for command in (["check", "--extend-select", "I,UP,B,W,SIM"], ["format", "--check"]):
        done = subprocess.run(
            [*ruff, *command, *settings, str(repository / "tests")], capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stdout
