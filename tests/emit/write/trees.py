"""Small trees for the tests of writing: a manifest of ours, and a few files with nothing of a lab in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit import Edition, File, Plan, Tree
from labspec.emit.manifest import manifest_file, pristine_file
from labspec.emit.tree import MANIFEST, PRISTINE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labspec.emit.outputs import Owner

README = "README.md"
OWNERS: Mapping[str, Owner] = {"SUBMISSION.md": "seeded", "run_loop.py": "student"}


def tree_of(texts: Mapping[str, str], version: str = "1.0.0") -> Tree:
    """A whole repository of these files."""
    files = {path: File(text.encode("utf-8"), OWNERS.get(path, "generated")) for path, text in texts.items()}
    plan = Plan("small-lab", version, "0" * 64, Edition(), ())
    files[PRISTINE] = pristine_file(files)
    return dict(sorted({**files, MANIFEST: manifest_file(plan, files)}.items()))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lines(*names: str) -> str:
    """A text with these lines."""
    return "".join(f"{name}\n" for name in names)
