"""A command that is remembered does what it did, to whatever it is given, and is not run again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from labspec.machine.runner import Machine, Result
from labspec.prove.memory import RememberingTools, read_state
from tests.machine.machines import machine

COMMAND = """
import os, pathlib, shutil, sys
with open(os.environ["COUNTED"], "a") as file:
    file.write(".")
here = pathlib.Path()
(here / "changed.txt").write_bytes(b"new\\xff" + (here / "changed.txt").read_bytes())
(here / "gone.txt").unlink(missing_ok=True)
shutil.rmtree(here / "folder", ignore_errors=True)
(here / "made" / "deep").mkdir(parents=True, exist_ok=True)
(here / "made" / "deep" / "file.txt").write_text("text")
(here / "made" / "deep" / "file.txt").chmod(0o700)
(here / "became_a_folder").unlink(missing_ok=True)
(here / "became_a_folder").mkdir(exist_ok=True)
if hasattr(os, "symlink") and not (here / "link").is_symlink():
    (here / "link").symlink_to("made")
sys.exit((here / "red").exists())
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="commands are remembered where mutants are tested in forks")


class Workspaces:
    """Workspaces that are alike, and tools to run the command in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memory = folder / "memory"
        self.memory.mkdir()
        self.counted = folder / "counted.txt"
        self.counted.touch()
        command = {"kind": "command", "argv": ["python", "-c", COMMAND], "seconds": 20, "error": "red"}
        self.machine = Machine(
            {**machine().data, "tools": {"work": command}, "workspace": {"roots": ["."], "files": {}}}
        )

    def make(self, name: str) -> Path:
        """A new sandbox with a workspace in it."""
        place = self.folder / name / "workspace"
        (place / "folder" / "inner").mkdir(parents=True)
        for file in ("changed.txt", "gone.txt", "became_a_folder", "folder/inner/file.txt"):
            (place / file).write_text(f"in {file}\n", encoding="utf-8")
        (place.parent / ".env").write_text("beside it\n", encoding="utf-8")
        return place

    def work(self, place: Path) -> Result:
        """Run the command in a workspace."""
        environment = {**os.environ, "COUNTED": str(self.counted)}
        tools = RememberingTools(self.machine, place, memory=self.memory, environment=environment)
        return tools.run("work", {})

    @property
    def runs(self) -> int:
        """How often the command has been run for real."""
        return len(self.counted.read_text(encoding="utf-8"))


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(tmp_path)


def test_the_second_time_a_command_is_not_run_and_leaves_the_same(workspaces: Workspaces) -> None:
    """Files that are changed, made and taken away, folders, links, permissions, and its result."""
    first, second = workspaces.make("first"), workspaces.make("second")
    before = read_state(first.parent)
    assert workspaces.work(first) == workspaces.work(second) == Result(ok=True, text="pass")
    assert workspaces.runs == 1
    after = read_state(first.parent)
    assert before != after == read_state(second.parent)


def test_a_failure_is_remembered_as_well(workspaces: Workspaces) -> None:
    places = [workspaces.make(name) for name in ("first", "second")]
    for place in places:
        (place / "red").touch()
    assert [workspaces.work(place) for place in places] == [Result(ok=False, error="red")] * 2
    assert workspaces.runs == 1


@pytest.mark.parametrize("path", ["workspace/changed.txt", "workspace/unrelated.txt", ".env", "workspace/gone.txt"])
def test_a_command_is_run_again_where_anything_in_the_sandbox_is_different(workspaces: Workspaces, path: str) -> None:
    first, second = workspaces.make("first"), workspaces.make("second")
    (second.parent / path).write_text("another text\n", encoding="utf-8")
    workspaces.work(first)
    workspaces.work(second)
    assert workspaces.runs == 2


def test_a_command_is_run_again_where_only_permissions_differ(workspaces: Workspaces) -> None:
    first, second = workspaces.make("first"), workspaces.make("second")
    (second / "gone.txt").chmod(0o600 if (second / "gone.txt").stat().st_mode & 0o777 != 0o600 else 0o640)
    workspaces.work(first)
    workspaces.work(second)
    assert workspaces.runs == 2


def test_a_command_is_run_again_after_what_it_did_itself(workspaces: Workspaces) -> None:
    place = workspaces.make("first")
    workspaces.work(place)
    workspaces.work(place)
    assert workspaces.runs == 2


def test_what_can_not_be_made_again_is_not_remembered(workspaces: Workspaces) -> None:
    """A named pipe, for one."""
    for name in ("first", "second"):
        place = workspaces.make(name)
        os.mkfifo(place / "pipe")
        assert read_state(place) is None
        workspaces.work(place)
    assert workspaces.runs == 2


def test_too_much_is_not_remembered(workspaces: Workspaces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labspec.prove.memory.MAX_BYTES", 10)
    assert read_state(workspaces.make("first")) is None


def test_the_environment_of_a_command_is_the_one_it_is_given(workspaces: Workspaces) -> None:
    """And that of this process stays as it is."""
    before = dict(os.environ)
    workspaces.work(workspaces.make("first"))
    assert workspaces.runs == 1
    assert "COUNTED" not in os.environ
    assert dict(os.environ) == before


def test_a_folder_that_went_away_is_no_state(tmp_path: Path) -> None:
    shutil.rmtree(tmp_path)
    assert read_state(tmp_path) is None
