"""The section of the README for course staff: a reason gets a new name, and everything goes as it says."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from labspec.emit import Edition, plan, render, write
from labspec.pipeline import load
from tests.guide.transcript import environment, follow

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
SMALL_LAB = ROOT / "tests" / "specs" / "valid" / "_base.yaml"
HEADING = "## When the lab changes on Friday\n"

RUN = (
    '{"run_id": "monday-1", "fixture_id": "never_final", "reason": "turn_cap", "turns": 3, '
    '"tool_names": ["search", "search", "search"], "last_error": null, "stopped_on_turn": 3}\n'
)


def make_course(folder: Path) -> None:
    """What the section begins with: the lab, handed out with an edit, two clones, and a ledger."""
    shutil.copyfile(SMALL_LAB, folder / "lab.yaml")
    lab = load(folder / "lab.yaml").lab
    assert lab is not None
    tree = render(plan(lab, Edition()))
    for clone in ("generated/small-lab", "clones/ada", "clones/ben"):
        write(tree, folder / clone)
    append(folder / "generated/small-lab/README.md", "\nRoom 12, not room 7.\n")
    append(folder / "clones/ada/run_loop.py", "\n\n# my first idea: count the failures\n")
    (folder / "runs").mkdir()
    append(folder / "runs/monday.jsonl", RUN)


def append(place: Path, text: str) -> None:
    """Add to the end of a file, which may be new."""
    with place.open("a", encoding="utf-8") as file:
        file.write(text)


def section(readme: str) -> str:
    """The section of the README."""
    start = readme.index(HEADING)
    return readme[start : readme.index("\n## ", start)]


def followed(shown: str, folder: Path) -> str:
    """The section as it would be if it showed what its commands print now."""
    make_course(folder)
    return follow(shown, folder, environment(Path(sys.executable).parent, folder))


@pytest.mark.skipif(os.name == "nt", reason="the commands are for the shell of POSIX")
def test_the_section_for_staff_goes_as_it_says(tmp_path: Path) -> None:
    shown = section(README.read_text("utf-8"))
    assert followed(shown, tmp_path) == shown, "run `python -m tests.regen` and read the diff"
    for clone in ("ada", "ben"):
        assert "`out_of_turns` has a new name" in (tmp_path / "clones" / clone / "WHAT-CHANGED.md").read_text("utf-8")
    assert "Room 12" in (tmp_path / "generated/small-lab/README.md").read_text("utf-8")
    assert '"out_of_turns"' in (tmp_path / "runs/monday.jsonl").read_text("utf-8")
    originals = [place for place in (tmp_path / "runs").iterdir() if place.name != "monday.jsonl"]
    assert [place.read_text("utf-8") for place in originals] == [RUN]


def regenerate() -> None:
    """Write what the commands print into the section."""
    readme = README.read_text("utf-8")
    shown = section(readme)
    with tempfile.TemporaryDirectory() as folder:
        came = followed(shown, Path(folder).resolve())
    README.write_text(readme.replace(shown, came), "utf-8", newline="\n")
