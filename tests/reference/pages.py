"""The files that are written from the code for users: the pages of the reference, and the table of completions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.reference.commands import commands_page
from tests.reference.completions import completions
from tests.reference.conditions import conditions_page
from tests.reference.spec import spec_page

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final[dict[str, Callable[[], str]]] = {
    "docs/reference/spec.md": spec_page,
    "docs/reference/conditions.md": conditions_page,
    "docs/reference/commands.md": commands_page,
    "labspec/cli/completions.json": completions,
}
"""What is written where."""


def regenerate() -> None:
    """Write every page."""
    for name, text in PAGES.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text().encode())
