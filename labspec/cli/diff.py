"""`labspec diff`: what a change of a spec means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.specs import require_lab
from labspec.machine.explorer import TURN_LIMIT

if TYPE_CHECKING:
    from labspec.differences import Differences


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--format",
    type=click.Choice(["terminal", "markdown", "json"]),
    default="terminal",
    help="How the differences are printed: for people, for a pull request, or for a program.",
)
@click.option("--exit-code", is_flag=True, help="End with 1 if anything differs.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=TURN_LIMIT,
    help="How many turns the explorer takes, at about, before it gives up; a million take ten seconds.",
)
def command(old: Path, new: Path, format: str, exit_code: bool, limit: int) -> int:
    """Say what changes in meaning from the spec OLD to the spec NEW.

    Which runs and fixtures end differently, which reasons, rows, budgets, gates and mistakes change, and which ledgers
    stay comparable. That no run can end differently is said only if it is proved; otherwise you are shown a shortest
    plan that does. OLD may be a repository that labspec built: it tells less, because it does not hold its spec.
    """
    found = _differences(old, new, limit)
    click.echo(_printed(found, format), nl=False)
    return EXIT_FINDINGS if exit_code and (found.sections or found.runs.verdict != "same") else EXIT_FINE


def _differences(old: Path, new: Path, limit: int) -> Differences:
    if new.is_dir():
        raise click.UsageError(f"{new} is a folder: only OLD may be a repository, and NEW is a spec")
    if old.is_dir():
        from labspec.differences.repository import RepositoryError, compare_repository

        try:
            return compare_repository(old, require_lab(new))
        except RepositoryError as error:
            raise click.ClickException(str(error)) from error
    from labspec.differences import compare

    return compare(require_lab(old), require_lab(new), limit=limit)


def _printed(found: Differences, format: str) -> str:
    from labspec.differences import to_json, to_markdown, to_terminal

    return {"terminal": to_terminal, "markdown": to_markdown, "json": to_json}[format](found)
