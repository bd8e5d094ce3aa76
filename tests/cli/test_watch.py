"""`labspec check --watch`: a real process, and real saves as editors make them."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .users import BASE, ROOT, labspec, small_lab

LIMIT = 60
"""Seconds after which the process is taken to hang. It is far quicker."""

WATCHING = "Watching {}. Ctrl+C ends this.\n"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C can't be sent to a child alone on Windows")


class Watcher:
    """A process that watches; its output comes line by line."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self.child = child
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.child.stdout or ():
            self._lines.put(line)

    def until(self, last: str) -> str:
        """The output up to this line."""
        lines = [""]
        while lines[-1] != last:
            lines.append(self._lines.get(timeout=LIMIT))
        return "".join(lines)

    def stop(self) -> tuple[int, str]:
        """Press Ctrl+C; returns the exit code and what else was printed."""
        self.child.send_signal(signal.SIGINT)
        assert self.child.stderr is not None
        errors = self.child.stderr.read()
        return self.child.wait(LIMIT), errors


@contextmanager
def watching(folder: Path, *arguments: str) -> Iterator[Watcher]:
    """`labspec check --watch` in this folder."""
    command = [sys.executable, "-m", "labspec", "check", "--no-proof", "--watch", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as child:
        try:
            yield Watcher(child)
        finally:
            child.kill()


def replace(path: Path, old: str, new: str) -> None:
    """Save as most editors do: write another file, and rename it."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    other = path.with_name(f".{path.name}.swp")
    other.write_text(text.replace(old, new), encoding="utf-8")
    other.replace(path)


def test_each_save_is_checked_until_ctrl_c(tmp_path: Path) -> None:
    small_lab(tmp_path / "lab.yaml")
    ready = WATCHING.format("lab.yaml")
    with watching(tmp_path, "lab.yaml") as watcher:
        assert watcher.until(ready) == f"{SOUND}\n{ready}"
        replace(tmp_path / "lab.yaml", "turns: 3", "turns: 0")
        assert watcher.until(ready) == f"\n{CHANGED}\n{FINDING}\n{ready}"
        replace(tmp_path / "lab.yaml", "turns: 0", "turns: 3")
        assert watcher.until(ready) == f"\n{CHANGED}\n{SOUND}\n{ready}"
        assert watcher.stop() == (0, "")


SOUND = "lab.yaml: sound (4 rows, 4 fixtures, 2 mistakes, 2 gates, 10 points)\n"
CHANGED = "--- lab.yaml has changed -------------------------------------------------------\n"
FINDING = """\
lab.yaml:12:18: error[budget-is-zero] the budget `turns` is 0, so there is nothing to use up
  12 | budgets: {turns: 0, retries: 1}
     |                  ^
  help: give it at least 1, or compare the meter with 0 in the row; a fixture may set it to 0

1 error
"""


def test_the_exit_code_is_that_of_the_last_check(tmp_path: Path) -> None:
    small_lab(tmp_path / "lab.yaml", ("turns: 3", "turns: 0"))
    with watching(tmp_path, "lab.yaml") as watcher:
        watcher.until(WATCHING.format("lab.yaml"))
        assert watcher.stop() == (1, "")


def test_a_spec_that_is_extended_is_watched_as_well(tmp_path: Path) -> None:
    (tmp_path / "bases").mkdir()
    small_lab(tmp_path / "bases" / "small.yaml")
    (tmp_path / "lab.yaml").write_text("extends: ./bases/small.yaml\n", encoding="utf-8")
    ready = WATCHING.format("lab.yaml, bases/small.yaml")
    with watching(tmp_path, "lab.yaml") as watcher:
        watcher.until(ready)
        (tmp_path / "bases" / "small.yaml").unlink()
        gone = watcher.until(ready)
        assert "--- bases/small.yaml is gone ---" in gone
        assert "lab.yaml:1:10: error[file-not-found]" in gone
        small_lab(tmp_path / "bases" / "small.yaml")
        back = watcher.until(ready)
        assert "--- bases/small.yaml has changed ---" in back
        assert "lab.yaml: sound (" in back
        assert watcher.stop() == (0, "")


def test_a_terminal_is_cleared(tmp_path: Path) -> None:
    import pty

    small_lab(tmp_path / "lab.yaml")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "labspec", "check", "--no-proof", "--watch", "lab.yaml"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        assert b"\x1b" not in _screen(ours)
        replace(tmp_path / "lab.yaml", "turns: 3", "turns: 0")
        after = _screen(ours)
        child.send_signal(signal.SIGINT)
        assert child.wait(LIMIT) == 1
        os.close(ours)
    assert after.startswith(b"\x1b[H\x1b[2Jlab.yaml has changed\r\n\r\nlab.yaml:12:18: error[budget-is-zero]")


def _screen(terminal: int) -> bytes:
    """What a terminal shows until the process waits."""
    shown = bytearray()
    while not shown.endswith(b"Ctrl+C ends this.\r\n"):
        shown += os.read(terminal, 4096)
    return bytes(shown)


@pytest.mark.parametrize("option", [["--fix"], ["--format", "json"], ["--format", "github"]])
def test_what_is_for_programs_is_not_watched(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "check", "--watch", *option, BASE)
    assert (done.code, done.out) == (2, "")
    assert "leave out --fix and --format" in done.err
