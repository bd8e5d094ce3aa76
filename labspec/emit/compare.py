"""What `--check` does in place of `write`: compares a tree with a target, and writes nothing."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from labspec.emit.manifest import read_manifest
from labspec.emit.target import read_if_file
from labspec.emit.tree import MANIFEST, PRISTINE, Tree, digest

if TYPE_CHECKING:
    from pathlib import Path

Drift: TypeAlias = Literal["missing", "differs", "extra"]


class Difference(NamedTuple):
    """A file that is not what the spec makes: not there, different, or no longer made. `diff` turns what is there into
    what the spec makes.
    """

    path: str
    drift: Drift
    diff: str = ""


def compare(tree: Tree, target: Path) -> list[Difference]:
    """The differences between a tree and the directory `target`, by path. Files that are not ours do not count."""
    found = [difference for path in tree if (difference := _difference(path, tree, target)) is not None]
    return sorted([*found, *_extra(tree, target)], key=lambda difference: difference.path)


def _difference(path: str, tree: Tree, target: Path) -> Difference | None:
    data, wanted = read_if_file(target / path), tree[path].data
    if data is None:
        return Difference(path, "missing")
    if digest(data) == digest(wanted):
        return None
    return Difference(path, "differs", _diff(path, data, wanted))


def _extra(tree: Tree, target: Path) -> list[Difference]:
    data = read_if_file(target / MANIFEST)
    manifest = None if data is None else read_manifest(data)
    ours = () if manifest is None else manifest.digests
    return [Difference(path, "extra") for path in ours if path not in tree and read_if_file(target / path) is not None]


def _diff(path: str, data: bytes, wanted: bytes) -> str:
    import difflib  # only a difference needs it

    if path == PRISTINE:
        return "its copies of the files above differ\n"
    old, new = map(_lines, (data, wanted))
    lines = difflib.unified_diff(old, new, f"{path} (there)", f"{path} (from the spec)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    # Not `splitlines`, which also splits at characters that stand inside a line of text.
    return list(io.StringIO(data.decode("utf-8", "replace").replace("\r\n", "\n"), newline="\n"))
