"""What tests of several folders share: folders of their own, and, because it takes long to make, the wheel."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.installed import Installed, build, install


@pytest.fixture(scope="session", autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is killed leaves its temporary files where pytest clears them away."""
    folder = str(tmp_path_factory.mktemp("temporary"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Stamps of builds go below a new folder: those of the user have no say in a test, and none is left behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheel and the sdist."""
    out = tmp_path_factory.mktemp("built")
    build(tmp_path_factory.mktemp("sources") / "labspec", out)
    return out


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    """The wheel."""
    (wheel,) = built.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, installed without an index."""
    return install(wheel, tmp_path_factory.mktemp("environment"))
