"""`labspec new`: what is asked, and what of the user's own is left alone. `tests/new` has the names and the files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .users import ROOT, program, tree

HOSTILE_SETTINGS = """\
default_context: {title: "{{ 1/0 }}", __folder: ../../elsewhere, _labspec: 9.9.9, _copy_without_render: ["*"]}
replay_dir: replays
cookiecutters_dir: templates
"""


def test_a_course_is_made_and_says_how_to_go_on(tmp_path: Path) -> None:
    done = program("new", "agent-loops", folder=tmp_path, environment={"PYTHONPATH": str(ROOT)})
    files = [path for path in (tmp_path / "agent-loops").rglob("*") if path.is_file()]
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [
        f"agent-loops: a new course of {len(files)} files",
        "Next:",
        "  cd agent-loops",
        "  labspec check",
        "README.md says how to go on.",
    ]


def test_the_settings_and_the_home_of_the_user_do_not_matter(tmp_path: Path) -> None:
    home, folders = tmp_path / "home", [tmp_path / "one", tmp_path / "two"]
    for folder in (home, *folders):
        folder.mkdir()
    settings = home / ".cookiecutterrc"
    settings.write_text(HOSTILE_SETTINGS, encoding="utf-8")
    before = tree(home)
    for folder, variables in zip(folders, ({}, {"COOKIECUTTER_CONFIG": str(settings)}), strict=True):
        places = {"PYTHONPATH": str(ROOT), "HOME": str(home), "USERPROFILE": str(home)}
        done = program("new", "agent-loops", folder=folder, environment={**places, **variables})
        assert (done.returncode, done.stderr) == (0, b"")
    assert tree(folders[0]) == tree(folders[1])
    assert [path.name for path in folders[0].iterdir()] == ["agent-loops"]
    assert tree(home) == before


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of POSIX")
@pytest.mark.parametrize(
    ("arguments", "answers", "folder", "heading"),
    [
        ([], "Loops & budgets\n\n", "loops-budgets", "# Loops \\& budgets"),
        ([], "\n \nLoops\ncon\n../x\nweek 1\n", "week-1", "# Loops"),
        ([], "🚀\nrockets\n", "rockets", "# 🚀"),
        (["--title", "Loops"], "\n", "loops", "# Loops"),
    ],
)
def test_at_a_terminal_what_is_missing_is_asked_until_it_can_be(
    arguments: list[str], answers: str, folder: str, heading: str, tmp_path: Path
) -> None:
    code, shown = at_a_terminal(arguments, answers, tmp_path)
    assert code == 0, shown
    assert [path.name for path in tmp_path.iterdir()] == [folder]
    assert (tmp_path / folder / "README.md").read_text(encoding="utf-8").splitlines()[0] == heading


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of POSIX")
def test_at_a_terminal_nothing_is_asked_that_is_known(tmp_path: Path) -> None:
    code, shown = at_a_terminal(["agent-loops"], "", tmp_path)
    assert (code, "Title" in shown, "folder" in shown) == (0, False, False)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of POSIX")
def test_a_question_that_is_not_answered_makes_nothing(tmp_path: Path) -> None:
    """The user types ^D."""
    code, shown = at_a_terminal([], "\x04", tmp_path)
    assert (code, shown.splitlines()[-1]) == (130, "Stopped.")
    assert list(tmp_path.iterdir()) == []


def at_a_terminal(arguments: list[str], answers: str, folder: Path) -> tuple[int, str]:
    """The exit code of `labspec new`, and all that its user sees, who types `answers`."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "labspec", "new", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as child:
        os.close(theirs)
        os.write(ours, answers.encode())
        shown = bytearray()
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # Linux says so when the other side is closed
            pass
        os.close(ours)
    return child.returncode, shown.decode()
