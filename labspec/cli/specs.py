"""What all commands share that read specs: loading them, and printing their findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli.call import FindingsError
from labspec.diagnostics import Report
from labspec.pipeline import Loaded, load

if TYPE_CHECKING:
    from labspec.lab.model import Lab

spec_argument = click.argument("specs", nargs=-1, required=True, metavar="SPEC...", type=click.Path(path_type=Path))


def load_all(paths: Sequence[Path]) -> list[Loaded]:
    """Every spec, each loaded once, in the order given."""
    return [load(path) for path in dict.fromkeys(paths)]


def require_lab(path: Path) -> Lab:
    """The lab of one spec; prints its findings and raises FindingsError if it has errors."""
    loaded = load(path)
    click.echo(render_findings([loaded], to_stderr=True), err=True, nl=False)
    if loaded.lab is None:
        raise FindingsError("")
    return loaded.lab


def render_findings(loaded: Sequence[Loaded], format: str = "terminal", *, to_stderr: bool = False) -> str:
    """The findings of all specs together, as `terminal`, `json` or `github`."""
    report = Report([diagnostic for one in loaded for diagnostic in one.report.diagnostics])
    if format == "json":
        from labspec.diagnostics.json_format import to_json

        return to_json(report)
    if format == "github":
        from labspec.diagnostics.github import to_github

        return to_github(report)
    if not report.diagnostics:
        return ""
    from labspec.diagnostics.terminal import to_terminal

    texts = {file: text for one in loaded for file, text in one.texts.items()}
    return to_terminal(report, texts, colour=wants_colour(sys.stderr if to_stderr else sys.stdout))


def wants_colour(stream: object) -> bool:
    """Colour on a terminal only, and never where NO_COLOR is set (https://no-color.org)."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
