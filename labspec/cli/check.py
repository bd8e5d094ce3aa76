"""`labspec check`: say what is wrong with specs, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from labspec.cli.checking import check_specs
from labspec.cli.specs import spec_argument


@click.command()
@spec_argument
@click.option(
    "--format",
    type=click.Choice(["terminal", "json", "github"]),
    default="terminal",
    help="How findings are printed: for people, as one JSON document, or as annotations of a GitHub workflow.",
)
def command(specs: Sequence[Path], format: str) -> int:
    """Say what is wrong with specs, all at once, with the place of each finding.

    Reads, validates and resolves each spec, runs every fixture through the reference runner, looks for rows that can
    never fire, and holds every mistake against the rubric. Writes nothing. `labspec explain CODE` says more about the
    code of a finding.
    """
    return check_specs(specs, format)
