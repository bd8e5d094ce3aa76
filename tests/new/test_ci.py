"""A new course passes its own CI script, and the script notices what it is there for. So do the hooks for commits."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.installed import ROOT
from tests.new.plain import plain_cookiecutter

HOOKS = ROOT / ".pre-commit-hooks.yaml"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that cookiecutter alone has made, whose labs are built."""
    course = plain_cookiecutter(tmp_path_factory.mktemp("plain"), "Agent loops")
    assert call(["labspec", "build"], course).code == 0
    return course


@pytest.fixture
def course(built: Path, tmp_path: Path) -> Path:
    """A copy of the built course, in a folder with a space in its name."""
    return Path(shutil.copytree(built, tmp_path / "the course"))


class Called(NamedTuple):
    """What a call came to: its exit code, and all that it printed."""

    code: int
    printed: str


def test_a_course_that_cookiecutter_made_passes_its_own_ci(tmp_path: Path) -> None:
    done = call(["python", "ci.py"], plain_cookiecutter(tmp_path, "Agent loops"))
    assert done.code == 0, done.printed
    assert "specs/first-lab.yaml: sound" in done.printed
    assert "nothing is built yet" in done.printed
    assert "first-lab: proved" in done.printed
    assert "second-lab: proved" in done.printed
    assert done.printed.endswith("all is well\n")


def test_the_script_notices_a_spec_with_a_finding(course: Path) -> None:
    change(course / "specs" / "first-lab.yaml", "points: 20", "points: 21")
    done = call(["python", "ci.py"], course)
    assert done.code == 1
    assert done.printed.count("error[") == 1
    assert "specs/first-lab.yaml:10:9: error[points-do-not-add-up]" in done.printed
    assert done.printed.endswith("\nFAILED: check\n")


def test_on_github_findings_are_annotations(course: Path) -> None:
    change(course / "specs" / "first-lab.yaml", "points: 20", "points: 21")
    done = call(["python", "ci.py", "check"], course, GITHUB_ACTIONS="true")
    assert done.code == 1
    assert "::error file=specs/first-lab.yaml,line=10," in done.printed


def test_the_script_notices_what_was_not_built_again(course: Path) -> None:
    assert call(["python", "ci.py", "check", "current"], course).code == 0
    change(course / "specs" / "first-lab.yaml", "turns: 3", "turns: 5")
    done = call(["python", "ci.py", "check", "current"], course)
    assert done.code == 1
    assert done.printed.endswith("FAILED: current\n")


def test_the_script_does_not_know_other_steps(course: Path) -> None:
    done = call(["python", "ci.py", "check", "deploy"], course)
    assert done.code == 2
    assert done.printed.startswith("no such step: deploy\n")


def test_without_labspec_the_script_says_what_to_install(course: Path) -> None:
    """For a Python that sees only its own library."""
    done = call([sys.executable, "-I", "-S", "ci.py"], course)
    assert done == Called(2, "labspec is missing here: python -m pip install -r requirements.txt\n")


@pytest.mark.parametrize("whose", ["of a course", "of labspec"])
def test_hooks_notice_what_they_are_called_after(whose: str, course: Path) -> None:
    """Those that a course has, and those that labspec offers to any repository with specs."""
    hooks = yaml.safe_load((course / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
    if whose == "of labspec":
        hooks = yaml.safe_load(HOOKS.read_text("utf-8"))
    assert failing(hooks, course) == []
    edited = course / "generated" / "second-lab" / "README.md"
    edited.write_text("by hand\n", encoding="utf-8")
    assert failing(hooks, course) == ["labspec-current"]
    change(course / "specs" / "second-lab.yaml", "points: 30", "points: 31")
    assert failing(hooks, course) == ["labspec-check", "labspec-current"]
    by_id = {hook["id"]: hook["files"] for hook in hooks}
    for path, asked in (
        ("specs/a.yaml", True),
        ("specs/a.yml", True),
        ("README.md", False),
        ("my-specs/a.yaml", False),
    ):
        assert [bool(re.search(pattern, path)) for pattern in by_id.values()] == [asked, asked]
    assert re.search(by_id["labspec-current"], "generated/first-lab/README.md")
    assert {hook["pass_filenames"] for hook in hooks} == {False}


def failing(hooks: list[dict[str, str]], course: Path) -> list[str]:
    """The ids of the hooks that keep a commit of the whole course from being made."""
    return [hook["id"] for hook in hooks if call(shlex.split(hook["entry"]), course).code != 0]


def call(command: list[str], folder: Path, **variables: str) -> Called:
    """Run a command in `folder` as somebody does who has this labspec installed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [shutil.which(command[0], path=path) or command[0], *command[1:]],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": "", "GITHUB_ACTIONS": "", **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return Called(done.returncode, done.stdout)


def change(path: Path, old: str, new: str) -> None:
    """Replace a text that stands in a file once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")
