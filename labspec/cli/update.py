"""`labspec update`: bring clones of a repository to the version that the spec makes now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.specs import require_lab


@click.command()
@click.argument("clones", nargs=-1, required=True, metavar="CLONE...", type=click.Path(path_type=Path))
@click.option(
    "--spec", required=True, metavar="SPEC", type=click.Path(path_type=Path), help="The spec of the lab, as it is now."
)
@click.option("--dry-run", is_flag=True, help="Write nothing: say what would be done with each file.")
def command(clones: Sequence[Path], spec: Path, dry_run: bool) -> int:
    """Bring clones of a student repository to the version of the lab that SPEC makes now.

    What students write stays as they left it; given files, fixtures and tests move to the new version. What a student
    has changed in those is merged, or the new version is put beside it, as NAME.labspec-new. WHAT-CHANGED.md tells the
    student what the new version means for the work that has begun. Only files with somebody's edits are named here;
    `--dry-run` names them all. A clone that is refused stays as it is, and does
    not keep the others from being updated.
    """
    lab = require_lab(spec)
    from labspec.emit.write.words import steps_text
    from labspec.update import update_all

    is_fine = True
    for updated in update_all(clones, lab, dry_run=dry_run):
        is_fine = is_fine and updated.is_fine
        if updated.refusal is None:
            click.echo(steps_text(updated.clone, updated.steps, planned=dry_run, brief=not dry_run), nl=False)
        else:
            refusal = updated.refusal
            click.echo(f"error[{refusal.code}] {refusal.message}\n  help: {refusal.help}", err=True)
    return EXIT_FINE if is_fine else EXIT_FINDINGS
