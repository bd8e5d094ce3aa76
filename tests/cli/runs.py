"""Runs as `labspec run` shows them: each file in `runs/` is named after its spec and fixture, and holds all of it.

A new case is a new file: `python -m tests.regen` writes into it what comes.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Final

from labspec.cli import main

ROOT: Final = Path(__file__).resolve().parents[2]
RUNS: Final = Path(__file__).with_name("runs")


def cases() -> list[Path]:
    """The files, `SPEC.FIXTURE.txt` for people and `SPEC.FIXTURE.json` for programs."""
    return sorted([*RUNS.glob("*.txt"), *RUNS.glob("*.json")])


def shown(case: Path) -> str:
    """What the run of a case prints, on both streams, and for people the exit code that follows."""
    spec, fixture = case.stem.split(".")
    options = ["--json"] if case.suffix == ".json" else []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(["run", str(ROOT / "specs" / f"{spec}.yaml"), fixture, *options])
    return printed.getvalue() + ("" if options else f"exit code {code}\n")


def regenerate() -> None:
    """Write what comes of each case into its file."""
    for case in cases():
        case.write_bytes(shown(case).encode())
