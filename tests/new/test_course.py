"""The files of a course: the same from `labspec new` and from plain cookiecutter, whatever the course is called."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from labspec import __version__
from labspec.new import NameRefused, name_course, render_course
from tests.installed import ROOT, succeed
from tests.new.plain import plain_cookiecutter
from tests.schema.cases import values_of

if TYPE_CHECKING:
    from labspec.emit import Tree

TEMPLATE = ROOT / "templates" / "course"
SCHEMA = "labspec.schema.json"
"""What only labspec itself can write."""

PLAIN = name_course("agent-loops")


@pytest.fixture(scope="module")
def course() -> Tree:
    """The course `agent-loops`."""
    return render_course(PLAIN)


def test_plain_cookiecutter_makes_the_same_course(course: Tree, tmp_path: Path) -> None:
    made = plain_cookiecutter(tmp_path, "Agent loops")
    assert made.name == PLAIN.folder
    assert files(made) == {path: file.data for path, file in course.items() if path != SCHEMA}


@pytest.mark.parametrize(
    ("title", "folder"),
    [("../../Loops & budgets", "loops-budgets"), ("-x", "x"), ("🚀", "course"), ("a" * 300, "a" * 64)],
)
def test_plain_cookiecutter_stays_in_its_folder(title: str, folder: str, tmp_path: Path) -> None:
    made = plain_cookiecutter(tmp_path, title)
    assert (made.name, (made / "README.md").read_text(encoding="utf-8").splitlines()[0]) == (folder, f"# {title}")


@settings(max_examples=25, deadline=None)  # two courses are rendered for each
@given(st.text(max_size=40), st.text(max_size=120) | st.sampled_from(["{{ 1/0 }}", "{% for %}", "${{ x }}", "\r\n# b"]))
def test_a_title_changes_nothing_but_the_heading(name: str, title: str) -> None:
    try:
        named = name_course(name, title)
    except NameRefused:
        return
    plain, course = render_course(PLAIN), render_course(named)
    assert {path for path in plain if course[path] != plain[path]} <= {"README.md"}
    heading, *rest = course["README.md"].data.decode().split("\n")
    assert heading.startswith("# ")
    assert rest == plain["README.md"].data.decode().split("\n")[1:]


def test_a_course_is_text_that_every_system_reads_alike(course: Tree) -> None:
    """In ASCII, because cookiecutter takes a file with many other characters for an image, and copies it."""
    for path, file in course.items():
        assert file.data.isascii(), path
        assert b"\r" not in file.data, path
        assert b"{{" not in file.data, path
        assert file.data.endswith(b"\n"), path
        assert file.mode == 0o644, path


def test_a_course_asks_for_the_labspec_that_made_it(course: Tree) -> None:
    assert json.loads((TEMPLATE / "cookiecutter.json").read_text(encoding="utf-8"))["_labspec"] == __version__
    requirements = course["requirements.txt"].data.decode().splitlines()
    assert [line for line in requirements if not line.startswith("#")] == [f"labspec=={__version__}"]


def test_ci_and_hooks_run_the_one_script(course: Tree) -> None:
    workflow = yaml.safe_load(course[".github/workflows/course.yml"].data)
    on_github = [step["run"] for step in workflow["jobs"]["course"]["steps"] if "run" in step]
    on_gitlab = yaml.safe_load(course[".gitlab-ci.yml"].data)["course"]["script"]
    assert on_github == on_gitlab == ["python -m pip install -r requirements.txt", "python ci.py"]
    (hooks,) = yaml.safe_load(course[".pre-commit-config.yaml"].data)["repos"]
    assert [hook["entry"] for hook in hooks["hooks"]] == ["python ci.py check", "python ci.py current"]
    assert "ci.py" in course


def test_the_editor_is_told_which_files_are_specs_and_what_they_may_say(course: Tree) -> None:
    settings = json.loads(course[".vscode/settings.json"].data)
    assert settings["yaml.schemas"] == {f"./{SCHEMA}": ["specs/*.yaml", "specs/*.yml"]}
    assert json.loads(course[".vscode/extensions.json"].data)["recommendations"]
    for spec in (TEMPLATE / "{{cookiecutter.__folder}}" / "specs").iterdir():
        assert course[f"specs/{spec.name}"].data.startswith(f"# yaml-language-server: $schema=../{SCHEMA}\n".encode())
        for values in values_of(spec):
            Draft202012Validator(json.loads(course[SCHEMA].data)).validate(values)


def test_the_readme_names_only_files_that_are_there(course: Tree) -> None:
    """Those of the course; a folder ends with `/`."""
    readme = course["README.md"].data.decode()
    named = set(re.findall(r"`([\w./-]+\.(?:yaml|yml|py|txt|json))`", readme))
    assert {"specs/first-lab.yaml", "ci.py", "requirements.txt"} <= named
    assert named <= course.keys()


def test_the_script_of_a_course_is_tidy(course: Tree, tmp_path: Path) -> None:
    script = tmp_path / "ci.py"
    script.write_bytes(course["ci.py"].data)
    ruff = [sys.executable, "-m", "ruff"]
    succeed([*ruff, "check", "--isolated", "--select", "E,F,I,B,UP,SIM", script], tmp_path)
    succeed([*ruff, "format", "--isolated", "--check", script], tmp_path)


def test_rendering_leaves_nothing_in_the_folder_for_temporary_files(tmp_path: Path) -> None:
    code = "from labspec.new import *; render_course(CourseName('Loops', 'loops'))"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
    assert list(tmp_path.iterdir()) == []


def files(folder: Path) -> dict[str, bytes]:
    """The content of every file below a folder, by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
