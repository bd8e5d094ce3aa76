"""What a build with `--zip` does beside a repository: writes its archive, or says what that would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.archive import archive
from labspec.emit.write_archive import archive_state, write_archive

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.building.request import Mode
    from labspec.emit import Tree

_PLANNED = {"missing": "new", "differs": "to update", "current": "nothing to do"}
"""What a build would do with an archive in this state."""


class Packed(NamedTuple):
    """What became of an archive: a text about it, and whether a check finds nothing to do."""

    text: str
    is_fine: bool = True


def pack(tree: Tree, target: Path, mode: Mode) -> Packed:
    """Pack the tree into the archive beside the folder `target`, with one top folder that is named as the target is.

    Raises WriteRefused if something else stands there, or the disk refuses.
    """
    data, place = archive(tree, target.name), target.with_name(f"{target.name}.zip")
    if mode != "write":
        state = archive_state(data, place)
        return Packed(f"{place}: {_PLANNED[state]}\n", is_fine=mode == "dry-run" or state == "current")
    written = write_archive(data, place)
    return Packed(f"{place}: {f'{len(data)} bytes written' if written else 'nothing to do'}\n")
