"""Specs loaded and their findings printed: what every command that reads specs begins with. Imports no click."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from labspec.diagnostics import Report
from labspec.pipeline import Loaded, OnRead, load

if TYPE_CHECKING:
    from labspec.known import KnownLabs


def load_all(
    paths: Sequence[Path], *, proof: bool = False, limit: int | None = None, on_read: OnRead | None = None
) -> list[Loaded]:
    """Every spec, each loaded once, in the order given; see `load`."""
    named = list(dict.fromkeys(paths))
    known = _nothing_known() if len(named) > 1 else None
    return [load(path, proof=proof, limit=limit, on_read=on_read, known=known) for path in named]


def _nothing_known() -> KnownLabs:
    from labspec.known import KnownLabs  # a single spec needs none of it

    return KnownLabs()


def render_findings(loaded: Sequence[Loaded], format: str = "terminal", *, to_stderr: bool = False) -> str:
    """The findings of all specs together, as `terminal`, `json` or `github`."""
    report = Report([diagnostic for one in loaded for diagnostic in one.report.diagnostics])
    texts = {file: text for one in loaded for file, text in one.texts.items()}
    return render_report(report, format, texts, to_stderr=to_stderr)


def render_report(
    report: Report,
    format: str = "terminal",
    texts: Mapping[str, str] = MappingProxyType({}),
    *,
    to_stderr: bool = False,
) -> str:
    """Findings as `terminal`, `json` or `github`, with the source lines of those files whose `texts` are given."""
    if format == "json":
        from labspec.diagnostics.json_format import to_json

        return to_json(report)
    if format == "github":
        from labspec.diagnostics.github import to_github

        return to_github(report)
    if not report.diagnostics:
        return ""
    from labspec.diagnostics.terminal import to_terminal

    return to_terminal(report, texts, colour=wants_colour(sys.stderr if to_stderr else sys.stdout))


def wants_colour(stream: object) -> bool:
    """Colour on a terminal only, and never where NO_COLOR is set (https://no-color.org)."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
