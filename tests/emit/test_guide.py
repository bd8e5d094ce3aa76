"""The guide for students: what it shows is what they see, and what it tells them to type works."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labspec.emit import Edition, plan, render, write
from labspec.pipeline import load
from labspec.prove.subjects import lone_runner

from .labs import first_lab, lab_with
from .test_output import command

if TYPE_CHECKING:
    from labspec.lab.model import Lab

ROOT = Path(__file__).resolve().parents[2]
SPECS = sorted((ROOT / "specs").glob("*.yaml"))
BLOCK = re.compile(r"^(`{3,})(\w+)\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"This is how the test `(?P<test>[^`]+)` fails")

each_lab = pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)


@cache
def lab_of(spec: Path) -> Lab:
    lab = load(spec).lab
    assert lab is not None
    return lab


def guide(lab: Lab) -> str:
    """The guide of the starter."""
    return render(plan(lab, Edition()))["GUIDE.md"].data.decode("utf-8")


def blocks(text: str, kind: str) -> list[str]:
    """The code blocks of a kind."""
    return [body for _, found, body in BLOCK.findall(text) if found == kind]


def built(lab: Lab, edition: Edition, folder: Path) -> Path:
    return write(render(plan(lab, edition)), folder / "a lab").target


def run_first(lab: Lab, folder: Path) -> subprocess.CompletedProcess[str]:
    """Type what step 2 says."""
    (line,) = blocks(guide(lab), "sh")[1].splitlines()
    program, *words = line.split(" ")
    return command({"python": sys.executable}.get(program, program), *words, cwd=folder)


@each_lab
def test_the_first_run_leaves_the_record_that_the_guide_shows(spec: Path, tmp_path: Path) -> None:
    lab = lab_of(spec)
    folder = built(lab, Edition(solution=True), tmp_path)
    done = run_first(lab, folder)
    assert (folder / "artifacts" / "exits.jsonl").read_text(encoding="ascii") == blocks(guide(lab), "text")[0] + "\n"
    assert f"it ends with exit code {done.returncode} and adds this line" in guide(lab)


@each_lab
def test_the_untouched_starter_ends_as_the_guide_says(spec: Path, tmp_path: Path) -> None:
    lab = lab_of(spec)
    done = run_first(lab, built(lab, Edition(), tmp_path))
    assert "At first it ends with exit code 70 and names the file to open." in guide(lab)
    assert done.returncode == 70
    assert re.search(r"is not written yet: open [\w-]+\.(py|mjs)", done.stderr)


@each_lab
def test_the_failing_test_of_the_guide_is_what_pytest_prints(spec: Path, tmp_path: Path) -> None:
    """A mistake of the lab, run as a process, fails the test with exactly these lines."""
    lab = lab_of(spec)
    text = guide(lab)
    shown, message = SHOWN.search(text), blocks(text, "text")[1]
    assert shown is not None
    says = message.split("looks like: ")[1].split("\n")[0]
    (mistake,) = (mistake for mistake in lab.mistakes if mistake.says == says)
    runner = json.dumps(lone_runner(mistake.machine, tmp_path / "mistake"))
    folder = built(lab, Edition(), tmp_path)
    done = command(sys.executable, "-m", "pytest", shown["test"], cwd=folder, LAB_RUNNER=runner)
    assert "\n".join(line for line in done.stdout.splitlines() if line.startswith("E   ")) == message


@each_lab
def test_the_tests_to_begin_with_are_there(spec: Path, tmp_path: Path) -> None:
    lab = lab_of(spec)
    file, stop = blocks(guide(lab), "sh")[2].removeprefix("python -m pytest ").split(" ")
    assert stop == "-x"
    assert (built(lab, Edition(), tmp_path) / file).is_file()


@pytest.mark.skipif(shutil.which("git") is None, reason="git says what it ignores: there is no git here")
@each_lab
def test_nothing_that_is_to_be_handed_in_is_left_out_by_git(spec: Path, tmp_path: Path) -> None:
    lab = lab_of(spec)
    folder = built(lab, Edition(), tmp_path)
    command("git", "init", "--quiet", cwd=folder)
    wanted = [item.target for item in lab.submission if item.kind != "command"]
    assert wanted
    ignored = command("git", "check-ignore", *wanted, cwd=folder)
    assert (ignored.returncode, ignored.stdout) == (1, "")
    assert command("git", "check-ignore", ".venv/x", "artifacts/x", cwd=folder).stdout == ".venv/x\nartifacts/x\n"


def test_a_folder_that_is_to_be_handed_in_is_not_left_out() -> None:
    item = first_lab().submission[0]
    tree = render(plan(lab_with(submission=(item._replace(kind="file", target="artifacts/exits.jsonl"),)), Edition()))
    assert "artifacts/" not in tree[".gitignore"].data.decode().splitlines()


def test_a_lab_without_mistakes_shows_none() -> None:
    text = guide(lab_with(mistakes=()))
    assert "mistake" not in text
    assert "| `decides` |" in text


def test_a_mistake_without_a_hint_promises_none() -> None:
    mistakes = tuple(mistake._replace(hint=None) for mistake in first_lab().mistakes)
    text = guide(lab_with(mistakes=mistakes))
    assert "looks like: " in text
    assert "hint" not in text


def test_a_loop_that_is_given_runs_at_once() -> None:
    text = guide(lab_with(starter=first_lab().starter._replace(loop="given")))
    assert "It has to end with exit code 0 and add this line" in text
    assert "At first it ends" not in text
