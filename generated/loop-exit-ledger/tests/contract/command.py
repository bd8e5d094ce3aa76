"""Finds the command that runs fixtures.

It is the repository's own `lab.py` or `lab.mjs`, or whatever the environment variable
LAB_RUNNER says: so any program that understands the same arguments can be tested.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from .wording import printable

RUNNER_VARIABLE = "LAB_RUNNER"


class RunnerCommandError(ValueError):
    """LAB_RUNNER does not say which program to run."""


def runner_command(root: Path, environment: Mapping[str, str]) -> list[str]:
    """The command that runs fixtures: LAB_RUNNER, or the runner in the folder `root`.

    LAB_RUNNER is a JSON list of words, or one line as for a shell. Words that name a
    file below `root` become absolute paths, because runs start in another folder.
    Raises RunnerCommandError when it is neither.
    """
    value = environment.get(RUNNER_VARIABLE, "").strip()
    if not value:
        return _own_command(root)
    words = _json_words(value) if value.startswith("[") else _shell_words(value)
    if not words or not words[0]:
        raise RunnerCommandError(f"{RUNNER_VARIABLE} names no program")
    program, *arguments = words
    if "/" in program or os.sep in program:
        program = _absolute(program, root)
    return [program, *(_absolute(word, root) for word in arguments)]


def _own_command(root: Path) -> list[str]:
    node, python = root / "lab.mjs", root / "lab.py"
    if node.is_file() and not python.is_file():
        return ["node", str(node)]
    return [sys.executable, str(python)]


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
