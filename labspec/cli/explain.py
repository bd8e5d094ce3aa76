"""`labspec explain`: what the code of a finding means, why it matters, and what to do."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

from labspec.cli import EXIT_FINE
from labspec.cli.findings import wants_colour
from labspec.codes import known_codes, list_pages, read_page, show_page
from labspec.diagnostics.suggest import did_you_mean

MAX_WIDTH = 80
"""The most columns of a page: longer lines are hard to read."""


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [code for code in known_codes() if code.startswith(incomplete)]


@click.command()
@click.argument("codes", nargs=-1, metavar="[CODE]...", shell_complete=_complete)
def command(codes: Sequence[str]) -> int:
    """Say what the CODE of a finding means, why it matters in class, and what to do, with an example.

    A code stands in brackets at the start of a finding: `error[CODE]`. Without a CODE, lists all of them by subject.
    Examples show only the lines that matter, laid over a small sound lab.
    """
    emphasis = wants_colour(sys.stdout)
    width = min(MAX_WIDTH, shutil.get_terminal_size().columns)
    if not codes:
        pages = [read_page(code) for code in known_codes()]
        click.echo(list_pages(pages, width, emphasis=emphasis), nl=False)
        return EXIT_FINE
    wanted = list(dict.fromkeys(_bare(code) for code in codes))
    _refuse_unknown(wanted)
    click.echo("\n\n".join(show_page(read_page(code), width, emphasis=emphasis) for code in wanted), nl=False)
    return EXIT_FINE


def _bare(code: str) -> str:
    """The code alone, also of `error[code]` as it is copied from a finding."""
    return code.rpartition("[")[2].rstrip(":").removesuffix("]")


def _refuse_unknown(codes: Sequence[str]) -> None:
    """Raises click.UsageError, with every code that has no page."""
    unknown = [_unknown(code) for code in codes if code not in known_codes()]
    if unknown:
        raise click.UsageError(f"{' '.join(unknown)} `labspec explain` lists all codes.")


def _unknown(code: str) -> str:
    near = did_you_mean(code, known_codes())
    return f"No finding has the code `{code}`." + (f" Did you mean `{near}`?" if near else "")
