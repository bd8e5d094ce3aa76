"""`labspec build`: write the student repository of each spec, or say what would change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.findings import load_all, render_findings
from labspec.cli.specs import spec_argument
from labspec.cli.steps import steps_text
from labspec.emit import Edition, Policy, WriteRefused, plan, plan_write, render, write

if TYPE_CHECKING:
    from labspec.emit import Step, Tree
    from labspec.lab.model import Lab
    from labspec.pipeline import Loaded

Mode: TypeAlias = Literal["write", "dry-run", "check"]


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
@click.option("--dry-run", "mode", flag_value="dry-run", help="Write nothing: say what would be done with each file.")
@click.option(
    "--check",
    "mode",
    flag_value="check",
    help="Write nothing: show what would change, and exit with 1 if anything would.",
)
@click.option(
    "--markers", is_flag=True, help="Where both sides changed the same lines, put both into the file, between markers."
)
def command(
    specs: Sequence[Path],
    output: Path,
    solution: bool,
    hidden: bool,
    zipped: bool,
    mode: Mode | None,
    markers: bool,
) -> int:
    """Write the student repository of each spec.

    A spec with errors is not built, and does not keep the others from being built. What a person has changed in a
    repository stays: it is merged with what the spec makes now, and where both changed the same lines, the file stays
    as it is and the new version is put beside it, as NAME.labspec-new. Put the two together, and remove that file.
    An archive has what the spec makes, and nothing of a person's.
    """
    loaded = load_all(specs)
    click.echo(render_findings(loaded, to_stderr=True), err=True, nl=False)
    edition = Edition(solution=solution, hidden=hidden)
    done = [_build(one, output, edition, mode or "write", Policy(markers), zipped) for one in _each_lab_once(loaded)]
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


def _build(lab: Lab, output: Path, edition: Edition, mode: Mode, policy: Policy, zipped: bool) -> bool:
    """Build one lab, or look what a build would do; returns whether all is well."""
    target = output / lab.id
    tree = render(plan(lab, edition))
    try:
        if mode == "write":
            steps: Sequence[Step] = write(tree, target, policy).steps
        else:
            steps = plan_write(tree, target, policy)
    except WriteRefused as refusal:
        click.echo(f"error[{refusal.code}] {refusal.message}\n  help: {refusal.help}", err=True)
        return False
    if mode == "check":
        click.echo(_diffs(target, steps), nl=False)
    click.echo(steps_text(target, steps, planned=mode != "write"), nl=False)
    packed = not zipped or _pack(tree, target, mode)
    return packed and not any(step.is_open or (mode == "check" and step.changes) for step in steps)


def _pack(tree: Tree, target: Path, mode: Mode) -> bool:
    from labspec.cli.packing import pack  # a build without an archive needs none of it

    return pack(tree, target, mode)


def _diffs(target: Path, steps: Sequence[Step]) -> str:
    from labspec.emit.write.diff import diff_of

    return "".join(diff_of(change, target) for step in steps for change in step.changes)
