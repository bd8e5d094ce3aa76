"""Where the templates are, and the contract's modules, which are shipped as they stand.

In a checkout (an editable install too) the templates stand beside the package, in a wheel inside it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


@cache
def template_root() -> Path:
    """The folder that holds `shared` and a folder for each target. Raises FileNotFoundError if it is not there."""
    for folder in (_PACKAGE / "templates", _PACKAGE.parent / "templates"):
        if (folder / "shared").is_dir():
            return folder
    raise FileNotFoundError("the installation of labspec has no templates")


def template_text(name: str) -> str:
    """The text of a template, for example `python/.gitignore`."""
    return _text(template_root() / name)


def contract_text(name: str) -> str:
    """The source of a module of the contract."""
    return _text(_PACKAGE / "contract" / name)


@cache
def contract_modules() -> tuple[str, ...]:
    """The file names of the contract's modules, sorted."""
    return tuple(sorted(path.name for path in (_PACKAGE / "contract").glob("*.py")))


@cache
def _text(path: Path) -> str:
    # A checkout on Windows may have CRLF; what comes out never does.
    return path.read_bytes().decode("utf-8").replace("\r\n", "\n")
