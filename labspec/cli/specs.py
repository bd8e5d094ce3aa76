"""What all commands share whose options click reads: the specs they are given, and the lab of one of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from labspec.cli import EXIT_FINDINGS
from labspec.cli.findings import render_findings
from labspec.pipeline import load

if TYPE_CHECKING:
    from labspec.lab.model import Lab

SPECS_OF_A_COURSE: Final = Path("specs")
"""Where a course keeps its specs."""


def _or_all_of_the_course(context: click.Context, _: click.Parameter, specs: tuple[Path, ...]) -> tuple[Path, ...]:
    """The specs that are named, or else those of the course that the working directory is."""
    if specs or context.resilient_parsing:
        return specs
    found = [path for path in SPECS_OF_A_COURSE.glob("*") if path.suffix in (".yaml", ".yml")]
    if not found:
        message = "Missing argument 'SPEC...': without it every spec in the folder `specs` is taken, and none is there."
        raise click.UsageError(message)
    return tuple(sorted(found))


spec_argument = click.argument(
    "specs", nargs=-1, metavar="[SPEC]...", type=click.Path(path_type=Path), callback=_or_all_of_the_course
)
"""The specs that a command works on; none means all of a course, so that nobody needs a shell that knows `*`."""


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
