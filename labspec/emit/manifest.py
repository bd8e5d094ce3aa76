"""The bookkeeping of a repository: the manifest with every file's digest and owner, and the pristine copies.

Both say only what follows from the spec and the compiler: no time, no user, no absolute path. The same spec gives the
same bytes everywhere.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple

from labspec import __version__
from labspec.emit.tree import File, Tree, digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labspec.emit.outputs import Plan

LANGUAGE = 1
"""The version of the spec language, and of the manifest's form."""

_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest date that a zip archive can hold."""


class Manifest(NamedTuple):
    """What a manifest says: which edition of which lab a repository holds, and the digests of its files."""

    lab: str
    edition: str
    digests: Mapping[str, str]


def manifest_file(plan: Plan, files: Tree) -> File:
    """The manifest of a repository of these files."""
    content = {
        "labspec": LANGUAGE,
        "compiler": __version__,
        "lab": plan.lab,
        "lab_version": plan.lab_version,
        "spec": plan.spec,
        "edition": plan.edition.name,
        "files": {path: _entry(path, file) for path, file in sorted(files.items())},
    }
    return File((json.dumps(content, indent=1) + "\n").encode("ascii"))


def _entry(path: str, file: File) -> dict[str, str]:
    return {"sha256": digest(path, file.data), "mode": f"{file.mode:o}", "owner": file.owner}


def read_manifest(data: bytes) -> Manifest | None:
    """The manifest in these bytes, or None if they are not one that we write."""
    try:
        content: Any = json.loads(data.decode("utf-8"))
        digests = {str(path): str(entry["sha256"]) for path, entry in content["files"].items()}
        found = Manifest(str(content["lab"]), str(content["edition"]), digests)
        return found if content["labspec"] == LANGUAGE else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def pristine_file(files: Tree) -> File:
    """An archive of these files. Stored, not compressed: compressors differ between machines."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path, file in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _FIRST_DATE)
            entry.create_system = 3  # the one byte that would name the operating system
            entry.external_attr = (0o100000 | file.mode) << 16
            archive.writestr(entry, file.data)
    return File(buffer.getvalue())
