"""A new folder comes to be whole or not at all, and what is there already stays as it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from labspec.emit import File, WriteRefused
from labspec.new import create
from tests.installed import ROOT

TREE = {"a/b/c.txt": File(b"c\n"), "d.txt": File(b"d\n"), "run": File(b"#!/bin/sh\n", executable=True)}

STOPPED_HALF_WAY = """
import os, sys
from pathlib import Path
from labspec.cli.stopping import ended_as_by_ctrl_c
from labspec.emit import File
from labspec.new import create
class Stopping(dict):
    def items(self):
        for done, item in enumerate(super().items()):
            if done == 2:
                assert any(Path(sys.argv[1]).rglob("0.txt")), "nothing is written yet"
                os.kill(os.getpid(), int(sys.argv[2]))
            yield item
with ended_as_by_ctrl_c():
    create(Stopping({f"{number}.txt": File(b"x") for number in range(4)}), Path(sys.argv[1], "course"))
"""
"""A program that is sent a signal when it has written two of four files."""

LITTLE_ROOM = """
import resource, signal, sys
from labspec.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
sys.exit(main())
"""
"""A limit on the size of files stands for a full disk."""


def test_every_file_is_there_with_its_own_permissions(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        create(TREE, tmp_path / "course")
    finally:
        os.umask(before)
    assert {path: (tmp_path / "course" / path).read_bytes() for path in TREE} == {
        path: file.data for path, file in TREE.items()
    }
    assert [path.name for path in tmp_path.iterdir()] == ["course"]
    if os.name != "nt":
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
        expected = {"course": 0o755, "a": 0o755, "b": 0o755, "c.txt": 0o644, "d.txt": 0o644, "run": 0o755}
        assert modes == expected


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    create(TREE, tmp_path / "course")
    assert (tmp_path / "course" / "d.txt").read_bytes() == b"d\n"


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "thesis.txt").write_text("years of work\n", encoding="utf-8")
    with pytest.raises(WriteRefused) as refused:
        create(TREE, tmp_path / "course")
    assert refused.value.code == "target-not-empty"
    assert [path.name for path in tmp_path.rglob("*")] == ["course", "thesis.txt"]


@pytest.mark.parametrize("path", ["../x", "/x", "a\\b", "d.txt/x"])
def test_no_path_leaves_the_folder(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"path|file"):
        create({**TREE, path: File(b"")}, tmp_path / "course")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_stop_half_way_leaves_nothing(name: str, tmp_path: Path) -> None:
    done = stopped_half_way(getattr(signal, name), tmp_path)
    assert "KeyboardInterrupt" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")
def test_what_is_killed_half_way_is_no_course(tmp_path: Path) -> None:
    """What nobody can clean up after does not look like a course, and is not in the way of the next attempt."""
    done = stopped_half_way(signal.SIGKILL, tmp_path)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    assert not (tmp_path / "course").exists()
    create(TREE, tmp_path / "course")
    assert [path.name for path in tmp_path.iterdir()] == ["course"]


@pytest.mark.skipif(os.name == "nt", reason="limits are of POSIX")
@pytest.mark.parametrize("room", [0, 1000, 4000])
def test_a_disk_that_is_full_is_told_in_a_line_and_leaves_nothing(room: int, tmp_path: Path) -> None:
    temporary, folder = tmp_path / "temporary", tmp_path / "folder"
    temporary.mkdir()
    folder.mkdir()
    done = new_course(folder, TMPDIR=str(temporary), room=room)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error[write-failed] cannot write ")
    assert "\n  help: " in done.stderr
    assert list(temporary.iterdir()) == list(folder.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only in /proc nobody may make a folder")
def test_a_folder_in_which_nobody_may_write_is_told_in_a_line() -> None:
    done = new_course(Path("/proc"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "error[write-failed] cannot write /proc/my-course: No such file or directory",
        "  help: nothing was changed there",
    ]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_told_in_a_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = new_course(tmp_path)
    tmp_path.chmod(0o700)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error[write-failed] cannot write {tmp_path / 'my-course'}: Permission denied\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="there, a folder that somebody is in can't be removed")
def test_a_folder_that_is_gone_is_told_in_a_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"rmdir ../gone; PYTHONPATH='{ROOT}' '{sys.executable}' -P -m labspec new my-course"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=gone, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error[write-failed] cannot write into the folder that you are in: ")


def stopped_half_way(number: int, folder: Path) -> subprocess.CompletedProcess[str]:
    """Make a course in `folder` and stop it by a signal."""
    words = [sys.executable, "-c", STOPPED_HALF_WAY, str(folder), str(int(number))]
    return subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False)


def new_course(folder: Path, room: int = -1, **variables: str) -> subprocess.CompletedProcess[str]:
    """`labspec new my-course` in `folder`, on a disk that has room for files of so many bytes; -1 is enough for any."""
    return subprocess.run(
        [sys.executable, "-c", LITTLE_ROOM, str(room), "new", "my-course"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
