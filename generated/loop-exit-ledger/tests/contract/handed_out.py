"""What of a repository is not as it was handed out, of what its tests rely on.

The manifest has the digest of every file. A file of text has the same digest with the
line ends of Windows. To compare it with itself shows slips, not deceit: whoever grades
the work has a manifest that nobody else could change.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from .wording import printable

MANIFEST = ".labspec/manifest.json"
TESTS = "tests"
FOLDERS = (TESTS, "fixtures", "workspace")  # what the tests run, and run it on

# What tools leave behind, and what no test is taken from.
IGNORED = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store")

MAX_BYTES = 16 * 1024 * 1024

What: TypeAlias = Literal["added", "changed", "missing"]


class Change(NamedTuple):
    """A file that is not as it was handed out."""

    path: str
    what: What


def find_changes(root: Path) -> tuple[Change, ...]:
    """The tests, fixtures and workspace files that changed, went or (tests) were added.

    `root` is the folder of the repository. Never raises: a manifest that cannot be read
    is a change itself, because nothing can be said without it.
    """
    digests = _read_manifest(root)
    if digests is None:
        what: What = "changed" if (root / MANIFEST).exists() else "missing"
        return (Change(MANIFEST, what),)
    relied_on = {
        path: digest
        for path, digest in digests.items()
        if path.partition("/")[0] in FOLDERS
    }
    found = [*_gone_or_changed(root, relied_on), *_added(root, digests)]
    return tuple(sorted(found))


def change_lines(changes: tuple[Change, ...], limit: int = 10) -> list[str]:
    """The changes in words, a line each."""
    lines = [f"  {each.what:<7}  {printable(each.path)}" for each in changes[:limit]]
    if len(changes) > limit:
        lines.append(f"  and {len(changes) - limit} more")
    return lines


def _read_manifest(root: Path) -> Mapping[str, str] | None:
    try:
        files = json.loads((root / MANIFEST).read_text("utf-8"))["files"]
        return {str(path): str(entry["sha256"]) for path, entry in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _gone_or_changed(root: Path, digests: Mapping[str, str]) -> Iterator[Change]:
    for path, digest in digests.items():
        place = root / path
        if not place.is_file():
            yield Change(path, "missing")
        elif _digest(place) != digest:
            yield Change(path, "changed")


def _added(root: Path, digests: Mapping[str, str]) -> Iterator[Change]:
    for folder, folders, files in os.walk(root / TESTS):
        folders[:] = [name for name in folders if name not in IGNORED]
        for name in files:
            path = Path(folder, name).relative_to(root).as_posix()
            if name not in IGNORED and path not in digests:
                yield Change(path, "added")


def _digest(place: Path) -> str | None:
    try:
        with place.open("rb") as file:
            data = file.read(MAX_BYTES)
    except OSError:
        return None
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
