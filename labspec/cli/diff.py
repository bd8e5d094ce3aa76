"""`labspec diff`: what a change of a spec means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.findings import render_findings
from labspec.cli.specs import FindingsError
from labspec.machine.explorer import TURN_LIMIT
from labspec.pipeline import Loaded, load

if TYPE_CHECKING:
    from labspec.differences import Differences
    from labspec.lab.model import Lab


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--format",
    type=click.Choice(["terminal", "markdown", "json"]),
    default="terminal",
    help="How the differences are printed: for people, for a pull request, or for a program.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=TURN_LIMIT,
    help="How many turns the explorer takes, at about, before it gives up; a million take ten seconds.",
)
def command(old: Path, new: Path, format: str, limit: int) -> int:
    """Say what changes in meaning from OLD to NEW: two specs, or repositories that labspec built.

    Which runs and fixtures end differently, which reasons, rows, budgets, gates and mistakes change, and which ledgers
    stay comparable. That no run can end differently is said only if it is proved; otherwise you are shown a shortest
    plan that does. A repository tells of its lab what students have: no hidden fixtures, for example, and no mistakes.

    As with `diff`, the exit code is 0 if the meaning is the same, though the words may differ, and 1 if it is not, or
    if it is not decided. It is 1 too if a spec has errors; then nothing is printed but them, on standard error.
    """
    found = _differences(old, new, limit)
    click.echo(_printed(found, format), nl=False)
    return EXIT_FINE if found.same_meaning else EXIT_FINDINGS


def _differences(old: Path, new: Path, limit: int) -> Differences:
    from labspec.differences import compare

    before, after = _both_labs(_side(old), _side(new))
    return compare(before, after, limit=limit, as_handed_out=old.is_dir() or new.is_dir())


def _side(path: Path) -> Loaded:
    """The lab of a spec or of a repository, or the findings that say why there is none."""
    if not path.is_dir():
        return load(path)
    from labspec.differences.repository import read_repository

    loaded = Loaded()
    loaded.lab = read_repository(path, loaded.report)
    return loaded


def _both_labs(old: Loaded, new: Loaded) -> tuple[Lab, Lab]:
    """The labs of both sides; prints the findings of both, and raises FindingsError if one has errors."""
    click.echo(render_findings([old, new], to_stderr=True), err=True, nl=False)
    if old.lab is None or new.lab is None:
        raise FindingsError("")
    return old.lab, new.lab


def _printed(found: Differences, format: str) -> str:
    from labspec.differences import to_json, to_markdown, to_terminal

    return {"terminal": to_terminal, "markdown": to_markdown, "json": to_json}[format](found)
