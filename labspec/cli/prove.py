"""`labspec prove`: build for real, and show that the tests bite."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.findings import load_all, render_findings
from labspec.cli.specs import spec_argument
from labspec.cli.stopping import ended_as_by_ctrl_c
from labspec.prove import Progress, Proof, prove_each

if TYPE_CHECKING:
    from labspec.lab.model import Lab


WIDTH_OF_A_LOG = 110
"""How wide the tables are, in columns, where the output is no terminal."""

STEPS_OF_A_LOG = 10
"""How many lines the progress of a lab takes where the output is no terminal."""


@click.command()
@spec_argument
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 64),
    default=(os.cpu_count() or 1) + 1,  # tests wait for the end of their runs now and then
    help="How many runners are tested at a time; one more than there are cores, if you don't say.",
)
@click.option("--matrix", is_flag=True, help="Show each mutant, with the reason of each gate that catches it.")
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write LAB.proof.json and LAB.proof.html for each lab into this folder.",
)
def command(specs: Sequence[Path], jobs: int, matrix: bool, out: Path | None) -> int:
    """Build the lab of each SPEC for real, and show that its tests bite.

    In a temporary folder: a second build gives the same bytes; the solution and the reference runner earn every gate;
    the untouched starter earns nothing; every listed mistake costs exactly the gates it says; and every mutant, which
    is the reference runner with one slip, is caught by some gate, or is proved to be no slip at all.

    Without SPEC, every spec in the folder `specs` is taken.
    """
    loaded = load_all(specs)
    click.echo(render_findings(loaded, to_stderr=True), err=True, nl=False)
    labs = [one.lab for one in loaded if one.lab is not None and _can_be_proved(one.lab)]
    holds = []
    with ended_as_by_ctrl_c(), contextlib.closing(prove_each(labs, jobs, _show_progress())) as proofs:
        for lab, proof in zip(labs, proofs, strict=True):
            _print(proof, matrix=matrix)
            if out is not None:
                _write(proof, lab, out)
            holds.append(proof.holds)
    return EXIT_FINE if all(holds) and len(holds) == len(loaded) else EXIT_FINDINGS


def _can_be_proved(lab: Lab) -> bool:
    if not lab.needs_node or shutil.which("node") is not None:
        return True
    click.echo(f"error[no-node] {lab.id}: can't be proved here, because there is no `node` on PATH", err=True)
    click.echo("  help: install Node 20 or newer, or prove this lab on another machine", err=True)
    return False


def _show_progress() -> Progress:
    """Progress on stderr: one line that is written over on a terminal, some lines for each lab elsewhere."""
    overwrite = sys.stderr.isatty()

    def show(lab: str, done: int, total: int, subject: str) -> None:
        text = f"{lab}: {done} of {total} tested ({subject})"
        if overwrite:
            click.echo(f"\r\x1b[2K{text}", err=True, nl=False)
            click.echo("\r\x1b[2K" if done == total else "", err=True, nl=False)
        elif done == total or done % max(1, total // STEPS_OF_A_LOG) == 0:
            click.echo(text, err=True)

    return show


def _print(proof: Proof, *, matrix: bool) -> None:
    # Imported here: the help of the command does not wait for them.
    from rich.console import Console

    from labspec.cli.proof_tables import (
        complaints,
        families_table,
        gates_table,
        matrix_table,
        promises_table,
        summary,
    )

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_OF_A_LOG)
    console.print(promises_table(proof))
    console.print(families_table(proof))
    console.print(gates_table(proof))
    if matrix:
        console.print(matrix_table(proof))
    for line in complaints(proof):
        console.print(line, markup=False)
    console.print(summary(proof), markup=False)


def _write(proof: Proof, lab: Lab, out: Path) -> None:
    """Write the proof as data and as a page."""
    from labspec.prove.page import page
    from labspec.prove.proof_json import proof_json

    texts = {f"{lab.id}.proof.json": proof_json(proof), f"{lab.id}.proof.html": page(proof, lab)}
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (out / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.ClickException(f"can't write the proof into {out}: {error.strerror}") from None
