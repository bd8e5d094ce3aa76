"""Calls labspec as a user would: in this process, or as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from labspec.cli import main

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "specs" / "loop-exit-ledger.yaml"
VALID = ROOT / "tests" / "specs" / "valid"
INVALID = ROOT / "tests" / "specs" / "invalid"
BASE = VALID / "_base.yaml"
"""A small sound lab, `small-lab`."""


class Done(NamedTuple):
    """What a call came to."""

    code: int
    out: str
    err: str


def labspec(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Done:
    """Call labspec in this process."""
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return Done(code, out, err)


def program(
    *arguments: str | Path, folder: Path = ROOT, environment: Mapping[str, str | None] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Call labspec as a program; None takes a variable out of its environment."""
    variables = {**os.environ, "PYTHONPATH": "", **(environment or {})}
    return subprocess.run(
        [sys.executable, "-m", "labspec", *arguments],
        cwd=folder,
        env={name: value for name, value in variables.items() if value is not None},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def started(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start labspec as a program with a group of its own, as a shell does."""
    return subprocess.Popen(
        [sys.executable, "-m", "labspec", *arguments],
        bufsize=0,  # what was read line by line would be missing in what `communicate` returns
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The modes and the contents of all files below `folder`, and the modes of its folders."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


def small_lab(place: Path, *changes: tuple[str, str]) -> Path:
    """The small lab as a spec at `place`, with some text replaced."""
    text = BASE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    place.write_text(text, encoding="utf-8")
    return place
