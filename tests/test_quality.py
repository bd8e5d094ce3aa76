"""What the repository promises about itself, whatever labspec does."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

from labspec.cli import COMMANDS
from labspec.cli.call import call

ROOT = Path(__file__).resolve().parent.parent
SPECS = sorted((ROOT / "specs").glob("*.yaml"))
MODULES = sorted((ROOT / "labspec").rglob("*.py"))
HEAVY = {"click", "cookiecutter", "jinja2", "pydantic", "pytest", "rich", "yaml"}
HOME_FOLDER = re.compile(r"(?:/home/|/Users/|/root/|[A-Za-z]:\\+Users\\+)\w+")


def name(path: Path) -> str:
    """The path as a person would write it."""
    return path.relative_to(ROOT).as_posix()


def child(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run this Python on `arguments`, in the repository's folder."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=120
    )


def normal(project: str) -> str:
    """The one spelling of a project's name."""
    return re.sub(r"[-_.]+", "-", project).lower()


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_module_says_what_it_is_for(module: Path) -> None:
    """The first lines of every module say what it is for."""
    assert ast.get_docstring(ast.parse(module.read_bytes()))


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_nothing_heavy(option: str) -> None:
    """Help and version come at once: no dependency is imported for them."""
    program = f"import sys; from labspec.cli import main; main([{option!r}]); print(*sys.modules, file=sys.stderr)"
    done = child("-c", program)
    assert done.returncode == 0
    assert "labspec" in done.stdout
    assert HEAVY & set(done.stderr.split()) == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`labspec COMMAND --help` works for every command that `labspec --help` lists."""
    assert call(command, ["--help"]) == 0
    assert f"Usage: labspec {command}" in capsys.readouterr().out


def test_generated_is_what_the_specs_say() -> None:
    """`generated/` is what building every spec writes today."""
    done = child("-m", "labspec", "build", *SPECS, "-o", "generated", "--check")
    assert done.returncode == 0, f"run `make regen` and read the diff\n{done.stdout}{done.stderr}"
    assert " kept" not in done.stdout, "nothing here is edited by hand: edit the spec or the template"


def test_every_generated_repository_has_a_spec() -> None:
    """Nothing stays in `generated/` when its spec is gone."""
    assert {path.name for path in (ROOT / "generated").iterdir()} == {path.stem for path in SPECS}


@pytest.mark.parametrize("folder", ["labspec", "templates", "specs", "generated", "docs", "benchmarks"])
def test_nothing_names_a_home_folder(folder: str) -> None:
    """What we write and what comes out says nothing about the machine it was made on."""
    texts = {
        path: path.read_bytes().decode("utf-8", "replace") for path in (ROOT / folder).rglob("*") if path.is_file()
    }
    found = {name(path) for path, text in texts.items() if path.suffix != ".pyc" and HOME_FOLDER.search(text)}
    assert found == set()


def test_constraints_pin_every_dependency() -> None:
    """constraints.txt has only lines `name==version`, and one for each dependency of pyproject.toml."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    releases = [line for line in lines if not line.startswith("#")]
    assert [line for line in releases if not re.fullmatch(r"[\w.-]+==[\w.]+", line, re.ASCII)] == []
    dependencies = {normal(re.split(r"[^\w.-]", line)[0]) for line in requires("labspec") or []}
    assert dependencies - {normal(line.partition("==")[0]) for line in releases} == set()


def test_benchmarks_run() -> None:
    """The benchmark script measures all its pairs."""
    done = child("benchmarks/run.py", "--runs", "1", "--warm-up", "0", "--json")
    assert done.returncode == 0, done.stderr
    pairs = json.loads(done.stdout)["pairs"]
    assert [pair["limit"] for pair in pairs] == [1.8, 2.0, 0.9, 2.5, 2.0, 2.0, 3.0]
    assert all(pair["ratio"] > 0 for pair in pairs)
