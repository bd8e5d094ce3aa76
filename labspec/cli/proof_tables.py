"""A proof on the terminal: the promises, the mutants by family and by gate, and on request each mutant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from labspec.mutants.model import FAMILIES

if TYPE_CHECKING:
    from labspec.prove import Caught, Proof, Verdict


def promises_table(proof: Proof) -> Table:
    """One line for each runner that was tested."""
    table = _table(f"proof of {proof.lab}")
    table.add_column("runner", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("gates missed", overflow="fold")
    table.add_column("promise", no_wrap=True)
    table.add_column("kept", no_wrap=True)
    total = sum(points for _, points in proof.gates)
    for verdict in proof.verdicts:
        missed = proof.missed(verdict)
        shown = "all" if len(missed) == len(proof.gates) else ", ".join(missed)
        promise = "misses just these" if verdict.kind == "mistake" else verdict.promise
        table.add_row(verdict.name, f"{proof.points(verdict)} / {total}", shown, promise, _mark(verdict.kept))
    table.add_row("second build", "", "", "gives the same bytes", _mark(proof.same_bytes))
    return table


def families_table(proof: Proof) -> Table:
    """How many mutants of each family were caught."""
    table = _table("mutants: the reference runner with one slip")
    table.add_column("slips in", no_wrap=True)
    for name in ("mutants", "caught", "equivalent", "not decided", "survive"):
        table.add_column(name, justify="right")
    for family in FAMILIES:
        own = [mutant for mutant in proof.mutants if mutant.family == family]
        if own:
            table.add_row("the table" if family == "table" else family, *_counts(own))
    table.add_row("all", *_counts(proof.mutants))
    return table


def _counts(mutants: tuple[Caught, ...] | list[Caught]) -> list[str]:
    counted = Counter(mutant.verdict for mutant in mutants)
    fates = [counted["caught"], counted["equivalent"], counted["not decided"], counted["survives"]]
    return [str(number) if number else "-" for number in (len(mutants), *fates)]


def gates_table(proof: Proof) -> Table:
    """How many mutants each gate catches, and how many it alone catches."""
    table = _table("gates")
    table.add_column("gate", no_wrap=True)
    table.add_column("points", justify="right")
    table.add_column("catches", justify="right")
    table.add_column("only it", justify="right")
    for gate, points in proof.gates:
        if gate in proof.about_tests:
            table.add_row(gate, str(points), "own tests", "-")
            continue
        catches = [mutant for mutant in proof.mutants if gate in mutant.missed]
        alone = sum(len(mutant.missed) == 1 for mutant in catches)
        table.add_row(gate, str(points), str(len(catches)), str(alone) if alone else "-")
    return table


def matrix_table(proof: Proof) -> Table:
    """Every mutant with what became of it, and a reason from each gate that catches it."""
    table = _table("each mutant", show_lines=False)
    table.add_column("mutant", overflow="fold", ratio=2)
    table.add_column("gate", overflow="fold", ratio=1)
    table.add_column("reason", overflow="fold", ratio=4)
    for mutant in proof.mutants:
        table.add_row(Text(f"{mutant.id}:", style="bold"), "", Text(mutant.says))
        for gate, reason in mutant.missed.items():
            table.add_row("", gate, Text(reason))
        if not mutant.missed:
            table.add_row("", Text(mutant.verdict, style=_STYLES[mutant.verdict]), Text(mutant.note))
    return table


_STYLES = {"caught": "green", "equivalent": "dim", "not decided": "bold yellow", "survives": "bold red"}


def _table(title: str, *, show_lines: bool = False) -> Table:
    return Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", show_lines=show_lines)


def _mark(kept: bool) -> str:
    return "[green]yes[/green]" if kept else "[bold red]NO[/bold red]"


def complaints(proof: Proof) -> Iterator[str]:
    """A sentence for each promise that is not kept and each mutant that is not caught."""
    if not proof.same_bytes:
        yield "a second build gave other bytes: this is a fault of labspec"
    for verdict in proof.verdicts:
        if verdict.result.fault is not None:
            yield f"{verdict.name}: {verdict.result.fault}"
        elif not verdict.kept:
            yield _broken(proof, verdict)
    for mutant in proof.mutants:
        if mutant.verdict == "survives":
            yield f"{mutant.id} survives: no gate notices that {mutant.says}"
        if mutant.verdict == "not decided":
            yield f"{mutant.id} is not decided: {mutant.says}; {mutant.note}"


def _broken(proof: Proof, verdict: Verdict) -> str:
    order = [gate for gate, _ in proof.gates]
    lacking = [gate for gate in order if gate in verdict.expected - verdict.result.earned]
    extra = [gate for gate in order if gate in verdict.result.earned - verdict.expected]
    parts = [f"misses {gate} ({verdict.result.first_failures.get(gate, '')})" for gate in lacking]
    parts += [f"earns {gate}, which it should not" for gate in extra]
    return f"{verdict.name}: {'; '.join(parts)}"


def summary(proof: Proof) -> str:
    """The proof in one line."""
    kept = sum(verdict.kept for verdict in proof.verdicts) + proof.same_bytes
    slips = [mutant for mutant in proof.mutants if mutant.verdict != "equivalent"]
    caught = sum(mutant.verdict == "caught" for mutant in slips)
    word = "proved" if proof.holds else "NOT proved"
    promises = f"{kept} of {len(proof.verdicts) + 1} promises kept"
    return f"{proof.lab}: {word}, {promises}, {caught} of {len(slips)} mutants caught"
