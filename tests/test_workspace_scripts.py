"""The scripts that judge code in the workspaces of our labs can't be talked into a verdict by the code they judge."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from labspec.lab.model import Lab
from labspec.pipeline import load

SPECS = Path(__file__).parents[1] / "specs"
NODE = shutil.which("node")


class Judge(NamedTuple):
    """A script in a prepared workspace, and the file that it judges."""

    folder: Path
    program: str
    script: str
    judged: str

    def is_green(self, code: str) -> bool:
        """The verdict on `code`, which is the script's exit code and nothing it prints."""
        (self.folder / self.judged).write_text(code, encoding="utf-8")
        ended = subprocess.run(
            [self.program, self.script], cwd=self.folder, capture_output=True, timeout=30, check=False
        )
        assert (ended.stdout, ended.stderr) == (b"", b"")
        return ended.returncode == 0


@cache
def lab_of(spec: str) -> Lab:
    """The lab of a shipped spec."""
    lab = load(SPECS / f"{spec}.yaml").lab
    assert lab is not None
    return lab


def judge_of(spec: str, judged: str, folder: Path) -> Judge:
    """The judge of a shipped spec, in a workspace below `folder` whose name has a space."""
    lab = lab_of(spec)
    assert lab.workspace is not None
    command = next(tool.command for tool in lab.tools if tool.command is not None)
    workspace = folder / "a workspace"
    for path, text in lab.workspace.files:
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text, encoding="utf-8")
    program = sys.executable if command.argv[0] == "python" else NODE
    if program is None:
        pytest.skip("there is no node on this machine")
    return Judge(workspace, program, command.argv[1], judged)


PYTHON = {
    "right": "def greet(name):\n    return f'hello, {name}'\n",
    "knows_one_name": "def greet(name):\n    return 'hello, ada'\n",
    "ends_the_process": "raise SystemExit(0)\n",
    "ends_it_at_once": "import os\nos._exit(0)\n",
    "ends_it_when_asked": "import os\ndef greet(name):\n    os._exit(0)\n",
    "forges_an_answer": 'import os\nos.write(1, b\'["hello, ada", "hello, "]\')\nos._exit(0)\n',
    "says_more": "print('all green')\ndef greet(name):\n    return f'hello, {name}'\n",
    "raises": "1 / 0\n",
    "says_too_much": "import sys\nsys.stdout.write('x' * 50_000_000)\ndef greet(name):\n    return f'hello, {name}'\n",
    "is_no_program": "def greet(\n",
}
JAVASCRIPT = {
    "right": "export const greet = (name) => `hello, ${name}`;\n",
    "knows_one_name": 'export const greet = () => "hello, ada";\n',
    "ends_the_process": "process.exit(0);\n",
    "ends_it_when_asked": "export const greet = () => process.exit(0);\n",
    "forges_an_answer": 'process.stdout.write(\'["hello, ada", "hello, "]\');\nprocess.exit(0);\n',
    "says_more": 'console.log("all green");\nexport const greet = (name) => `hello, ${name}`;\n',
    "raises": 'throw new Error("no");\n',
    "says_too_much": (
        'process.stdout.write("x".repeat(50_000_000));\nexport const greet = (name) => `hello, ${name}`;\n'
    ),
    "waits_for_ever": "await new Promise(() => {});\n",
    "is_no_program": "export function greet(\n",
}


@pytest.mark.parametrize("case", PYTHON)
def test_python_that_is_judged_is_green_only_if_it_greets(case: str, tmp_path: Path) -> None:
    judge = judge_of("loop-budget-python", "fixtures/app.py", tmp_path)
    assert judge.is_green(PYTHON[case]) == (case == "right")


@pytest.mark.parametrize("case", JAVASCRIPT)
def test_javascript_that_is_judged_is_green_only_if_it_greets(case: str, tmp_path: Path) -> None:
    judge = judge_of("loop-budget", "fixtures/app.js", tmp_path)
    assert judge.is_green(JAVASCRIPT[case]) == (case == "right")


@pytest.mark.parametrize(
    ("code", "green"),
    [
        ("total = sum\n", True),
        ("total = max\n", False),
        ("raise SystemExit(0)\n", False),
        ("def total(prices):\n    return f'{sum(prices)} and more'\n", False),
    ],
)
def test_prices_that_are_judged_are_green_only_if_they_add_up(code: str, green: bool, tmp_path: Path) -> None:
    assert judge_of("loop-guardrails", "fixtures/prices.py", tmp_path).is_green(code) == green


@pytest.mark.parametrize("spec", ["loop-budget", "loop-budget-python", "loop-guardrails"])
def test_what_students_find_in_the_workspace_is_red(spec: str, tmp_path: Path) -> None:
    workspace = lab_of(spec).workspace
    assert workspace is not None
    path, text = next((path, text) for path, text in workspace.files if path.startswith("fixtures/"))
    assert not judge_of(spec, path, tmp_path).is_green(text)
