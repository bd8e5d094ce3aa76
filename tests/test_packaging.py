"""What is installed: the wheel works alone in an empty folder, and a checkout works in place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution
from itertools import product
from pathlib import Path

import pytest

from labspec import __version__
from labspec.emit.templates import template_root

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs" / "loop-exit-ledger.yaml"
NOT_SOURCES = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "generated")
LEFTOVERS = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", "node_modules")
"""Folders that tools leave among the sources."""

# One worker runs this module, so that the wheel is built once.
pytestmark = pytest.mark.xdist_group("packaging")


@dataclass(frozen=True, slots=True)
class Installed:
    """A new environment that holds the wheel, and sees the dependencies of this one but not the checkout."""

    python: Path
    labspec: Path
    packages: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheel and the sdist, both built from a copy of the sources in which tools have worked."""
    sources = tmp_path_factory.mktemp("sources") / "labspec"
    shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(*NOT_SOURCES))
    (sources / ".gitignore").write_text("", encoding="utf-8")  # the settings alone must keep the leftovers out
    for place, name in product(("labspec", "templates/python", "templates/node", "docs/codes"), LEFTOVERS):
        (sources / place / name).mkdir()
        (sources / place / name / "left.py").write_text("", encoding="utf-8")
    out = tmp_path_factory.mktemp("built")
    succeed([sys.executable, "-m", "build", "--wheel", "--sdist", "--no-isolation", "--outdir", out, sources], out)
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The wheel."""
    (wheel,) = built.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, installed without an index."""
    home = tmp_path_factory.mktemp("environment")
    succeed([sys.executable, "-m", "venv", "--without-pip", home], home)
    variables = {"base": str(home), "platbase": str(home)}
    python = Path(sysconfig.get_path("scripts", "venv", variables)) / Path(sys.executable).name
    packages = Path(sysconfig.get_path("purelib", "venv", variables))
    install: list[str | Path] = ["install", "--quiet", "--no-deps", "--no-index", wheel]
    succeed([sys.executable, "-m", "pip", "--python", python, *install], home)
    # A folder named in a .pth file is searched, but its own .pth files are not read: the checkout stays out of sight.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return Installed(python, python.parent / "labspec", packages)


def succeed(command: list[str | Path], folder: Path) -> str:
    """What `command` prints, run in `folder` without this process's import path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`, by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_wheel_holds_the_package_its_templates_and_its_pages_only(wheel: Path) -> None:
    """The wheel holds every module, every template and every page about a code, and nothing from beside them."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    copied = shutil.ignore_patterns(*NOT_SOURCES)
    expected = {
        f"{prefix}/{path}"
        for folder, prefix in (
            (ROOT / "labspec", "labspec"),
            (ROOT / "templates", "labspec/templates"),
            (ROOT / "docs" / "codes", "labspec/codes/pages"),
        )
        for path in tree(folder)
        if not any(copied("", [part]) for part in path.split("/"))
    }
    assert names == expected


def test_sdist_holds_nothing_that_tools_left(built: Path) -> None:
    """The sdist holds the templates, and no folder that a tool left among them."""
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.split("/")[1:] for name in archive.getnames()]
    assert ["templates", "shared", "README.md"] in names
    assert not [name for name in names if set(LEFTOVERS).intersection(name)]


def test_wheel_names_its_version_and_license(wheel: Path) -> None:
    """The version is the one the package says, and the licence goes with it."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert f"labspec-{__version__}.dist-info/METADATA" in names
    assert f"labspec-{__version__}.dist-info/licenses/LICENSE" in names


def test_installed_wheel_does_not_use_the_checkout(installed: Installed, tmp_path: Path) -> None:
    """What the new environment imports is what the wheel brought."""
    place = succeed([installed.python, "-c", "import labspec; print(labspec.__file__)"], tmp_path)
    assert Path(place.strip()) == installed.packages / "labspec" / "__init__.py"


def test_installed_wheel_builds_the_same_bytes_in_an_empty_folder(installed: Installed, tmp_path: Path) -> None:
    """The wheel, alone with a spec in a folder with a space in its name, builds what the checkout builds."""
    alone, beside = tmp_path / "an empty folder", tmp_path / "by the checkout"
    for folder in (alone, beside):
        folder.mkdir()
        shutil.copy(SPEC, folder)
    succeed([installed.labspec, "check", SPEC.name], alone)
    assert succeed([installed.labspec, "explain"], alone) == succeed(
        [sys.executable, "-m", "labspec", "explain"], beside
    )
    succeed([installed.labspec, "build", SPEC.name], alone)
    succeed([sys.executable, "-m", "labspec", "build", SPEC.name], beside)
    built = tree(alone)
    assert f"generated/{SPEC.stem}/README.md" in built
    assert built == tree(beside)


def test_editable_install_uses_the_checkout() -> None:
    """`pip install -e .` runs the sources in place, templates included."""
    origin = json.loads(distribution("labspec").read_text("direct_url.json") or "{}")
    assert origin["dir_info"] == {"editable": True}
    assert template_root() == ROOT / "templates"
