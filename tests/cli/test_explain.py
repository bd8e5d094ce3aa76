"""`labspec explain`: the pages of codes, and the list of all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from labspec.codes import known_codes

from .users import INVALID, labspec, program


def test_a_page_says_what_a_code_means(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "explain", "budget-never-binds")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("A budget can never run out\nbudget-never-binds (Budgets and meters)\n\nWhat it means\n")
    assert "error[budget-never-binds]" in done.out


def test_every_finding_of_a_check_can_be_explained_as_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    found = labspec(capsys, "check", INVALID / "several-at-once.yaml").out
    heads = [word for word in found.split() if word.startswith("error[")]
    assert len(heads) > 1
    assert labspec(capsys, "explain", *heads).code == 0


def test_several_pages_come_in_the_order_asked_for_and_each_once(capsys: pytest.CaptureFixture[str]) -> None:
    out = labspec(capsys, "explain", "tag", "alias", "tag").out
    assert out.count("What it means") == 2
    assert out.index("\ntag (") < out.index("\nalias (")


def test_an_unknown_code_is_wrong_usage_and_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "explain", "tag", "budgetneverbinds", "nothing-like-it")
    assert (done.code, done.out) == (2, "")
    assert "No finding has the code `budgetneverbinds`. Did you mean `budget-never-binds`?" in done.err
    assert "No finding has the code `nothing-like-it`. `labspec explain` lists all codes." in done.err


def test_a_code_is_no_path(capsys: pytest.CaptureFixture[str]) -> None:
    """Only pages can be read: neither the list beside them, nor a file somewhere else."""
    for word in ("README", "../README", "../../README", ""):
        assert labspec(capsys, "explain", word).code == 2


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "explain")
    assert (done.code, done.err) == (0, "")
    assert all(f"  {code} " in done.out for code in known_codes())


def test_what_is_no_terminal_gets_plain_text() -> None:
    done = program("explain", "row-never-fires", environment={"TERM": "xterm", "NO_COLOR": None})
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout


def test_explaining_loads_neither_the_compiler_nor_anything_heavy() -> None:
    script = "import sys; from labspec.cli import main; main(['explain', 'tag']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True, timeout=60)
    loaded = {module.split(".")[0] for module in done.stderr.split()}
    assert loaded.isdisjoint({"cookiecutter", "jinja2", "pydantic", "pytest", "rich", "yaml"})
    assert "labspec.spec" not in done.stderr.split()
