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
@click.option("--fix", is_flag=True, help="Add the fixtures that are suggested to the spec files, lines only.")
@click.option("--diff", is_flag=True, help="With --fix: show the lines that would be added, and write nothing.")
@click.option("--watch", is_flag=True, help="Check again whenever a spec, or one that it extends, is saved.")
@click.option("--no-proof", is_flag=True, help="Leave out the slips that no gate sees, which take longest to find.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="How many turns the explorer takes, at about, to walk through a loop before it gives up; a million take ten"
    " seconds.",
)
def command(
    specs: Sequence[Path], format: str, fix: bool, diff: bool, watch: bool, no_proof: bool, limit: int | None
) -> int:
    """Say what is wrong with specs, all at once, with the place of each finding.

    Reads, validates and resolves each spec, runs every fixture through the reference runner, looks for rows that can
    never fire, and holds every mistake and every slip against the rubric. Writes nothing, unless told to --fix.
    `labspec explain CODE` says more about the code of a finding.

    Without SPEC, every spec in the folder `specs` is taken.
    """
    if diff and not fix:
        raise click.UsageError("--diff shows what --fix would add: write `labspec check --fix --diff`")
    if fix and no_proof:
        raise click.UsageError("--fix adds what the proof finds missing, so it can't do without: leave out --no-proof")
    if watch and (fix or format != "terminal"):
        raise click.UsageError("--watch is for people who edit a spec: leave out --fix and --format")
    if watch:
        from labspec.cli.watching import watch_specs  # a check alone needs none of it

        return watch_specs(specs, proof=not no_proof, limit=limit)
    if fix:
        from labspec.cli.fixing import fix_specs  # a check alone needs none of it

        return fix_specs(specs, format, only_show=diff)
    return check_specs(specs, format, proof=not no_proof, limit=limit)
