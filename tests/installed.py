"""What a user has who installed labspec: a wheel, and an environment of its own with it. `conftest` makes them once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
NOT_SOURCES: Final = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "generated")
LEFTOVERS: Final = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", "node_modules")
"""Folders that tools leave among the sources."""

PACKAGING: Final = pytest.mark.xdist_group("packaging")
"""The mark of tests that need the wheel: one worker runs them, so that it is built once."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A new environment that holds the wheel, and sees the dependencies of this one but not the checkout."""

    python: Path
    labspec: Path
    packages: Path


def build(sources: Path, out: Path) -> None:
    """Build the wheel and the sdist into `out`, from a copy of the sources, `sources`, in which tools have worked."""
    shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(*NOT_SOURCES))
    (sources / ".gitignore").write_text("", encoding="utf-8")  # the settings alone must keep the leftovers out
    for place, name in product(("labspec", "templates/python", "templates/node", "docs/codes"), LEFTOVERS):
        (sources / place / name).mkdir()
        (sources / place / name / "left.py").write_text("", encoding="utf-8")
    succeed([sys.executable, "-m", "build", "--wheel", "--sdist", "--no-isolation", "--outdir", out, sources], out)


def install(wheel: Path, home: Path) -> Installed:
    """The wheel in a new environment, `home`, made without an index."""
    succeed([sys.executable, "-m", "venv", "--without-pip", home], home)
    variables = {"base": str(home), "platbase": str(home)}
    python = Path(sysconfig.get_path("scripts", "venv", variables)) / Path(sys.executable).name
    packages = Path(sysconfig.get_path("purelib", "venv", variables))
    options: list[str | Path] = ["install", "--quiet", "--no-deps", "--no-index", wheel]
    succeed([sys.executable, "-m", "pip", "--python", python, *options], home)
    # A folder named in a .pth file is searched, but its own .pth files are not read: the checkout stays out of sight.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return Installed(python, python.parent / "labspec", packages)


def succeed(command: list[str | Path], folder: Path) -> str:
    """What `command` prints, run in `folder` without this process's import path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
