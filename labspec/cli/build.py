"""`labspec build`: write the student repository of each spec, or say what would change."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import click

from labspec.building import Built, Mode, Request, build_each
from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.findings import render_findings
from labspec.cli.specs import spec_argument
from labspec.cli.stopping import ended_as_by_ctrl_c
from labspec.emit import Edition, Policy
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

    Without SPEC, every spec in the folder `specs` is taken.
    """
    request = Request(output, Edition(solution=solution, hidden=hidden), mode or "write", Policy(markers), zipped)
    is_fine, with_findings = True, list[Loaded]()
    try:
        with ended_as_by_ctrl_c(), contextlib.closing(build_each(specs, request)) as repositories:
            for built in repositories:
                _tell(built)
                is_fine = is_fine and built.is_fine
                if built.loaded is not None and built.loaded.report.diagnostics:
                    with_findings.append(built.loaded)
    finally:  # also if the build is broken off: what was found in the specs so far is all that is said of them
        click.echo(render_findings(with_findings, to_stderr=True), err=True, nl=False)
    return EXIT_FINE if is_fine else EXIT_FINDINGS


def _tell(built: Built) -> None:
    click.echo(built.text, nl=False)
    if built.refusal is not None:
        message, help = built.refusal.message, built.refusal.help
        click.echo(f"error[{built.refusal.code}] {message}\n  help: {help}", err=True)
