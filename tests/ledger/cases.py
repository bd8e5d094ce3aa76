"""Ledgers as tests: each file in `check/`, `migrate/` and `compare/` has, beside it, what labspec prints about it."""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from labspec.cli import main

HERE: Final = Path(__file__).parent
LAB: Final = HERE / "lab.yaml"
"""The second version of a small lab, in which two reasons have new names."""


def check_cases() -> list[Path]:
    """The ledgers to check."""
    return sorted((HERE / "check").glob("*.jsonl"))


def migrate_cases() -> list[Path]:
    """The ledgers to migrate."""
    return sorted((HERE / "migrate").glob("*.jsonl"))


def compare_cases() -> list[Path]:
    """The first of each two ledgers to compare."""
    return sorted((HERE / "compare").glob("*.a.jsonl"))


def output_of(*words: str) -> str:
    """The output of `labspec ledger` and its exit code."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(["ledger", *words])
    return f"{printed.getvalue()}exit code {code}\n"


def checked(case: Path) -> str:
    """What checking a ledger prints."""
    with contextlib.chdir(case.parent):
        return output_of("check", case.name, "--spec", str(LAB))


def compared(case: Path) -> str:
    """What comparing two ledgers prints."""
    with contextlib.chdir(case.parent):
        return output_of("compare", case.name, case.name.replace(".a.", ".b."))


def migrated(case: Path) -> str:
    """What migrating a copy of a ledger prints, and every file that is there afterwards."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        shutil.copyfile(case, case.name)
        printed = output_of("migrate", case.name, "--spec", str(LAB))
        return printed + "".join(_shown(path) for path in sorted(Path().iterdir()))


def _shown(path: Path) -> str:
    lines = path.read_bytes().splitlines(keepends=True)
    return f"--- {path.name}\n" + "".join(f"{ascii(line)[1:]}\n" for line in lines)


KINDS: Final[list[tuple[Callable[[], list[Path]], Callable[[Path], str]]]] = [
    (check_cases, checked),
    (migrate_cases, migrated),
    (compare_cases, compared),
]


def stored(case: Path) -> Path:
    """Where the reviewed output of a case is kept."""
    return case.with_name(case.name.removesuffix(".jsonl").removesuffix(".a") + ".txt")


def regenerate() -> None:
    """Write the output of every case beside it, and take away outputs whose case is gone."""
    outputs = dict(_outputs())
    for stale in {*HERE.glob("*/*.txt")} - outputs.keys():
        stale.unlink()
    for path, text in outputs.items():
        path.write_bytes(text.encode())


def _outputs() -> Iterator[tuple[Path, str]]:
    for cases, show in KINDS:
        yield from ((stored(case), show(case)) for case in cases())
