"""What `labspec build --zip` does beside a repository: writes its archive, or says how it differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from labspec.emit.archive import archive
from labspec.emit.target import WriteRefused
from labspec.emit.write_archive import archive_state, write_archive

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.emit.tree import Tree


def pack(tree: Tree, target: Path, check: bool) -> bool:
    """Pack the tree into the archive beside the folder `target`, or with `check` compare; returns whether all is well.

    The archive has one top folder, named as the target is.
    """
    data, place = archive(tree, target.name), target.with_name(f"{target.name}.zip")
    try:
        if check:
            state = archive_state(data, place)
            click.echo(f"{place}: {state}")
            return state == "current"
        written = write_archive(data, place)
    except WriteRefused as refusal:
        click.echo(f"error[{refusal.code}] {refusal.message}\n  help: {refusal.help}", err=True)
        return False
    click.echo(f"{place}: {f'{len(data)} bytes written' if written else 'nothing to do'}")
    return True
