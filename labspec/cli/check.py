"""`labspec check`: say what is wrong with specs, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.specs import load_all, render_findings, spec_argument

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Lab


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
    never fire, and holds every mistake against the rubric. Writes nothing.
    """
    loaded = load_all(specs)
    text = render_findings(loaded, format)
    if text:
        click.echo(text, nl=False)
    if format == "terminal":
        for path, one in zip(dict.fromkeys(specs), loaded, strict=True):
            if one.lab is not None:
                click.echo(summary(path, one.lab))
    return EXIT_FINDINGS if any(one.report.has_errors for one in loaded) else EXIT_FINE


def summary(path: Path, lab: Lab) -> str:
    """One line about a sound lab, and one for each ending that the reference filled in."""
    parts = ((lab.table, "row"), (lab.fixtures, "fixture"), (lab.mistakes, "mistake"), (lab.rubric, "gate"))
    counts = ", ".join(f"{len(part)} {word}{'' if len(part) == 1 else 's'}" for part, word in parts)
    filled = [_filled_in(fixture) for fixture in lab.fixtures if not fixture.stated]
    return "\n".join([f"{path}: sound ({counts}, {lab.points} points)", *filled])


def _filled_in(fixture: Fixture) -> str:
    ending = fixture.ending
    tools = ", ".join(ending.tool_names)
    last_error = "null" if ending.last_error is None else ending.last_error
    return (
        f"  filled in: `{fixture.id}` ends in {ending.reason} after {ending.turns} turns, "
        f"tools [{tools}], last_error {last_error} (row `{ending.row}`)"
    )
