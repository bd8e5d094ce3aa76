"""What comes out is our product: formatted, linted, typed, and it runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from labspec.contract import exit_signature
from labspec.emit import Edition, plan, render, write
from labspec.lab.model import ErrorText, Starter

from .labs import first_lab, lab_with
from .loops import source_of
from .test_loop import OTHERS, random_labs

if TYPE_CHECKING:
    from labspec.lab.model import Lab

BIN = Path(sys.executable).parent
SOLUTION, STARTER = Edition(solution=True), Edition()
EVERYTHING_TO_DO = lab_with(starter=Starter("todo", "todo", "todo", "todo"), errors=ErrorText(40, "no_text"))
LONG = lab_with(
    title="A title that is long enough to be broken into several lines wherever it lands " * 3,
    tools=tuple(first_lab().tools[0]._replace(name=f"a_tool_with_a_rather_long_name_{n}") for n in range(4)),
    taxonomy=(*first_lab().taxonomy, *(first_lab().taxonomy[0]._replace(name=f"another_reason_{n}") for n in range(9))),
)

NEVER_BUILT = {"never starts", "stopped by the first decision"}
"""Tables whose other rows are unreachable, which is a finding: what comes out of them runs, but has unused names."""


def build(lab: Lab, edition: Edition, target: Path) -> Path:
    """Write a repository."""
    return write(render(plan(lab, edition)), target).target


def command(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, and return what it said."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(
        words, cwd=cwd, env=variables | environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def mypy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The option that lets these tests share what mypy knows of the standard library."""
    return f"--cache-dir={tmp_path_factory.mktemp('mypy')}"


@pytest.mark.parametrize("edition", [SOLUTION, STARTER], ids=["solution", "starter"])
@pytest.mark.parametrize("lab", [first_lab(), EVERYTHING_TO_DO, LONG], ids=["first", "everything to do", "long"])
def test_repository_is_formatted_linted_and_typed(lab: Lab, edition: Edition, tmp_path: Path, mypy: str) -> None:
    folder = build(lab, edition, tmp_path / "a lab")
    for tool in (["ruff", "format", "--diff", "."], ["ruff", "check", "."], ["mypy", "--strict", mypy, "."]):
        done = command(str(BIN / tool[0]), *tool[1:], cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr


def test_loops_of_other_tables_are_formatted_linted_and_typed(tmp_path: Path, mypy: str) -> None:
    folder = build(first_lab(), SOLUTION, tmp_path / "lab")
    labs = [lab for name, lab in OTHERS.items() if name not in NEVER_BUILT]
    others = {f"loop{number}.py": source_of(lab) for number, lab in enumerate(labs)}
    reasons = set().union(*({reason.name for reason in lab.taxonomy} for lab in OTHERS.values()))
    record = folder / "loop_exit.py"
    literal = f"ExitReason = Literal[{', '.join(map(json.dumps, sorted(reasons)))}]\nOther = Literal["
    record.write_text(record.read_text("utf-8").replace("ExitReason = Literal[", literal), "utf-8")
    for name, source in others.items():
        (folder / name).write_text(source, "utf-8")
    for tool in (["ruff", "format", "--diff"], ["ruff", "check"], ["mypy", "--strict", mypy]):
        done = command(str(BIN / tool[0]), *tool[1:], *others, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr


def test_loops_of_random_tables_are_formatted(tmp_path: Path) -> None:
    sources: list[str] = []

    @settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(random_labs())
    def collect(lab: Lab) -> None:
        sources.append(source_of(lab))

    collect()
    (tmp_path / "ruff.toml").write_text("line-length = 88\n", "utf-8")
    for number, source in enumerate(sources):
        (tmp_path / f"loop{number}.py").write_text(source, "utf-8")
    done = command(str(BIN / "ruff"), "format", "--diff", ".", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def run_pytest(folder: Path, *words: str, **environment: str) -> tuple[dict[str, Any], str]:
    """Run a repository's tests; returns the points as data, and what was printed."""
    report = folder.parent / "points.json"
    done = command(sys.executable, "-m", "pytest", "-q", *words, cwd=folder, LAB_REPORT=str(report), **environment)
    return json.loads(report.read_text("utf-8")), done.stdout + done.stderr


def test_solution_earns_all_points_and_passes_its_own_tests(tmp_path: Path) -> None:
    folder = build(first_lab(), Edition(solution=True, hidden=True), tmp_path / "a lab")
    points, output = run_pytest(folder)
    assert points["earned"] == points["points"] == 100, output
    own = command(sys.executable, "-m", "pytest", "-q", "test_loop_exit.py", cwd=folder)
    assert "5 passed" in own.stdout, own.stdout


def test_untouched_starter_earns_nothing_and_says_what_to_do(tmp_path: Path) -> None:
    folder = build(EVERYTHING_TO_DO, STARTER, tmp_path / "a lab")
    points, output = run_pytest(folder)
    assert points["earned"] == 0
    assert "run_loop is not written yet: open run_loop.py" in output


def test_wrong_exit_shows_the_hint_of_the_mistake_it_looks_like(tmp_path: Path) -> None:
    folder = build(first_lab(), SOLUTION, tmp_path / "lab")
    loop = folder / "run_loop.py"
    loop.write_text(loop.read_text("utf-8").replace("MAX_RETRIES = 1", "MAX_RETRIES = 0"), "utf-8")
    points, output = run_pytest(folder)
    assert points["gates"]["exits"]["earned"] == 0
    assert "Look at row 2 again: what does it compare?" in output
    assert "row 1 (completed) at `result` of turn 2" in output


# --- the command line ---


def lab_py(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return command(sys.executable, "lab.py", *words, cwd=folder)


def test_command_line_ends_with_the_exit_code_of_the_reason(tmp_path: Path) -> None:
    folder = build(first_lab(), SOLUTION, tmp_path / "lab")
    for fixture, code in (("weather_timeout_v1", 0), ("five_timeouts_v1", 2), ("stack_trace_v1", 1)):
        done = lab_py(folder, "run", f"fixtures/{fixture}.json", "--ledger", "new/folder/exits.jsonl", "--run-id", "r")
        assert done.returncode == code, done.stderr
    lines = (folder / "new/folder/exits.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["reason"] for line in lines] == ["completed", "turn_cap", "tool_error"]
    shown = lab_py(folder, "signature", "new/folder/exits.jsonl").stdout.splitlines()
    assert [line.split()[0] for line in shown] == [exit_signature(json.loads(line)) for line in lines]
    assert "fixtures/five_timeouts_v1.json (5 steps)" in lab_py(folder, "fixtures").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "nowhere.json"], "the fixture cannot be read"),
        (["run", "README.md"], "is not JSON"),
        (["run", "list.json"], "is not a JSON object"),
        (["run", "empty.json"], 'needs a text "id" and a list "planned_calls"'),
        (["run"], "required: fixture"),
        (["walk"], "invalid choice"),
        (["signature", "nowhere.jsonl"], "the ledger cannot be read"),
    ],
)
def test_wrong_use_is_told_apart_from_a_crash(words: list[str], sentence: str, tmp_path: Path) -> None:
    folder = build(first_lab(), SOLUTION, tmp_path / "lab")
    (folder / "list.json").write_text("[]", "utf-8")
    (folder / "empty.json").write_text("{}", "utf-8")
    done = lab_py(folder, *words)
    assert done.returncode == 64
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("def run_loop(*_): raise NotImplementedError('not yet')", "not yet"),
        ("def run_loop(*_): raise KeyError('name')", "the loop crashed with KeyError"),
        ("def run_loop(*_): raise SystemExit(0)", "the loop crashed with SystemExit"),
        ("def run_loop(*_): return None", "run_loop returned None"),
        ("def run_loop(:", "the loop crashed with SyntaxError"),
        ("x = 1", "the loop crashed with ImportError"),
    ],
)
def test_crash_of_the_loop_is_no_exit_of_the_table(body: str, sentence: str, tmp_path: Path) -> None:
    folder = build(first_lab(), SOLUTION, tmp_path / "lab")
    (folder / "run_loop.py").write_text(body, "utf-8")
    done = lab_py(folder, "run", "fixtures/weather_timeout_v1.json")
    assert done.returncode == 70
    assert sentence in done.stderr


def test_torn_last_line_of_a_ledger_keeps_its_place(tmp_path: Path) -> None:
    folder = build(first_lab(), SOLUTION, tmp_path / "lab")
    ledger = folder / "exits.jsonl"
    ledger.write_bytes(b'{"run_id": "kil')
    lab_py(folder, "run", "fixtures/weather_timeout_v1.json", "--ledger", "exits.jsonl")
    torn, line, rest = ledger.read_bytes().split(b"\n")
    assert (torn, rest) == (b'{"run_id": "kil', b"")
    assert json.loads(line)["reason"] == "completed"


def test_runs_without_anything_but_pytest_beside_it(tmp_path: Path) -> None:
    folder = build(first_lab(), SOLUTION, tmp_path / "lab")
    moved = tmp_path / "elsewhere"
    shutil.move(folder, moved)
    done = command(sys.executable, "-I", str(moved / "lab.py"), "fixtures", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
