"""The reference runner as a lone script beside a machine.json, without anything of ours or of anybody else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labspec.machine import runner
from labspec.machine.runner import EXIT_CRASH, EXIT_USAGE, Machine, main, run
from labspec.pipeline import load

from .machines import CAP, ENDED, data, meter

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Lab

SPEC = Path(__file__).resolve().parents[2] / "specs" / "loop-exit-ledger.yaml"


def loaded() -> Lab:
    lab = load(SPEC).lab
    assert lab is not None
    return lab


LAB = loaded()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the script and its machine."""
    folder = tmp_path_factory.mktemp("alone") / "a folder"
    folder.mkdir()
    shutil.copyfile(runner.__file__, folder / "runner.py")
    (folder / "machine.json").write_text(json.dumps(LAB.machine), encoding="ascii")
    return folder


def alone(place: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", place / "runner.py", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize("fixture", LAB.fixtures, ids=lambda fixture: fixture.id)
def test_the_script_leaves_the_bytes_of_the_run_in_process(fixture: Fixture, place: Path, tmp_path: Path) -> None:
    file = tmp_path / "fixture.json"
    file.write_text(json.dumps(fixture.data), encoding="utf-8")
    ledgers, traces = ([tmp_path / who / name for who in ("it", "we")] for name in ("ledger.jsonl", "trace.json"))
    done = alone(place, "run", file, "--ledger", ledgers[0], "--run-id", "run-1", "--trace", traces[0])
    ended = run(Machine(LAB.machine), fixture.data, "run-1", ledgers[1], traces[1])
    assert (done.returncode, done.stdout, done.stderr) == (ended.exit_code, "", "")
    assert ended == fixture.ending
    assert ledgers[0].read_bytes() == ledgers[1].read_bytes()
    assert traces[0].read_bytes() == traces[1].read_bytes()


GOOD: dict[str, Any] = {"id": "f", "planned_calls": []}
ROWS = data(CAP, ENDED)["rows"]


def told(capfd: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and what was printed on stderr, in process."""
    code = main([*arguments, "--ledger", str(folder / "ledger.jsonl"), "--run-id", "r"])
    out, err = capfd.readouterr()
    assert out == ""
    assert "Traceback" not in err
    assert not (folder / "ledger.jsonl").exists()
    return code, err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Expecting value"),
        ("{", "Expecting"),
        ("[" * 100_000, "RecursionError"),
        ("7", "a fixture is a mapping"),
        ("{}", "a fixture has a text `id`"),
        (json.dumps({**GOOD, "budgets": {"none": 1}}), "a budget 'none'"),
        ("\ufeff{}", "BOM"),
    ],
)
def test_a_broken_fixture_is_a_sentence_and_70(
    text: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "machine.json").write_text(json.dumps(data(CAP, ENDED)), encoding="utf-8")
    (tmp_path / "fixture.json").write_text(text, encoding="utf-8")
    code, err = told(
        capfd, tmp_path, "run", str(tmp_path / "fixture.json"), "--machine", str(tmp_path / "machine.json")
    )
    assert code == EXIT_CRASH
    assert err.startswith("error: ")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("machine", "says"),
    [
        (None, "machine.json"),
        ({}, "not a machine"),
        ([], "not a machine"),
        (data(CAP), "no row ends the loop"),
        (data('done at turn: turns == 9 or call.name == "a"'), "makes no sense: KeyError"),
        (data(CAP, ENDED, reasons={}), "makes no sense: KeyError"),
        (data(CAP, ENDED, meters={"own": meter("turn", '"x"')}), "makes no sense: TypeError"),
    ],
)
def test_a_broken_machine_is_a_sentence_and_70(
    machine: Any, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fixture.json").write_text(json.dumps(GOOD), encoding="utf-8")
    if machine is not None:
        (tmp_path / "machine.json").write_text(json.dumps(machine), encoding="utf-8")
    code, err = told(
        capfd, tmp_path, "run", str(tmp_path / "fixture.json"), "--machine", str(tmp_path / "machine.json")
    )
    assert code == EXIT_CRASH
    assert says in err


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "walk",
        "run",
        "run f",
        "run f --ledger l",
        "run f --ledger l --run-id r x",
        "run f --ledger l --run-id r --no",
    ],
)
def test_wrong_usage_is_64(arguments: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments.split()) == EXIT_USAGE
    assert "usage:" in capfd.readouterr().err


def test_help_is_no_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--help"]) == 0
    assert "--ledger" in capfd.readouterr().out


def test_the_script_ends_with_the_codes_of_its_main(place: Path, tmp_path: Path) -> None:
    """As a process too: 64 for wrong usage, 70 for what can't be read or written, and no traceback."""
    fixture = tmp_path / "fixture.json"
    fixture.write_text(json.dumps(GOOD), encoding="utf-8")
    blocked = tmp_path / "a file" / "ledger.jsonl"
    blocked.parent.write_text("", encoding="utf-8")
    cases: list[tuple[list[str | Path], int]] = [
        (["run"], EXIT_USAGE),
        (["run", tmp_path / "none.json", "--ledger", tmp_path / "l", "--run-id", "r"], EXIT_CRASH),
        (["run", fixture, "--ledger", blocked, "--run-id", "r"], EXIT_CRASH),
        (["run", fixture, "--ledger", tmp_path, "--run-id", "r"], EXIT_CRASH),
    ]
    for arguments, code in cases:
        done = alone(place, *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        assert "Traceback" not in done.stderr
