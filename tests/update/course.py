"""A course whose lab changes three times, and what its students are told each time."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from labspec.emit import Edition, Tree, plan, render, write
from labspec.lab.model import Lab
from labspec.pipeline import load
from labspec.update import update_all
from labspec.update.what_changed import WHAT_CHANGED

COURSE: Final = Path(__file__).parent / "course"
VERSIONS: Final = (1, 2, 3, 4)


@cache
def lab_of(version: int) -> Lab:
    """The lab as it is in one version."""
    loaded = load(COURSE / f"{version}.yaml")
    assert loaded.lab is not None, loaded.report.diagnostics
    return loaded.lab


@cache
def tree_of(version: int, *, solution: bool = False) -> Tree:
    """The repository of one version."""
    return render(plan(lab_of(version), Edition(solution=solution)))


def told(version: int) -> str:
    """What a student is told who has begun with the version before."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        write(tree_of(version - 1), clone)
        with (clone / "run_loop.py").open("a", encoding="utf-8") as loop:
            loop.write("\n\n# my first idea: count the failures\n")
        list(update_all([clone], lab_of(version)))
        return (clone / WHAT_CHANGED).read_text("utf-8")


def regenerate() -> None:
    """Write what students are told in each version beside its spec."""
    for version in VERSIONS[1:]:
        (COURSE / f"{version}.md").write_text(told(version), "utf-8")
