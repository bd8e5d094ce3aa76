"""labspec as a program: terminals, pipes, and what it says when it is itself at fault."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labspec.cli import EXIT_BROKEN_PIPE

from .users import BASE, INVALID, ROOT, program

BROKEN = INVALID / "budget-zero.yaml"
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and signals are of POSIX")


def on_a_terminal(**variables: str) -> bytes:
    """What `labspec check` of a broken spec shows on a terminal."""
    import pty

    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    command = [sys.executable, "-m", "labspec", "check", str(BROKEN)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**kept, **variables}, stdout=theirs, stderr=theirs, stdin=theirs
    ) as child:
        os.close(theirs)
        shown = bytearray()
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # Linux says so when the other side is closed
            pass
        os.close(ours)
    assert child.returncode == 1
    return bytes(shown)


@posix_only
def test_colour_is_for_terminals_that_want_it() -> None:
    coloured = on_a_terminal(TERM="xterm")
    assert b"\x1b[" in coloured
    for plain in (on_a_terminal(TERM="xterm", NO_COLOR="1"), on_a_terminal(TERM="dumb")):
        assert b"\x1b" not in plain
        assert b"error[budget-is-zero]" in plain


@posix_only
def test_a_reader_that_has_stopped_is_no_reason_for_a_traceback() -> None:
    """The reader of stdout is gone before anything is written, as in `labspec check lab.yaml | head -0`."""
    for arguments in (["check", BASE], ["check", BROKEN], ["--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        with subprocess.Popen(
            [sys.executable, "-m", "labspec", *arguments], cwd=ROOT, stdout=writer, stderr=subprocess.PIPE
        ) as child:
            os.close(writer)
            assert child.communicate(timeout=60)[1] == b""
        assert child.returncode in ((EXIT_BROKEN_PIPE, 0) if arguments == ["--help"] else (EXIT_BROKEN_PIPE,))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only /dev/full is a disk that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", BASE], ["run", "--help"]])
def test_a_full_disk_is_said_in_a_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "labspec", *arguments],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "Error: can't go on: No space left on device\n")


@posix_only
def test_a_stdout_that_was_closed_before_is_no_reason_for_a_traceback() -> None:
    command = f"'{sys.executable}' -m labspec check '{BASE}' >&-"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_fault_of_ours_is_a_report_and_3(tmp_path: Path) -> None:
    """A command that is registered as ours are, and is broken."""
    broken = "import click\n@click.command()\n@click.argument('word')\ndef command(word):\n    return {}[word]\n"
    (tmp_path / "broken.py").write_text(broken, encoding="utf-8")
    start = (
        "import sys; from labspec import cli; sys.path.insert(0, sys.argv.pop(1)); "
        "cli.COMMANDS['smash'] = ('broken', 'Always fails'); cli.run_and_exit()"
    )
    done = subprocess.run(
        [sys.executable, "-c", start, str(tmp_path), "smash", "a\u00e9\n"],
        cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("unexpected error: this is a fault of labspec, not of your files\n\nTraceback ")
    assert "KeyError" in done.stderr
    assert "\nCalled as: labspec smash 'a\\xe9\\n'\nVersions: labspec " in done.stderr
    assert done.stderr.endswith("Please report this text as it is.\n")


def test_a_command_that_is_missing_from_an_installation_is_our_fault_too() -> None:
    start = "from labspec import cli; cli.COMMANDS['smash'] = ('no_such_module', ''); cli.run_and_exit()"
    done = subprocess.run(
        [sys.executable, "-c", start, "smash"], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 3
    assert "no_such_module" in done.stderr


def test_exit_codes_are_those_of_the_program(tmp_path: Path) -> None:
    """As a process, from another folder, with names that are not ASCII."""
    spec = tmp_path / "lab é.yaml"
    spec.write_bytes(BASE.read_bytes())
    done = program("build", spec.name, "-o", "out é", folder=tmp_path, environment={"PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "out é" / "small-lab" / "lab.py").is_file()
    assert program("check", BROKEN).returncode == 1
    assert program("chek").returncode == 2
