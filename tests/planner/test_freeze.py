"""`planner.py freeze` and `planner.mjs freeze`, in a small repository whose loop is written already."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from . import fake_server as fake
from .fake_server import FakeServer, script, serving
from .planners import COMMANDS, HERE, KEY, NODE_PLANNER, PYTHON_PLANNER, environment, needed, start

READ: Final = {"type": "tool", "name": "read_file", "args": {"file": "fixtures/app.txt"}}
WRITE: Final = {"type": "tool", "name": "write_file", "args": {"file": "fixtures/app.txt", "contents": "é 🎉\n"}}
LOST: Final = {"type": "tool", "name": "read_file", "args": {}}
STOP: Final = {"type": "stop", "reason": "out_of_ideas"}
PLANNERS: Final = {"python": PYTHON_PLANNER, "node": NODE_PLANNER}


class Repository:
    """A copy of the stand-in with the planner in it, in a folder whose name has a space."""

    def __init__(self, language: str, folder: Path) -> None:
        self.root = folder / "a lab"
        shutil.copytree(HERE / "standin" / language, self.root, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(PLANNERS[language], self.root)
        self.planner = self.root / PLANNERS[language].name
        self.program = COMMANDS[language][0]

    def freeze(self, server: FakeServer, *options: str, **changes: str) -> subprocess.CompletedProcess[str]:
        """Freeze a run as my_run_v1."""
        command = [self.program, str(self.planner), "freeze", "--goal", "Be green", "--id", "my_run_v1", *options]
        return start(command, environment(server.url, **changes))

    @property
    def path(self) -> Path:
        """Where the fixture belongs."""
        return self.root / "fixtures" / "my_run_v1.json"

    @property
    def fixture(self) -> Any:
        """What was frozen."""
        return json.loads(self.path.read_text(encoding="utf-8"))


@pytest.fixture(params=[needed("python"), needed("node")])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    return Repository(request.param, tmp_path)


def ledger_line(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout.splitlines()[0])


def test_a_run_is_frozen_and_replays(repository: Repository) -> None:
    """The fixture holds the steps; the ledger line is printed; the replay is the same."""
    with serving(*script([READ, WRITE, LOST])) as server:
        done = repository.freeze(server)
    assert (done.returncode, done.stderr) == (0, "")
    steps = [READ, WRITE, LOST, STOP]
    assert list(repository.fixture.items()) == [("id", "my_run_v1"), ("goal", "Be green"), ("planned_calls", steps)]
    assert ledger_line(done)["reason"] == "out_of_ideas"
    assert ledger_line(done)["fixture_id"] == "my_run_v1"
    assert done.stdout.splitlines()[1].endswith("my_run_v1.json (4 steps)")
    assert done.stdout.splitlines()[2] == "replay: the same ledger line and the same trace"
    told = [json.loads(one["content"]) for one in server.asked[-1].body["messages"] if one["content"][0] == "{"]
    assert [event["result"] for event in told if event["type"] == "tool_result"] == ["hello\n", "é 🎉\n"]


def test_the_workspace_of_the_repository_stays_as_it_is(repository: Repository) -> None:
    """Live runs and replays work in copies."""
    with serving(*script([WRITE])) as server:
        assert repository.freeze(server).returncode == 0
    assert (repository.root / "workspace" / "fixtures" / "app.txt").read_text(encoding="utf-8") == "hello\n"


def test_a_run_that_a_budget_ends_replays_to_the_same_end(repository: Repository) -> None:
    """The plan has one step more than were taken: it must not run out where the budget ended the run."""
    with serving(fake.says(READ)) as server:
        done = repository.freeze(server, "--budgets", "turns=3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert repository.fixture["planned_calls"] == [READ] * 3 + [{"type": "stop", "reason": "never_reached"}]
    assert repository.fixture["budgets"] == {"turns": 3}
    assert ledger_line(done)["reason"] == "budget:turns"
    assert len(server.asked) == 3


def test_a_malformed_answer_is_frozen_too(repository: Repository) -> None:
    """What the model got wrong is part of the run."""
    with serving(fake.says("I would rather not.")) as server:
        done = repository.freeze(server)
    assert done.returncode == 0, done.stderr
    assert repository.fixture["planned_calls"][0] == {"type": "other"}
    assert ledger_line(done)["reason"] == "malformed"


def test_a_run_that_depends_on_more_than_its_steps_is_found_out(repository: Repository) -> None:
    """A trace with a process id in it is not the same twice, and freeze says where."""
    with serving(*script([READ])) as server:
        done = repository.freeze(server, STAND_IN="clock")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "replay: it differs: the traces are not the same from event 1 on"


def test_a_failed_planner_leaves_no_fixture(repository: Repository) -> None:
    """Half a run is not worth a fixture."""
    with serving(fake.says(READ), fake.status(500)) as server:
        done = repository.freeze(server)
    assert done.returncode == 1
    assert "it answers with status 500" in done.stderr
    assert "nothing was frozen" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert not repository.path.exists()


@pytest.mark.parametrize(
    "options",
    [
        ("--budgets", "turn=3"),
        ("--budgets", "turns=-1"),
        ("--budgets", "turns=many"),
        ("--budgets", "turns"),
        ("--id", "../evil"),
        ("--id", "Loud"),
        ("--goal", "two\nlines"),
        ("--goal", " "),
        ("--goal", "x" * 301),
        ("--nonsense", "x"),
    ],
    ids=" ".join,
)
def test_senseless_options_are_usage_errors(repository: Repository, options: tuple[str, str]) -> None:
    """Exit code 64, a sentence, no question to the endpoint, and nothing written."""
    with serving(fake.says(STOP)) as server:
        done = repository.freeze(server, *options)
    assert done.returncode == 64, done.stderr
    assert f"{repository.planner.name}: " in done.stderr
    assert "Traceback" not in done.stderr
    assert server.asked == []
    assert not (repository.root / "fixtures").exists()


def test_a_fixture_is_never_overwritten(repository: Repository) -> None:
    """An existing file is a usage error, found before anything is asked."""
    repository.path.parent.mkdir()
    repository.path.write_text("mine", encoding="utf-8")
    with serving(fake.says(STOP)) as server:
        done = repository.freeze(server)
    assert done.returncode == 64
    assert "is there already" in done.stderr
    assert (repository.path.read_text(encoding="utf-8"), server.asked) == ("mine", [])


def test_the_fixture_goes_where_it_is_wanted(repository: Repository, tmp_path: Path) -> None:
    """`--out` names the file, and missing folders are made."""
    wanted = tmp_path / "else where" / "run.json"
    with serving(fake.says(STOP)) as server:
        done = repository.freeze(server, "--out", str(wanted))
    assert done.returncode == 0, done.stderr
    assert json.loads(wanted.read_text(encoding="utf-8"))["planned_calls"] == [STOP]


@pytest.mark.parametrize("mode", ["crash", "unwritten", "no trace"])
def test_a_broken_loop_is_told_apart_from_a_broken_endpoint(repository: Repository, mode: str) -> None:
    """The loop's own fault is shown, and no fixture promises what it cannot keep."""
    with serving(fake.says(STOP)) as server:
        done = repository.freeze(server, STAND_IN=mode)
    assert done.returncode != 0
    told = {"crash": "a fault in the loop", "unwritten": "is not written yet", "no trace": "no trace"}[mode]
    assert told in done.stderr
    assert "the same" not in done.stdout


def test_settings_are_checked_first(repository: Repository) -> None:
    """Without an endpoint nothing is run."""
    with serving(fake.says(STOP)) as server:
        done = repository.freeze(server, LAB_ENDPOINT="")
    assert (done.returncode, "LAB_ENDPOINT is not set" in done.stderr) == (64, True)


def test_the_planner_runs_through_a_link_and_from_any_folder(repository: Repository, tmp_path: Path) -> None:
    """The repository is found beside the planner's real file."""
    (tmp_path / "link").symlink_to(repository.root, target_is_directory=True)
    repository.planner = tmp_path / "link" / repository.planner.name
    with serving(fake.says(STOP)) as server:
        done = repository.freeze(server)
    assert done.returncode == 0, done.stderr
    assert repository.fixture["planned_calls"] == [STOP]
