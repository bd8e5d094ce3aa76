"""What all commands share whose options click reads: the specs they are given, and the lab of one of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS
from labspec.cli.findings import render_findings
from labspec.pipeline import load

if TYPE_CHECKING:
    from labspec.lab.model import Lab

spec_argument = click.argument("specs", nargs=-1, required=True, metavar="SPEC...", type=click.Path(path_type=Path))


class FindingsError(click.ClickException):
    """The author's files have findings, which are already printed."""

    exit_code = EXIT_FINDINGS

    def show(self, file: object = None) -> None:  # click's signature
        """Print nothing more."""


def require_lab(path: Path) -> Lab:
    """The lab of one spec; prints its findings and raises FindingsError if it has errors."""
    loaded = load(path)
    click.echo(render_findings([loaded], to_stderr=True), err=True, nl=False)
    if loaded.lab is None:
        raise FindingsError("")
    return loaded.lab
