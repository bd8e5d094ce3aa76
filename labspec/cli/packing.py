"""What `labspec build --zip` does beside a repository: writes its archive, or says how it differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from labspec.emit.archive import archive
from labspec.emit.write import WriteRefused
from labspec.emit.write_archive import archive_state, write_archive

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.cli.build import Mode
    from labspec.emit.tree import Tree


_PLANNED = {"missing": "new", "differs": "to update", "current": "nothing to do"}
"""What a build would do with an archive in this state."""


def pack(tree: Tree, target: Path, mode: Mode) -> bool:
    """Pack the tree into the archive beside the folder `target`, or say what that would change; returns whether all is
    well.

    The archive has one top folder, named as the target is.
    """
    data, place = archive(tree, target.name), target.with_name(f"{target.name}.zip")
    try:
        if mode != "write":
            state = archive_state(data, place)
            click.echo(f"{place}: {_PLANNED[state]}")
            return mode == "dry-run" or state == "current"
        written = write_archive(data, place)
    except WriteRefused as refusal:
        click.echo(f"error[{refusal.code}] {refusal.message}\n  help: {refusal.help}", err=True)
        return False
    click.echo(f"{place}: {f'{len(data)} bytes written' if written else 'nothing to do'}")
    return True
