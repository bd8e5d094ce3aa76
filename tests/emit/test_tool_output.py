"""Repositories with real tools are formatted, linted and typed, earn their points, and keep to themselves."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from labspec.emit import Edition, plan, render
from labspec.lab.model import Command, Starter

from .test_output import BIN, SOLUTION, STARTER, build, command, lab_py, mypy, run_pytest
from .test_tools import OTHERS
from .tool_labs import GREEN, READ, STOP, call_of, second_lab, stretched_lab, tool_fixture, tool_loop

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.lab.model import Lab

__all__ = ["mypy"]

LONG_COMMAND = GREEN._replace(
    name="a_tool_with_a_rather_long_name",
    command=Command(("python", *("a rather long argument " * 4).split()), 10, "no"),
)
SHORT_OF_LONG = GREEN._replace(
    name="short", command=Command(("python", "a_script_with_a_name.py", "and_an_argument"), 10, "tests_failed")
)
LABS: dict[str, Lab] = {
    "second": second_lab(),
    "everything given": second_lab(starter=Starter("given", "given", "given", "given")),
    "stretched": stretched_lab(),
    "long commands": second_lab(tools=(READ, GREEN, LONG_COMMAND, SHORT_OF_LONG)),
}


def is_clean(folder: Path, mypy: str, *typed: str) -> None:
    for tool in (["ruff", "format", "--diff", "."], ["ruff", "check", "."], ["mypy", "--strict", mypy, *typed]):
        done = command(str(BIN / tool[0]), *tool[1:], cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("lab", LABS.values(), ids=LABS.keys())
def test_solution_is_formatted_linted_and_typed(lab: Lab, tmp_path: Path, mypy: str) -> None:
    is_clean(build(lab, SOLUTION, tmp_path / "a lab"), mypy, ".")


def test_starter_is_formatted_linted_and_typed(tmp_path: Path, mypy: str) -> None:
    is_clean(build(stretched_lab(), STARTER, tmp_path / "a lab"), mypy, ".")


@pytest.mark.parametrize("edition", [SOLUTION, STARTER], ids=["solution", "starter"])
@pytest.mark.parametrize("name", ["read only", "commands only", "scripted only", "every kind of tool", "no trace"])
def test_code_for_other_tools_is_formatted_linted_and_typed(
    name: str, edition: Edition, tmp_path: Path, mypy: str
) -> None:
    is_clean(build(OTHERS[name], edition, tmp_path / "a lab"), mypy, "lab.py", "run_loop.py")


@pytest.mark.parametrize(
    "name", ["nothing is refused", "a plan that ends", "an exit at a call takes every charge back"]
)
def test_loop_of_another_table_is_formatted_linted_and_typed(name: str, tmp_path: Path, mypy: str) -> None:
    is_clean(build(OTHERS[name], SOLUTION, tmp_path / "a lab"), mypy, "run_loop.py")


def test_solution_earns_all_points_and_passes_its_own_tests(tmp_path: Path) -> None:
    folder = build(stretched_lab(), SOLUTION, tmp_path / "a lab")
    points, output = run_pytest(folder)
    assert points["gates"]["runs"]["earned"] == 100, output
    assert "diff_cap" in output
    own = command(sys.executable, "-m", "pytest", "-q", "test_loop_exit.py", cwd=folder)
    assert "3 passed" in own.stdout, own.stdout


def test_untouched_starter_earns_nothing_and_says_what_to_do(tmp_path: Path) -> None:
    folder = build(second_lab(), STARTER, tmp_path / "a lab")
    points, output = run_pytest(folder)
    assert points["earned"] == 0
    assert "run_loop is not written yet: open run_loop.py" in output


def test_stretch_goal_is_a_gate_that_only_the_solution_earns() -> None:
    starter, solution = (render(plan(stretched_lab(), edition)) for edition in (STARTER, SOLUTION))
    assert starter["tests/test_diff_cap.py"] == solution["tests/test_diff_cap.py"]
    assert b"diff_too_long" in solution["run_loop.py"].data
    assert b"the row diff_too_long of the goal" not in starter["tests/test_runs.py"].data
    gates = json.loads(starter["tests/gates.json"].data)
    assert gates["stretch"]["goals"] == [
        {"id": "diff_cap", "points": 10, "title": "Diff cap", "file": "test_diff_cap.py", "tests": 1}
    ]
    assert gates["manual"] == [{"id": "notes", "points": 5, "says": "What you would cut from the goal"}]
    assert gates["workspace"] == {"folder": "workspace", "roots": ["fixtures"]}
    assert gates["traced"] is True
    assert gates["zero_if"] == [{"missing": "trace"}, {"hangs": True}, {"changed": "tests"}, {"wrote_outside": True}]
    assert gates["gates"][0]["zero_if"] == gates["zero_if"][:2]


def test_lab_without_trace_and_tools_has_nothing_of_them() -> None:
    scripted, untraced = (set(render(plan(OTHERS[name], SOLUTION))) for name in ("scripted only", "no trace"))
    assert not {"loop_trace.py", "report.py"} & untraced
    assert {"tools.py", "model.py", "workspace/pass.py"} <= untraced
    assert "planner.py" not in untraced
    assert {"loop_trace.py", "report.py"} <= scripted


def test_files_of_the_workspace_are_those_of_the_spec_byte_for_byte() -> None:
    text = "one\r\ntwo\n"
    lab = second_lab()
    assert lab.workspace is not None
    lab = lab._replace(workspace=lab.workspace._replace(files=(("fixtures/windows.txt", text),)))
    tree = render(plan(lab, STARTER))
    assert tree["workspace/fixtures/windows.txt"].data == text.encode()
    assert b"workspace/** -text" in tree[".gitattributes"].data


# --- the command line ---


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solution, in a folder with a space in its name."""
    return build(second_lab(), SOLUTION, tmp_path_factory.mktemp("labs") / "a lab")


def test_run_works_in_a_fresh_copy_and_leaves_ledger_and_trace(solution: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in (solution / "workspace").rglob("*") if path.is_file()}
    words = ("--ledger", str(tmp_path / "new/exits.jsonl"), "--trace", str(tmp_path / "new/trace.json"))
    done = lab_py(solution, "run", "fixtures/happy_path.json", *words)
    assert done.returncode == 0, done.stderr
    after = {path: path.read_bytes() for path in (solution / "workspace").rglob("*") if path.is_file()}
    assert before == after
    events = json.loads((tmp_path / "new/trace.json").read_text("ascii"))
    assert events == second_lab().fixtures[0].trace
    shown = lab_py(solution, "report", str(tmp_path / "new/trace.json"))
    assert shown.stdout.splitlines() == [
        "turns: 4 of 8",
        "tool calls: 3 of 4",
        "write bytes: 3 of 12",
        "ended: stop (tests_green)",
    ]


def test_given_workspace_is_worked_in(solution: Path, tmp_path: Path) -> None:
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures/app.txt").write_text("mine\n", "utf-8")
    (tmp_path / "pass.py").write_text("", "utf-8")
    words = ("--ledger", str(tmp_path / "l"), "--workspace", str(tmp_path))
    assert lab_py(solution, "run", "fixtures/happy_path.json", *words).returncode == 0
    assert (tmp_path / "fixtures/app.txt").read_text("utf-8") == "hi\n"


def test_fixture_changes_files_and_links_of_the_copy(solution: Path, tmp_path: Path) -> None:
    steps = [call_of("read_file", file="fixtures/real.txt"), STOP]
    changes = {
        "files": {"fixtures/app.txt": None, "fixtures/notes.txt": None, "elsewhere/real.txt": "found\n"},
        "links": {"fixtures": "elsewhere"},
    }
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"id": "own", "planned_calls": steps, "workspace": changes}), "utf-8")
    words = ("--ledger", str(tmp_path / "l"), "--trace", str(tmp_path / "t"))
    assert lab_py(solution, "run", str(path), *words).returncode == 1
    assert json.loads((tmp_path / "t").read_text("ascii"))[2]["result"] == "found\n"


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("[]", 1, "ended: no closing event"),
        ('[{"type": "turn"}]', 1, "ended: no closing event"),
        ("{", 64, "the trace cannot be read"),
        ('[{"type": "stop"}]', 70, "the report crashed with KeyError"),
    ],
)
def test_report_of_a_trace_that_is_not_closed(
    text: str, code: int, sentence: str, solution: Path, tmp_path: Path
) -> None:
    (tmp_path / "trace.json").write_text(text, "utf-8")
    done = lab_py(solution, "report", str(tmp_path / "trace.json"))
    assert (done.returncode, sentence in done.stdout + done.stderr) == (code, True)


def test_crash_of_the_loop_closes_the_trace_and_leaves_no_line(tmp_path: Path) -> None:
    folder = build(second_lab(), SOLUTION, tmp_path / "a lab")
    tools = folder / "tools.py"
    tools.write_text(
        tools.read_text("utf-8").replace(
            "        real = self.real(path)\n        return any", "        return 1 / 0 and any"
        ),
        "utf-8",
    )
    done = lab_py(folder, "run", "fixtures/happy_path.json", "--ledger", "l", "--trace", "t")
    assert done.returncode == 70
    assert "the loop crashed with ZeroDivisionError" in done.stderr
    *_, closing = json.loads((folder / "t").read_text("ascii"))
    assert (closing["type"], closing["reason"], closing["turn"]) == ("error", "crash", 1)
    assert closing["used"] == {"turns": 1, "tool_calls": 0, "write_bytes": 0}
    assert not (folder / "l").exists()


def test_ledger_that_cannot_be_written_leaves_one_closing_event(tmp_path: Path) -> None:
    folder = build(second_lab(), SOLUTION, tmp_path / "a lab")
    (folder / "l").mkdir()
    done = lab_py(folder, "run", "fixtures/happy_path.json", "--ledger", "l", "--trace", "t")
    assert done.returncode == 70
    closing = [event["reason"] for event in json.loads((folder / "t").read_text("ascii")) if "reason" in event]
    assert closing == ["tests_green"]


def test_workspace_that_is_not_there_is_wrong_use(solution: Path, tmp_path: Path) -> None:
    done = lab_py(solution, "run", "fixtures/happy_path.json", "--workspace", str(tmp_path / "nowhere"))
    assert done.returncode == 64
    assert "there is no workspace" in done.stderr


def test_command_that_takes_too_long_has_failed_and_leaves_no_process(tmp_path: Path) -> None:
    slow = GREEN._replace(command=Command(("python", "slow.py"), 1, "too_slow"))
    loop = tool_loop(tools=(slow,))
    assert loop.workspace is not None
    loop = loop._replace(workspace=loop.workspace._replace(files=(("slow.py", SLOW),)))
    fixture = tool_fixture(loop, "slow", "A command that hangs", [call_of("green_tests"), STOP])
    folder = build(second_lab(**loop._asdict(), fixtures=(fixture,), rubric=()), SOLUTION, tmp_path / "a lab")
    done = lab_py(folder, "run", "fixtures/slow.json", "--ledger", "l", "--trace", "t", "--workspace", "workspace")
    assert done.returncode == 1, done.stderr
    assert json.loads((folder / "l").read_text("ascii"))["last_error"] == "too_slow"
    size = (folder / "workspace/beats").stat().st_size
    command(sys.executable, "-c", "import time; time.sleep(0.5)", cwd=folder)
    assert (folder / "workspace/beats").stat().st_size == size


SLOW = """\
import subprocess
import sys

BEAT = "import time\\nwhile True:\\n    open('beats', 'a').write('x')\\n    time.sleep(0.05)\\n"
subprocess.Popen([sys.executable, "-c", BEAT]).wait()
"""
