"""`labspec ledger`: what the lines that runs left behind say, whether they are right, and whether two runs agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.findings import render_report
from labspec.diagnostics import Report

if TYPE_CHECKING:
    from labspec.lab.model import Lab

_ledgers = click.argument("ledgers", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
_spec = click.option("--spec", required=True, type=click.Path(path_type=Path), help="The lab that the runs are of.")
_format = click.option(
    "--format",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    help="How the result is printed: for people, or as one JSON document.",
)
_show = click.option(
    "--show",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How many findings of each kind are shown for a ledger. All of them are counted.",
)


@click.group()
def command() -> None:
    """Check, migrate and compare ledgers: the JSON lines in which runs say why they stopped.

    Ledgers are read as they come, of any length, in bounded memory. Only `migrate` writes.
    """


@command.command("check", short_help="Hold ledgers against a lab, and count how the runs ended")
@_ledgers
@_spec
@_format
@_show
def check(ledgers: Sequence[Path], spec: Path, format: str, show: int) -> int:
    """Hold every line of each ledger FILE against a lab, and count how the runs ended.

    A line must be JSON that can be read in one way only, with the seven fields of a record. Its reason must be in the
    taxonomy, its counts within the budgets of its fixture, and its last error one that the lab allows.
    """
    from labspec.cli.ledger_tables import checked_document, checked_tables
    from labspec.ledger.check import check_ledgers

    lab, report = _lab_of(spec), Report()
    checked = check_ledgers(ledgers, lab, report, show)
    shown = checked_document(checked, report) if format == "json" else checked_tables(checked, lab)
    _print(report, shown, format)
    return _exit_code(report)


@command.command("migrate", short_help="Rename the reasons that the taxonomy renames")
@_ledgers
@_spec
@click.option("--dry-run", is_flag=True, help="Say what would be renamed, and write nothing.")
@_show
def migrate(ledgers: Sequence[Path], spec: Path, dry_run: bool, show: int) -> int:
    """Rename the reasons in each ledger FILE as the taxonomy says: `was: old_name` in the spec.

    Nothing else of a line changes. The old ledger stays beside the new one, as FILE.before-migration. A ledger is left
    as it is if one of its lines can't be read or has a reason without a counterpart. Let no runs write to it meanwhile.
    """
    from labspec.cli.ledger_tables import migrated_line
    from labspec.ledger.migrate import migrate_ledgers

    lab, report = _lab_of(spec), Report()
    migrated = migrate_ledgers(ledgers, lab, report, show, dry_run=dry_run)
    _print(report, "".join(f"{migrated_line(one, dry_run=dry_run)}\n" for one in migrated), "terminal")
    return _exit_code(report)


@command.command("compare", short_help="Say which runs of two ledgers agree, and in what others differ")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@_format
@_show
def compare(a: Path, b: Path, format: str, show: int) -> int:
    """Say which runs of the ledgers A and B agree, and in what the others differ.

    Two runs agree if their reason, turns, tool names and last error are the same. A run is held against the one with
    the same run id and fixture; runs whose ids the other ledger does not have, by fixture and in the order of their
    lines. The exit code is 1 if anything differs.
    """
    from labspec.cli.ledger_tables import compared_document, compared_lines
    from labspec.ledger.compare import compare_ledgers

    report = Report()
    comparison = compare_ledgers(a, b, report, show)
    if format == "json":
        _print(report, compared_document(comparison, report), format)
    else:
        _print(report, "" if comparison is None else compared_lines(comparison, show), format)
    return _exit_code(report) if comparison is not None and comparison.is_same else EXIT_FINDINGS


def _lab_of(spec: Path) -> Lab:
    from labspec.cli.specs import require_lab

    return require_lab(spec)


def _print(report: Report, result: str, format: str) -> None:
    """The findings, then the result; a document has the findings in it."""
    if format == "terminal":
        findings = render_report(report)
        click.echo(f"{findings}\n" if findings and result else findings, nl=False)
    click.echo(result, nl=False)


def _exit_code(report: Report) -> int:
    return EXIT_FINDINGS if report.has_errors else EXIT_FINE
