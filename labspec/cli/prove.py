"""`labspec prove`: build for real, and show that the tests bite."""

from __future__ import annotations

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
from labspec.prove import Progress, Proof, Verdict, prove

if TYPE_CHECKING:
    from rich.table import Table

    from labspec.lab.model import Lab


WIDTH_OF_A_LOG = 110
"""How wide the table is, in columns, where the output is no terminal."""


@click.command()
@spec_argument
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 64),
    default=os.cpu_count() or 1,
    help="How many runners are tested at a time.",
)
def command(specs: Sequence[Path], jobs: int) -> int:
    """Build the lab of each SPEC for real, and show that its tests bite.

    In a temporary folder: a second build gives the same bytes; the solution and the reference runner earn every gate;
    the untouched starter earns nothing; every listed mistake costs exactly the gates it says.
    """
    loaded = load_all(specs)
    click.echo(render_findings(loaded, to_stderr=True), err=True, nl=False)
    holds = [_prove_one(one.lab, jobs) for one in loaded if one.lab is not None]
    return EXIT_FINE if all(holds) and len(holds) == len(loaded) else EXIT_FINDINGS


def _prove_one(lab: Lab, jobs: int) -> bool:
    if needs_node(lab) and shutil.which("node") is None:
        click.echo(f"error[no-node] {lab.id}: can't be proved here, because there is no `node` on PATH", err=True)
        click.echo("  help: install Node 20 or newer, or prove this lab on another machine", err=True)
        return False
    from rich.console import Console

    proof = prove(lab, jobs, _show_progress(lab.id))
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_OF_A_LOG)
    console.print(table_of(proof))
    for line in broken_promises(proof):
        console.print(line, markup=False)
    kept = sum(verdict.kept for verdict in proof.verdicts) + proof.same_bytes
    word = "proved" if proof.holds else "NOT proved"
    console.print(f"{lab.id}: {word}, {kept} of {len(proof.verdicts) + 1} promises kept", markup=False)
    return proof.holds


def needs_node(lab: Lab) -> bool:
    """Whether the student repository or a command of the lab runs on Node."""
    return lab.target == "node" or any(
        tool.command is not None and tool.command.argv[0] == "node" for tool in lab.tools
    )


def _show_progress(name: str) -> Progress:
    """Progress on stderr: one line that is written over on a terminal, a line for each subject elsewhere."""
    overwrite = sys.stderr.isatty()

    def show(done: int, total: int, subject: str) -> None:
        text = f"{name}: {done} of {total} tested ({subject})"
        if overwrite:
            end = "\n" if done == total else ""
            click.echo(f"\r\x1b[2K{text}", err=True, nl=False)
            click.echo(end, err=True, nl=False)
        else:
            click.echo(text, err=True)

    return show


def table_of(proof: Proof) -> Table:
    """One line for each runner that was tested."""
    from rich import box
    from rich.table import Table

    table = Table(title=f"proof of {proof.lab}", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("runner", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("gates missed", overflow="fold")
    table.add_column("promise", no_wrap=True)
    table.add_column("kept", no_wrap=True)
    total = sum(points for _, points in proof.gates)
    for verdict in proof.verdicts:
        missed = [gate for gate, _ in proof.gates if gate not in verdict.result.earned]
        shown = "all" if len(missed) == len(proof.gates) else ", ".join(missed)
        promise = "misses just these" if verdict.kind == "mistake" else verdict.promise
        table.add_row(verdict.name, f"{proof.points(verdict)} / {total}", shown, promise, _mark(verdict.kept))
    table.add_row("second build", "", "", "gives the same bytes", _mark(proof.same_bytes))
    return table


def _mark(kept: bool) -> str:
    return "[green]yes[/green]" if kept else "[bold red]NO[/bold red]"


def broken_promises(proof: Proof) -> list[str]:
    """A sentence for each promise that is not kept."""
    lines = [] if proof.same_bytes else ["a second build gave other bytes: this is a fault of labspec"]
    for verdict in proof.verdicts:
        if verdict.result.fault is not None:
            lines.append(f"{verdict.name}: {verdict.result.fault}")
        elif not verdict.kept:
            lines.append(_broken(proof, verdict))
    return lines


def _broken(proof: Proof, verdict: Verdict) -> str:
    order = [gate for gate, _ in proof.gates]
    lacking = [gate for gate in order if gate in verdict.expected - verdict.result.earned]
    extra = [gate for gate in order if gate in verdict.result.earned - verdict.expected]
    parts = [f"misses {gate} ({verdict.result.first_failures.get(gate, '')})" for gate in lacking]
    parts += [f"earns {gate}, which it should not" for gate in extra]
    return f"{verdict.name}: {'; '.join(parts)}"
