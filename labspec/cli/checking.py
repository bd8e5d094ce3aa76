"""What `labspec check` does, without the reading of its options."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.findings import load_all, render_findings

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Lab
    from labspec.pipeline import OnRead


def check_specs(
    specs: Sequence[Path],
    format: str = "terminal",
    *,
    proof: bool = True,
    limit: int | None = None,
    on_read: OnRead | None = None,
) -> int:
    """Print the findings of all specs, and for people a line about each sound lab; returns the exit code.

    Without `proof`, nobody asks which slips go unnoticed. `limit` is how many turns the explorer may take, `on_read` is
    told of each file before it is read.
    """
    loaded = load_all(specs, proof=proof, limit=limit, on_read=on_read)
    sys.stdout.write(render_findings(loaded, format))
    if format == "terminal":
        for path, one in zip(dict.fromkeys(specs), loaded, strict=True):
            if one.lab is not None:
                sys.stdout.write(f"{summary(path, one.lab)}\n")
    return EXIT_FINDINGS if any(one.report.has_errors for one in loaded) else EXIT_FINE


def summary(path: Path, lab: Lab) -> str:
    """One line about a sound lab, and one for each ending that the reference filled in."""
    parts = ((lab.table, "row"), (lab.fixtures, "fixture"), (lab.mistakes, "mistake"), (lab.rubric, "gate"))
    counts = ", ".join(f"{len(part)} {word}{'' if len(part) == 1 else 's'}" for part, word in parts)
    filled = [_filled_in(fixture) for fixture in lab.fixtures if not fixture.stated]
    return "\n".join([f"{path}: sound ({counts}, {lab.points} points)", *filled])


def _filled_in(fixture: Fixture) -> str:
    ending = fixture.ending
    tools = ", ".join(ending.tool_names)
    last_error = "null" if ending.last_error is None else ending.last_error
    return (
        f"  filled in: `{fixture.id}` ends in {ending.reason} after {ending.turns} turns, "
        f"tools [{tools}], last_error {last_error} (row `{ending.row}`)"
    )
