"""`labspec build`: write the student repository of each spec, or say what would change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.findings import load_all, render_findings
from labspec.cli.packing import pack
from labspec.cli.specs import spec_argument
from labspec.emit import Edition, WriteRefused, compare, plan, render, write

if TYPE_CHECKING:
    from labspec.emit import Difference
    from labspec.lab.model import Lab
    from labspec.pipeline import Loaded


@click.command()
@spec_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default="generated",
    show_default=True,
    help="The folder that holds one repository per lab, each named after the lab's id.",
)
@click.option("--solution", is_flag=True, help="Fill in what students are to write. Not for students.")
@click.option("--hidden", is_flag=True, help="Include hidden fixtures and their tests. Not for students.")
@click.option("--zip", "zipped", is_flag=True, help="Pack each repository into a zip archive beside its folder, too.")
@click.option("--check", is_flag=True, help="Write nothing: show what differs, and exit with 1 if anything does.")
def command(specs: Sequence[Path], output: Path, solution: bool, hidden: bool, zipped: bool, check: bool) -> int:
    """Write the student repository of each spec.

    A spec with errors is not built, and does not keep the others from being built. A repository that labspec did not
    write, or in which a file was edited, is left as it is. An archive holds what the spec makes, whatever is in the
    folder.
    """
    loaded = load_all(specs)
    click.echo(render_findings(loaded, to_stderr=True), err=True, nl=False)
    edition = Edition(solution=solution, hidden=hidden)
    done = [_build(one, output, edition, zipped, check) for one in _each_lab_once(loaded)]
    return EXIT_FINE if all(done) and len(done) == len(loaded) else EXIT_FINDINGS


def _each_lab_once(loaded: Sequence[Loaded]) -> list[Lab]:
    """The sound labs; of two with one id, which would be one folder, only the first."""
    labs: dict[str, Lab] = {}
    for one in loaded:
        if one.lab is not None and one.lab.id in labs:
            click.echo(f"error[duplicate-lab] two of the specs have the id `{one.lab.id}`", err=True)
        elif one.lab is not None:
            labs[one.lab.id] = one.lab
    return list(labs.values())


def _build(lab: Lab, output: Path, edition: Edition, zipped: bool, check: bool) -> bool:
    """Build one lab, or compare it; returns whether all is well."""
    target = output / lab.id
    tree = render(plan(lab, edition))
    if check:
        current = _show_drift(target, compare(tree, target))
        return (pack(tree, target, check) if zipped else True) and current
    try:
        written = write(tree, target)
    except WriteRefused as refusal:
        click.echo(f"error[{refusal.code}] {refusal.message}\n  help: {refusal.help}", err=True)
        return False
    changes = [
        f"{len(paths)} {word}" for paths, word in ((written.written, "written"), (written.removed, "removed")) if paths
    ]
    click.echo(f"{target}: {', '.join(changes) or 'nothing to do'} ({len(tree)} files)")
    return pack(tree, target, check) if zipped else True


def _show_drift(target: Path, differences: Sequence[Difference]) -> bool:
    for difference in differences:
        click.echo(f"{target / difference.path}: {difference.drift}")
        click.echo(difference.diff, nl=False)
    if not differences:
        click.echo(f"{target}: current")
    return not differences
