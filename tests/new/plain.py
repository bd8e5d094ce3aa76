"""`templates/course` in the hands of plain cookiecutter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.installed import ROOT


def plain_cookiecutter(folder: Path, title: str) -> Path:
    """The course that cookiecutter alone makes in `folder`, with an empty home."""
    home, out = folder / "home", folder / "out"
    home.mkdir()
    out.mkdir()
    template = ROOT / "templates" / "course"
    subprocess.run(
        [sys.executable, "-m", "cookiecutter", template, "--no-input", "--output-dir", out, f"title={title}"],
        cwd=folder,
        env={"HOME": str(home), "USERPROFILE": str(home), "PATH": os.environ["PATH"]},
        check=True,
        timeout=60,
    )
    (made,) = out.iterdir()
    return made
