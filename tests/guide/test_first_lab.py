"""The guide "Your first lab": from an empty folder, with only the wheel, everything goes as it says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.guide.transcript import commands, environment, follow
from tests.installed import PACKAGING, Installed

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "first-lab.md"

pytestmark = [PACKAGING, pytest.mark.skipif(os.name == "nt", reason="the commands are for the shell of POSIX")]


def test_the_guide_goes_as_it_says(installed: Installed, tmp_path: Path) -> None:
    folder, home = tmp_path / "an empty folder", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    guide = GUIDE.read_text(encoding="utf-8")
    came = follow(guide, folder, environment(installed.labspec.parent, home))
    assert came == guide, "run `python -m tests.regen` and read the diff"


def test_the_guide_takes_fewer_than_ten_commands() -> None:
    typed = commands(GUIDE.read_text(encoding="utf-8"))
    assert len(typed) < 10
    assert {"new", "check", "build", "prove"} <= {command.split()[1] for command in typed}


def regenerate(folder: Path) -> None:
    """Write what the commands print into the guide, followed in the empty `folder`."""
    guide = GUIDE.read_text(encoding="utf-8")
    came = follow(guide, folder, environment(Path(sys.executable).parent, folder))
    GUIDE.write_text(came, encoding="utf-8", newline="\n")
