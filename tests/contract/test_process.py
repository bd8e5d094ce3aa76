"""Programs that misbehave are run to a clear end, in bounded time, memory and disk."""

from __future__ import annotations

import json
import os
import subprocess
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
from labspec.contract.execute import child_process_execute, child_process_report

from . import sloppy_runner, traced_runner
from .cases import EXPECTED, OF_A_LEDGER, write_fixtures
from .traced_cases import BASE, setting_of, write_repository
from .traced_cases import EXPECTED as EXPECTED_IN_WORKSPACE

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


# What a hostile program leaves: children that have left its group, files without end, and worse.

DAEMON = (
    "import subprocess, time\n"
    "code = 'import os, time; print(os.getpid(), flush=True); time.sleep(60)'\n"
    "child = subprocess.Popen([sys.executable, '-c', code], start_new_session=True, env={env})\n"
    "time.sleep(0.3)\n"
)
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is known not to be found")


@linux_only
@pytest.mark.parametrize("env", ["None", "{}"])
@pytest.mark.parametrize("ending", ["", "time.sleep(60)", "os.kill(os.getpid(), 9)", "os._exit(0)"])
def test_a_child_in_a_session_of_its_own_is_ended_too(ending: str, env: str, run_script: RunScript) -> None:
    seen = run_script(DAEMON.replace("{env}", env) + ending, 2 if "sleep" in ending else 20)
    assert seen.stdout.strip().isdigit()
    assert is_gone(int(seen.stdout))


@linux_only
def test_a_chain_of_daemons_is_ended_to_the_last(run_script: RunScript) -> None:
    seen = patient(
        run_script,
        "import time\n"
        "for _ in range(5):\n"
        "    if os.fork():\n"
        "        time.sleep(0.3)\n"
        "        time.sleep(60) if _ in (2, 4) else os._exit(0)\n"
        "    os.setsid()\n"
        "    print(os.getpid(), flush=True)\n"
        "time.sleep(60)\n",
    )
    pids = [int(pid) for pid in seen.stdout.split()]
    assert len(pids) == 5
    assert all(is_gone(pid) for pid in pids)


@linux_only
def test_children_of_the_tests_themselves_are_left_alone(run_script: RunScript) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as ours:
        patient(run_script, "pass")
        assert ours.poll() is None
        ours.communicate(b"\n")


def test_a_program_that_prints_100_megabytes_costs_neither_memory_nor_time(run_script: RunScript) -> None:
    started = time.monotonic()
    seen = patient(run_script, "block = 'x' * 2**20\nfor _ in range(100): print(block)")
    assert len(seen.stdout) < 70_000
    assert seen.trouble in (None, "wrote more than 16 MiB and was stopped")
    assert time.monotonic() - started < 15


@pytest.fixture
def run_in_workspace(tmp_path: Path) -> RunScript:
    """Runs a script as the runner of a lab with a workspace and a trace."""
    root = write_repository(tmp_path / "a lab")
    runs = tmp_path / "some runs"
    runs.mkdir()

    def run(source: str, timeout: float) -> Observation:
        script = tmp_path / "a runner.py"
        options = "('--ledger', '--trace', '--workspace')"
        names = f"ledger, trace, workspace = (sys.argv[sys.argv.index(option) + 1] for option in {options})"
        script.write_text(f"import os, sys, time\n{names}\n{source}", encoding="utf-8")
        command = [sys.executable, str(script)]
        execute = child_process_execute(command, root / "fixtures", runs, timeout, setting_of(root))
        seen = execute("happy", "run-1", None)
        assert [path.name for path in runs.iterdir() if path.name.startswith("sandbox")] == []
        return seen

    return run


def test_a_run_starts_in_a_fresh_workspace_with_a_canary_beside_it(run_in_workspace: RunScript) -> None:
    seen = patient(
        run_in_workspace,
        "print(os.path.samefile(os.getcwd(), workspace), sorted(os.listdir('..')), sorted(os.listdir()))\n"
        "open(trace, 'w').write('[]')\n"
        "open('fixtures/b.js', 'w').write('x')\n"
        "open('../.env', 'a').write('x')\n",
    )
    assert seen.stdout.strip() == "True ['.env', 'workspace'] ['check.mjs', 'fixtures', 'fixtures-evil']"
    assert (seen.trace, seen.trouble, seen.outside) == (b"[]", None, (".env (changed)",))
    assert seen.files == {**BASE, "fixtures/b.js": "x"}


def test_a_trace_without_end_stops_the_program(run_in_workspace: RunScript) -> None:
    seen = patient(run_in_workspace, "f = open(trace, 'wb')\nwhile True: f.write(b'x' * 2**20)")
    assert seen.trouble == "wrote more than 16 MiB and was stopped"
    assert seen.trace is not None
    assert len(seen.trace) == 1024 * 1024 + 1


@pytest.mark.parametrize(
    "source",
    [
        "f = open('fixtures/x', 'wb')\nwhile True: f.write(b'x' * 2**20)",
        "n = 0\nwhile True: n += 1; open(f'fixtures/{n}', 'w').close()",
        "while True: os.mkdir('d'); os.chdir('d')",
    ],
)
def test_a_workspace_that_grows_without_end_stops_the_program(source: str, run_in_workspace: RunScript) -> None:
    seen = patient(run_in_workspace, source)
    assert seen.trouble is not None
    assert not seen.timed_out


@posix_only
@pytest.mark.parametrize(
    ("source", "trouble"),
    [
        ("os.mkfifo(trace)", "left a trace that cannot be read: it is not a file"),
        ("os.mkdir(trace)", "left a trace that cannot be read: it is not a file"),
        ("for n in range(4100): open(f'fixtures/{n}', 'w').close()", "has more than 4,096 files"),
        ("f = open('fixtures/x', 'wb'); f.truncate(2**40)", "has more than 16 MiB in its files"),
        ("os.mkfifo('fixtures/pipe')", None),
        ("os.kill(os.getpid(), 9)", None),
    ],
)
def test_whatever_is_left_is_told_in_words(source: str, trouble: str | None, run_in_workspace: RunScript) -> None:
    seen = patient(run_in_workspace, source)
    stopped = "wrote more than 16 MiB and was stopped"  # if it was seen before the program ended
    assert seen.trouble in (trouble, f"left a sandbox that {trouble}", stopped if trouble else None)


def test_where_many_fixtures_hang_the_others_get_less_time(fixtures: Path, tmp_path: Path) -> None:
    """So the tests of a program that always hangs still come to an end, and the rubric is printed."""
    script = tmp_path / "runner.py"
    script.write_text("import time; time.sleep(60)", encoding="utf-8")
    execute = child_process_execute([sys.executable, str(script)], fixtures, tmp_path, 30, hung={"a", "b", "c"})
    started = time.monotonic()
    assert execute("ran_out", "run-1", None).timed_out
    assert time.monotonic() - started < 20


def test_a_fixture_that_hung_is_not_started_again(fixtures: Path, tmp_path: Path) -> None:
    script = tmp_path / "runner.py"
    script.write_text("import time; print(open('starts', 'a').write('x')); time.sleep(60)", encoding="utf-8")
    hung: set[str] = set()
    for _ in range(2):  # as two tests would
        execute = child_process_execute([sys.executable, str(script)], fixtures, tmp_path, SHORT, hung=hung)
        seen = execute("ran_out", "run-1", None)
        assert seen.timed_out
    assert seen.trouble == "did not end in time before, was stopped, and is not started again"
    assert (tmp_path / "starts").read_text("utf-8") == "x"


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("[", "cannot start: happy.json is not JSON (column 2: Expecting value)"),
        ("[]", "cannot start: happy.json is damaged"),
        ('{"workspace": 1}', "cannot start: happy.json is damaged"),
        ('{"workspace": {"files": 1}}', "cannot start: the fixture changes the workspace in a wrong way"),
    ],
)
def test_a_damaged_fixture_is_a_failure_in_words(text: str, trouble: str, tmp_path: Path) -> None:
    root = write_repository(tmp_path / "a lab")
    (root / "fixtures/happy.json").write_text(text, encoding="utf-8")
    execute = child_process_execute(["true"], root / "fixtures", tmp_path, 20, setting_of(root))
    assert execute("happy", "run-1", None).trouble == trouble


def test_a_child_process_passes_every_check_of_a_lab_with_a_workspace(tmp_path: Path) -> None:
    root = write_repository(tmp_path / "a lab")
    command = [sys.executable, str(traced_runner.__file__)]
    execute = child_process_execute(command, root / "fixtures", tmp_path, 20, setting_of(root))
    bench = Bench(execute, child_process_report(command, tmp_path, 20))
    for kind, check in CHECKS.items():
        check(bench, "happy", EXPECTED_IN_WORKSPACE["happy"])
        if kind in ("workspace", "inside"):
            check(bench, "link", EXPECTED_IN_WORKSPACE["link"])
    assert bench.events == set()


def test_the_runner_of_the_repository_is_python_or_node(tmp_path: Path) -> None:
    (tmp_path / "lab.mjs").touch()
    assert runner_command(tmp_path, {}) == ["node", str(tmp_path / "lab.mjs")]
    (tmp_path / "lab.py").touch()
    assert runner_command(tmp_path, {}) == [sys.executable, str(tmp_path / "lab.py")]


def test_a_run_that_stands_in_the_way_of_the_next_is_a_failure_in_words(fixtures: Path, tmp_path: Path) -> None:
    script = tmp_path / "runner.py"
    script.write_text("import os; os.mkdir('ledger-2.jsonl'); os.mkdir('reported-1.json')", encoding="utf-8")
    command = [sys.executable, str(script)]
    execute = child_process_execute(command, fixtures, tmp_path, 20)
    execute("ran_out", "run-1", None)
    blocked = execute("ran_out", "run-2", b"{}\n").trouble
    assert blocked is not None
    assert blocked.startswith("cannot start: ledger-2.jsonl cannot be written: ")
    reported = child_process_report(command, tmp_path, 20)(b"[]").trouble
    assert reported is not None
    assert reported.startswith("cannot start: reported-1.json cannot be written: ")
