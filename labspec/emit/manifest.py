"""The bookkeeping of a repository: the manifest with every file's digest and owner, and the pristine copies.

Both say only what follows from the spec and the compiler: no time, no user, no absolute path. The same spec gives the
same bytes everywhere.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from labspec import __version__
from labspec.emit.shared import once
from labspec.emit.tree import File, Tree, digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labspec.emit.outputs import Plan

LANGUAGE = 1
"""The version of the spec language, and of the manifest's form."""


class Manifest(NamedTuple):
    """What a manifest says: which edition of which lab a repository holds, and the digests of its files and its spec.

    `digests` are those of the pristine copies; `held` has the digests of files that were handed out with edits.
    """

    lab: str
    version: str
    edition: str
    digests: Mapping[str, str]
    held: Mapping[str, str]
    spec: str


def manifest_file(plan: Plan, files: Tree) -> File:
    """The manifest of a repository of these files."""
    items = {
        "labspec": json.dumps(LANGUAGE),
        "compiler": json.dumps(__version__),
        "lab": json.dumps(plan.lab),
        "lab_version": json.dumps(plan.lab_version),
        "spec": json.dumps(plan.spec),
        "edition": json.dumps(plan.edition.name),
        "files": _object({path: _kept(file).entry for path, file in sorted(files.items())}, " "),
    }
    return _bookkeeping(items)


def _bookkeeping(items: Mapping[str, str]) -> File:
    """A file of bookkeeping with these items."""
    return File(f"{_object(items, '')}\n".encode("ascii"))


def _object(items: Mapping[str, str], margin: str) -> str:
    """A JSON object as `json.dumps` prints it with an indentation of 1, but of items that are JSON already."""
    lines = ",\n".join(f"{margin} {json.dumps(name)}: {item}" for name, item in items.items())
    return f"{{\n{lines}\n{margin}}}" if items else "{}"


class _Kept(NamedTuple):
    """What the bookkeeping says of a file, as JSON: its entry in the manifest, and its text."""

    entry: str
    text: str


@once
def _kept(file: File) -> _Kept:
    said = {"sha256": digest(file.data), "mode": f"{file.mode:o}", "owner": file.owner}
    entry = _object({key: json.dumps(value) for key, value in said.items()}, "  ")
    return _Kept(entry, json.dumps(file.data.decode("utf-8")))


def with_held(manifest: File, held: Mapping[str, str]) -> File:
    """The manifest of a repository in which files were edited before it is handed out, by the digests of the edited.

    Such an entry has the digest of the file as it is, which tests compare with, and that of the pristine copy.
    """
    if not held:
        return manifest
    content = json.loads(manifest.data)
    for path, found in held.items():
        entry = content["files"][path]
        content["files"][path] = {**entry, "sha256": found, "pristine": entry["sha256"]}
    return manifest._replace(data=(json.dumps(content, indent=1) + "\n").encode("ascii"))


def read_manifest(data: bytes) -> Manifest | None:
    """The manifest in these bytes, or None if they are not one that we write."""
    try:
        content: Any = json.loads(data.decode("utf-8"))
        files = {str(path): (str(entry["sha256"]), entry.get("pristine")) for path, entry in content["files"].items()}
        digests = {path: held if pristine is None else str(pristine) for path, (held, pristine) in files.items()}
        held = {path: held for path, (held, pristine) in files.items() if pristine is not None}
        lab, version, edition, spec = (str(content[key]) for key in ("lab", "lab_version", "edition", "spec"))
        return Manifest(lab, version, edition, digests, held, spec) if content["labspec"] == LANGUAGE else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def pristine_file(files: Tree) -> File:
    """The text of every file as it was handed out, by path: what a later merge starts from."""
    return _bookkeeping({path: _kept(file).text for path, file in sorted(files.items())})


def read_pristine(data: bytes) -> Mapping[str, bytes]:
    """The copies in these bytes; none if they are not what we write."""
    try:
        content: Any = json.loads(data.decode("utf-8"))
        return {str(path): text.encode("utf-8") for path, text in content.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
