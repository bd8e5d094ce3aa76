"""A tree becomes a folder that was not there: built beside its place, then renamed. So do repositories and courses."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from labspec.emit.write.transaction import make_folder, put_file

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.emit.tree import Tree


def create_folder(tree: Tree, target: Path) -> None:
    """Make the folder `target`, which is not there or empty, hold a tree whose paths stay inside. Raises OSError.

    Whatever keeps it from that, the place of the folder is left as it was. Hold the lock of its parent.
    """
    staging = target.with_name(f".{target.name}.labspec-unfinished")  # always this name: a killed build leaves it
    if staging.exists():
        shutil.rmtree(staging)
    try:
        make_folder(staging)
        for path, file in tree.items():
            make_folder((staging / path).parent, staging)
            put_file(staging / path, file)
        staging.rename(target)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)  # what went wrong is already on its way
        raise
