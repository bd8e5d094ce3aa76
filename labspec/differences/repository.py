"""A built repository as a side of a comparison: its `.labspec/lab.json` holds the lab as students have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit.manifest import read_manifest
from labspec.emit.tree import LAB, MANIFEST, digest
from labspec.emit.write.target import read_if_file
from labspec.handed_out.read import HandedOutError, read_lab
from labspec.plain_file import name_of, report_unreadable

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.diagnostics import Report
    from labspec.emit.manifest import Manifest
    from labspec.lab.model import Lab

_ADVICE = "compare with the old spec itself: `git show REVISION:lab.yaml > old.yaml` brings it back"


def read_repository(folder: Path, report: Report) -> Lab | None:
    """The lab that the repository in `folder` was built from, as students have it; None after a finding.

    What a person changed in the repository does not count: only the bookkeeping is read, and only as it was written.
    Compare it with `compare(..., as_handed_out=True)`: what students do not have is empty in it.
    """
    try:
        return _read(folder, report)
    except OSError as error:
        report_unreadable(name_of(folder), error, report)
        return None


def _read(folder: Path, report: Report) -> Lab | None:
    manifest = _manifest(folder)
    if manifest is None:
        message = f"`{name_of(folder)}` is not a repository that this version of labspec built"
        help = f"a repository has a file {MANIFEST}; give a spec, or the folder that holds that file"
        report.error("repository-not-ours", message, None, help=help)
        return None
    lab = _lab(folder, manifest)
    if isinstance(lab, str):
        report.error("repository-without-lab", f"`{name_of(folder / LAB)}` {lab}", None, help=_ADVICE)
        return None
    return lab


def _manifest(folder: Path) -> Manifest | None:
    data = read_if_file(folder / MANIFEST)
    return None if data is None else read_manifest(data)


def _lab(folder: Path, manifest: Manifest) -> Lab | str:
    """The lab, or what is wrong with its file."""
    data = read_if_file(folder / LAB)
    if data is None:
        return "is not there: an older labspec built the repository, or somebody removed the file"
    if digest(data) != manifest.digests.get(LAB):
        return "is not as labspec wrote it"
    try:
        return read_lab(data, manifest.spec)
    except HandedOutError as error:
        return f"can't be used: {error}"
