"""What is installed: the wheel works alone in an empty folder, and a checkout works in place."""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path

from labspec import __version__
from labspec.emit.templates import template_root
from tests.installed import LEFTOVERS, NOT_SOURCES, PACKAGING, ROOT, Installed, succeed

SPEC = ROOT / "specs" / "loop-exit-ledger.yaml"

pytestmark = PACKAGING


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
