"""Runs fixtures through a runner's command line, in a child process.

The command is `python lab.py` of the repository, or whatever the environment variable
LAB_RUNNER says: so any program that understands the same arguments can be tested.
"""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from .observation import Execute, Observation
from .process import Ending, run_process
from .records import MAX_BYTES
from .wording import printable

RUNNER_VARIABLE = "LAB_RUNNER"

# What the tests use themselves and is no business of the program under test.
PRIVATE_VARIABLES = (RUNNER_VARIABLE, "LAB_REPORT", "PYTEST_CURRENT_TEST")


class RunnerCommandError(ValueError):
    """LAB_RUNNER does not say which program to run."""


def runner_command(root: Path, environment: Mapping[str, str]) -> list[str]:
    """The command that runs fixtures: LAB_RUNNER, or `lab.py` in the folder `root`.

    LAB_RUNNER is a JSON list of words, or one line as for a shell. Words that name a
    file below `root` become absolute paths, because runs start in another folder.
    Raises RunnerCommandError when it is neither.
    """
    value = environment.get(RUNNER_VARIABLE, "").strip()
    if not value:
        return [sys.executable, str(root / "lab.py")]
    words = _json_words(value) if value.startswith("[") else _shell_words(value)
    if not words or not words[0]:
        raise RunnerCommandError(f"{RUNNER_VARIABLE} names no program")
    program, *arguments = words
    if "/" in program or os.sep in program:
        program = _absolute(program, root)
    return [program, *(_absolute(word, root) for word in arguments)]


def child_process_execute(
    command: Sequence[str], fixtures: Path, folder: Path, timeout: float
) -> Execute:
    """An `Execute` that starts `command` for each run, for at most `timeout` seconds.

    `fixtures` is the folder of the fixture files. Runs start in `folder`, which must
    exist, each with a ledger of its own there.
    """
    environment = _environment()
    numbers = count(1)

    def execute(fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        ledger = folder / f"ledger-{next(numbers)}.jsonl"
        if earlier is not None:
            ledger.write_bytes(earlier)
        fixture = fixtures / f"{fixture_id}.json"
        if not fixture.is_file():
            return _unseen(f"cannot start: there is no file {fixture.name}")
        arguments = ["run", str(fixture), "--ledger", str(ledger), "--run-id", run_id]
        ending = run_process(
            [*command, *arguments], folder, environment, timeout, ledger
        )
        return _observe(ending, ledger)

    return execute


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in PRIVATE_VARIABLES
    }
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}


def _observe(ending: Ending, ledger: Path) -> Observation:
    trouble = ending.trouble
    content: bytes | None = None
    try:
        content = _read_ledger_file(ledger)
    except OSError as error:
        trouble = trouble or f"left a ledger that cannot be read: {error.strerror}"
    return Observation(
        exit_code=ending.exit_code,
        ledger=content,
        stdout=ending.stdout,
        stderr=ending.stderr,
        timed_out=ending.timed_out,
        trouble=trouble,
    )


def _read_ledger_file(ledger: Path) -> bytes | None:
    """The ledger, or enough of it to see that it is too large; None without a file."""
    try:
        mode = ledger.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):  # to open a named pipe would be to wait for ever
        raise OSError(0, "it is not a file")
    with ledger.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _unseen(trouble: str) -> Observation:
    return Observation(exit_code=None, ledger=None, trouble=trouble)


def _json_words(text: str) -> list[str]:
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RunnerCommandError(
            f"{RUNNER_VARIABLE} is no JSON list of texts: {printable(text)}"
        )
    return words


def _shell_words(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.name == "nt":  # where a backslash stands between folders
        lexer.escape = ""
    try:
        return list(lexer)
    except ValueError as error:
        raise RunnerCommandError(
            f"{RUNNER_VARIABLE} cannot be split into words ({error}): {printable(text)}"
        ) from None


def _absolute(word: str, root: Path) -> str:
    path = root / word
    return str(path) if word and path.is_file() else word
