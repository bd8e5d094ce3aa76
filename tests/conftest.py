"""What tests of several folders share because it takes long to make: the wheel, and an environment with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installed import Installed, build, install


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
