"""Programs that misbehave are run to a clear end, in bounded time, memory and disk."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from labspec.contract import (
    CHECKS,
    Bench,
    ContractFailure,
    Execute,
    Observation,
)
from labspec.contract.command import RunnerCommandError, runner_command
from labspec.contract.execute import child_process_execute

from . import sloppy_runner
from .cases import EXPECTED, OF_A_LEDGER, write_fixtures

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and named pipes are of POSIX")

RunScript = Callable[[str, float], Observation]
SHORT = 0.7  # seconds, for programs that hang

LEDGER = "import os, sys; ledger = sys.argv[sys.argv.index('--ledger') + 1]; "


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    return write_fixtures(tmp_path / "the fixtures")


@pytest.fixture
def run_script(tmp_path: Path, fixtures: Path) -> RunScript:
    """Runs a script as the program under test, for at most so many seconds."""
    runs = tmp_path / "some runs"
    runs.mkdir()

    def run(source: str, timeout: float) -> Observation:
        script = tmp_path / "a runner.py"
        script.write_text(LEDGER + source, encoding="utf-8")
        execute = child_process_execute([sys.executable, str(script)], fixtures, runs, timeout)
        return execute("ran_out", "run-1", None)

    return run


def patient(run_script: RunScript, source: str) -> Observation:
    """Run a script that is expected to end by itself, however slow the machine is."""
    return run_script(source, 20)


def sloppy(fixtures: Path, folder: Path, slip: str) -> Execute:
    command = [sys.executable, str(sloppy_runner.__file__), "--slip", slip]
    return child_process_execute(command, fixtures, folder, 20)


@pytest.mark.parametrize("kind", OF_A_LEDGER)
def test_a_correct_child_process_passes_every_check(kind: str, fixtures: Path, tmp_path: Path) -> None:
    CHECKS[kind](Bench(sloppy(fixtures, tmp_path, "")), "retry_then_final", EXPECTED["retry_then_final"])


@pytest.mark.parametrize(
    ("slip", "kind", "fixture_id"),
    [
        ("cap off by one", "exit", "five_failures"),
        ("file opened for overwriting", "append", "ran_out"),
        ("run id hard-coded", "fields", "ran_out"),
        ("exit code always 0", "exit_code", "ran_out"),
        ("line only on success", "one_line", "ran_out"),
    ],
)
def test_a_slip_is_seen_from_outside(slip: str, kind: str, fixture_id: str, fixtures: Path, tmp_path: Path) -> None:
    with pytest.raises(ContractFailure):
        CHECKS[kind](Bench(sloppy(fixtures, tmp_path, slip)), fixture_id, EXPECTED[fixture_id])


def test_a_program_that_hangs_is_stopped(run_script: RunScript) -> None:
    started = time.monotonic()
    seen = run_script("import time; print('busy', flush=True); time.sleep(60)", SHORT)
    assert seen.timed_out
    assert seen.exit_code is None
    assert seen.trouble == "did not end within 0.7 seconds and was stopped"
    assert time.monotonic() - started < 6


def test_a_child_that_holds_the_output_open_does_not_delay_the_end(run_script: RunScript) -> None:
    seen = patient(
        run_script,
        "import subprocess; "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); print(child.pid)",
    )
    assert (seen.exit_code, seen.timed_out, seen.trouble) == (0, False, None)
    if sys.platform != "win32":
        assert is_gone(int(seen.stdout))


@posix_only
def test_children_of_a_program_that_hangs_are_ended_with_it(run_script: RunScript) -> None:
    seen = run_script("import time; child = os.fork(); print(os.getpid(), flush=True); time.sleep(60)", SHORT)
    assert seen.timed_out
    assert all(is_gone(int(pid)) for pid in seen.stdout.split())


def is_gone(pid: int) -> bool:
    """True once no such process runs; an orphan may be a zombie until it is collected."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if is_zombie(pid):
            return True
        time.sleep(0.02)
    return False


def is_zombie(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text("utf-8").rpartition(")")[2].split()[0] == "Z"


def test_a_program_that_prints_without_end_is_stopped(run_script: RunScript) -> None:
    seen = patient(run_script, "print('start')\nwhile True: sys.stdout.write('x' * 2**20)")
    assert seen.trouble == "wrote more than 16 MiB and was stopped"
    assert not seen.timed_out
    assert seen.stdout.startswith("start\nxxx")
    assert " bytes left out ...\nxxx" in seen.stdout
    assert len(seen.stdout) < 70_000


def test_a_ledger_that_grows_without_end_stops_the_program(run_script: RunScript) -> None:
    seen = patient(run_script, "f = open(ledger, 'wb')\nwhile True: f.write(b'x' * 2**20)")
    assert seen.trouble == "wrote more than 16 MiB and was stopped"
    assert seen.ledger is not None
    assert len(seen.ledger) == 1024 * 1024 + 1


@posix_only
def test_a_program_that_ends_itself_by_a_signal_shows_it(run_script: RunScript) -> None:
    assert patient(run_script, "os.kill(os.getpid(), 9)").exit_code == -9


def test_a_crash_shows_its_exit_code_and_its_traceback(run_script: RunScript) -> None:
    seen = patient(run_script, "raise KeyError('städte')")
    assert (seen.exit_code, seen.ledger) == (1, None)
    assert seen.stderr.rstrip().endswith("KeyError: 'städte'")


def test_the_program_gets_no_input_and_an_empty_folder(run_script: RunScript) -> None:
    seen = patient(run_script, "print(repr(sys.stdin.read()), os.listdir(), os.getcwd() == os.path.dirname(ledger))")
    assert seen.stdout.strip() == "'' [] True"


def test_the_program_does_not_see_what_the_tests_keep_for_themselves(
    run_script: RunScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_REPORT", "report.json")
    seen = patient(run_script, "print([n for n in os.environ if n.startswith('LAB_') or n.startswith('PYTEST_CUR')])")
    assert seen.stdout.strip() == "[]"


@posix_only
def test_a_ledger_that_is_a_named_pipe_or_a_folder_is_not_opened(run_script: RunScript) -> None:
    assert patient(run_script, "os.mkfifo(ledger)").trouble == "left a ledger that cannot be read: it is not a file"


def test_a_program_that_cannot_be_started_is_a_failure_in_words(fixtures: Path, tmp_path: Path) -> None:
    execute = child_process_execute([str(tmp_path / "no such program")], fixtures, tmp_path, 5)
    with pytest.raises(ContractFailure, match="the run of `ran_out` could not be started: "):
        CHECKS["exit"](Bench(execute), "ran_out", EXPECTED["ran_out"])


def test_a_fixture_that_was_deleted_is_a_failure_in_words(fixtures: Path, tmp_path: Path) -> None:
    (fixtures / "ran_out.json").unlink()
    with pytest.raises(ContractFailure, match=r"the run of `ran_out` cannot start: there is no file ran_out\.json"):
        CHECKS["exit"](Bench(sloppy(fixtures, tmp_path, "")), "ran_out", EXPECTED["ran_out"])


def test_the_command_is_lab_py_unless_lab_runner_says_otherwise(tmp_path: Path) -> None:
    assert runner_command(tmp_path, {}) == [sys.executable, str(tmp_path / "lab.py")]
    assert runner_command(tmp_path, {"LAB_RUNNER": " "}) == [sys.executable, str(tmp_path / "lab.py")]


@pytest.mark.parametrize(
    ("value", "command"),
    [
        (json.dumps(["node", "a b", ""]), ["node", "a b", ""]),
        ("node --flag 'a b'", ["node", "--flag", "a b"]),
        ("python -c pass # not a comment", ["python", "-c", "pass", "#", "not", "a", "comment"]),
    ],
)
def test_lab_runner_is_a_json_list_or_a_line_as_for_a_shell(value: str, command: list[str], tmp_path: Path) -> None:
    assert runner_command(tmp_path, {"LAB_RUNNER": value}) == command


def test_files_of_the_repository_in_lab_runner_become_absolute(tmp_path: Path) -> None:
    for name in ("mine.py", "python"):
        (tmp_path / name).touch()
    assert runner_command(tmp_path, {"LAB_RUNNER": "python mine.py"}) == ["python", str(tmp_path / "mine.py")]
    assert runner_command(tmp_path, {"LAB_RUNNER": "./python other.py"}) == [str(tmp_path / "python"), "other.py"]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ('["python", 3]', 'LAB_RUNNER is no JSON list of texts: ["python", 3]'),
        ('["python"', 'LAB_RUNNER is no JSON list of texts: ["python"'),
        ("[" * 100_000, "LAB_RUNNER is no JSON list of texts: [[["),
        ("[]", "LAB_RUNNER names no program"),
        ('[""]', "LAB_RUNNER names no program"),
        ("python 'lab.py", "LAB_RUNNER cannot be split into words (No closing quotation): python 'lab.py"),
    ],
)
def test_a_lab_runner_that_is_neither_is_told_in_one_sentence(value: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(RunnerCommandError) as caught:
        runner_command(tmp_path, {"LAB_RUNNER": value})
    assert str(caught.value).startswith(sentence)
    assert len(str(caught.value)) < 300
