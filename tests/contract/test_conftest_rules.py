"""What happens in a run reaches the rubric that pytest prints: zeros, hostile programs, changed tests."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from . import traced_runner
from .test_conftest import CONFTEST, CONTRACT, report_of, run_pytest
from .traced_cases import write_repository

GATES = {
    "lab": "loop-budget",
    "timeout_seconds": 3,
    "traced": True,
    "workspace": {"folder": "workspace", "roots": ["fixtures"]},
    "gates": [
        {"id": "happy", "points": 25, "says": "It works", "file": "test_happy.py", "tests": 2},
        {
            "id": "jail",
            "points": 15,
            "says": "It stays inside",
            "file": "test_jail.py",
            "tests": 1,
            "zero_if": [{"wrote_outside": True}, {"hangs": True}, {"missing": "trace"}],
        },
    ],
    "zero_if": [{"changed": "tests"}],
    "stretch": {
        "points": 10,
        "pick": 1,
        "needs": ["happy"],
        "goals": [{"id": "report", "points": 10, "title": "A report", "file": "test_stretch_report.py", "tests": 1}],
    },
    "manual": [{"id": "notes", "points": 5, "says": "What you would cut"}],
}

HEAD = """from contract import Bench, Expected, check_exit_code, check_report, check_workspace

HAPPY = Expected(
    "tests_green",
    3,
    ("write_file", "write_file"),
    None,
    0,
    "row 1",
    closing=("stop", "tests_green"),
    report=("turns: 3 of 4", "tool calls: 2 of 2", "ended: stop (tests_green)"),
    files={
        "fixtures/app.js": "new\\n",
        "fixtures/b.js": "new\\n",
        "fixtures-evil/keep.js": "// keep\\n",
        "check.mjs": "// check\\n",
    },
)
"""

TESTS = {
    "happy": "def test_code(bench: Bench) -> None:\n    check_exit_code(bench, 'happy', HAPPY)\n"
    "def test_files(bench: Bench) -> None:\n    check_workspace(bench, 'happy', HAPPY)\n",
    "jail": "def test_up(bench: Bench) -> None:\n    check_exit_code(bench, 'up', HAPPY)\n",
    "stretch_report": "def test_report(bench: Bench) -> None:\n    check_report(bench, 'happy', HAPPY)\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student repository with a workspace, in a folder with a space in its name."""
    root = tmp_path_factory.mktemp("student") / "my lab"
    tests = root / "tests"
    (tests / "contract").mkdir(parents=True)
    for module in CONTRACT.glob("*.py"):
        shutil.copy(module, tests / "contract")
    shutil.copy(CONFTEST, tests)
    shutil.copy(traced_runner.__file__, root / "lab.py")
    write_repository(root)
    (tests / "gates.json").write_text(json.dumps(GATES), encoding="utf-8")
    for name, text in TESTS.items():
        (tests / f"test_{name}.py").write_text(HEAD + text, encoding="utf-8")
    files = [path for path in root.rglob("*") if path.is_file()]
    digests = {path.relative_to(root).as_posix(): {"sha256": digest(path)} for path in files}
    (root / ".labspec").mkdir()
    (root / ".labspec/manifest.json").write_text(json.dumps({"files": digests}), encoding="utf-8")
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\nfilterwarnings = ['error']\n", encoding="utf-8")
    return root


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_with(root: Path, report: Path, source: str, *arguments: str) -> tuple[Any, str]:
    """The report on a program with this source, or with this slip, and what pytest printed."""
    runner = [sys.executable, "lab.py", "--slip", source]
    if "\n" in source:
        script = report.with_suffix(".py")
        script.write_text(source, encoding="utf-8")
        runner = [sys.executable, str(script)]
    done = run_pytest(root, *arguments, LAB_REPORT=str(report), LAB_RUNNER=json.dumps(runner))
    return report_of(report), done.stdout


def gates_of(data: Any) -> dict[str, tuple[str, str | None]]:
    return {name: (gate["state"], gate["zeroed"]) for name, gate in data["gates"].items()}


def test_a_correct_program_earns_gates_and_goal(repository: Path, tmp_path: Path) -> None:
    data, printed = run_with(repository, tmp_path / "report.json", "")
    assert data["total"] == {"earned": 50, "points": 40, "zeroed": None}, printed
    assert data["changes"] == []
    assert "  total             50 / 40 (10 of them for stretch)\n" in printed
    assert "graded by a person" in printed


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_write_outside_zeroes_a_gate_whose_tests_passed(
    arguments: tuple[str, ...], repository: Path, tmp_path: Path
) -> None:
    data, printed = run_with(repository, tmp_path / "report.json", "jail removed", *arguments)
    assert gates_of(data) == {
        "happy": ("earned", None),
        "jail": ("zeroed", "a run wrote outside the allowed roots"),
    }, printed
    assert "  zeroed   jail      0 / 15   It stays inside (zero: a run wrote outside the allowed roots)\n" in printed


def test_a_missing_trace_reaches_the_rubric(repository: Path, tmp_path: Path) -> None:
    data, _ = run_with(repository, tmp_path / "report.json", "trace not written")
    assert gates_of(data)["jail"] == ("zeroed", "a run left no trace")
    assert data["stretch"]["goals"]["report"]["state"] == "missed"


HOSTILE = {
    "hangs": "import time\ntime.sleep(60)\n",
    "kills itself": "import os\nos.kill(os.getpid(), 9)\n",
    "prints 100 MB": "for _ in range(100): print('x' * 2**20)\n",
    "a grandchild that holds the pipe": "import subprocess, sys\n"
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n",
    "a huge trace": "import sys\n"
    "f = open(sys.argv[sys.argv.index('--trace') + 1], 'w') if '--trace' in sys.argv else sys.exit()\n"
    "while True: f.write('x' * 2**20)\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_on_one_fixture_costs_that_gate_and_nothing_else(
    name: str, repository: Path, tmp_path: Path
) -> None:
    lab = str(repository / "lab.py")
    start = "import runpy, sys\nif not any(word.endswith('up.json') for word in sys.argv):\n"
    start += f"    runpy.run_path({lab!r}, run_name='__main__')\n"
    data, printed = run_with(repository, tmp_path / "report.json", start + HOSTILE[name])
    assert {name: state for name, (state, _) in gates_of(data).items()} == {"happy": "earned", "jail": "missed"}, (
        printed
    )
    assert data["stretch"]["earned"] == 10
    if name == "hangs":
        assert gates_of(data)["jail"][1] == "a run did not end in time"
        assert "did not end within 3 seconds and was stopped" in printed


def test_changed_tests_are_reported_as_what_they_are_and_zero_the_lab(repository: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(repository, changed)
    with (changed / "tests/test_jail.py").open("a", encoding="utf-8") as file:
        file.write("# easier now\n")
    (changed / "tests/conftest_more.py").touch()
    data, printed = run_with(changed, tmp_path / "report.json", "")
    assert data["total"]["zeroed"] == "the tests are not as they were handed out"
    assert data["total"]["earned"] == 0
    assert data["gates"]["happy"]["state"] == "earned"
    assert "  total              0 / 40 (zero: the tests are not as they were handed out)\n" in printed
    assert "  added    tests/conftest_more.py\n  changed  tests/test_jail.py\n" in printed
