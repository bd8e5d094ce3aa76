"""What `labspec check --fix` does, without the reading of its options: adds suggested fixtures to spec files."""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from labspec.cli import EXIT_FINDINGS
from labspec.cli.checking import check_specs
from labspec.source import name_of
from labspec.suggestions.add import Fixed, fix, yaml_of

if TYPE_CHECKING:
    from labspec.diagnostics import Suggestion


def fix_specs(specs: Sequence[Path], format: str = "terminal", *, only_show: bool = False) -> int:
    """Add what is suggested for each spec and check them anew; returns the exit code of that check.

    With `only_show`, print the lines that would be added as a diff, and change no file. What was done is told before
    the findings: on standard error where those are for a program.
    """
    told = sys.stdout if format == "terminal" else sys.stderr
    trouble = False
    for path in dict.fromkeys(specs):
        try:
            told.writelines(_fix(path, only_show=only_show))
        except OSError as error:
            sys.stderr.write(f"{name_of(path)}: nothing was added: {(error.strerror or str(error)).lower()}\n")
            trouble = True
    code = check_specs(specs, format)
    return EXIT_FINDINGS if trouble else code


def _fix(path: Path, *, only_show: bool) -> Iterator[str]:
    before = _content(path)
    if before is None:
        return
    fixed = fix(path, before)
    yield from _diff(path, before, fixed.data) if only_show else _write(path, before, fixed)
    yield from _left_out(path, fixed)


def _content(path: Path) -> bytes | None:
    """The content of a spec; None where `check` will say why there is none."""
    with contextlib.suppress(OSError, ValueError):  # ValueError: a NUL in the path
        return path.read_bytes() if path.is_file() else None
    return None


def _diff(path: Path, before: bytes, after: bytes) -> Iterator[str]:
    """The lines that would be added, for people and for `patch`."""
    old, new = (data.decode("utf-8").split("\n") if before != after else [] for data in (before, after))
    for line in difflib.unified_diff(old, new, name_of(path), name_of(path), lineterm=""):
        yield f"{line}\n"


def _write(path: Path, before: bytes, fixed: Fixed) -> Iterator[str]:
    """Write the file, and tell what was added; nothing is written where nothing is to be added."""
    if not fixed.added:
        return
    if not replace_content(path, before, fixed.data):
        yield f"{name_of(path)}: it has changed meanwhile, so nothing was added; call this once more\n"
        return
    for added in fixed.added:
        yield f"{name_of(path)}:{added.line}: added {_told(added.suggestion)}\n"
    yield f"{name_of(path)}: read what the new fixtures expect, then say in your own words what they show\n"


def _told(suggestion: Suggestion) -> str:
    slips = "".join(f"\n  catches: {slip}" for slip in suggestion.slips)
    note = f"\n  note: {suggestion.note}" if suggestion.note else ""
    return f"`{suggestion.fixture['id']}`{slips}{note}"


def _left_out(path: Path, fixed: Fixed) -> Iterator[str]:
    for left in fixed.left_out:
        yield f"{name_of(path)}: not added: `{left.suggestion.fixture['id']}`: {left.why}\n"
        yield f"{yaml_of(left.suggestion)}\n"


def replace_content(path: Path, before: bytes, after: bytes) -> bool:
    """Replace the content of a file as a whole, if it still is `before`; returns whether it was.

    A link is followed, and the permissions stay. Raises OSError if the file can't be written; then it is as it was.
    """
    real = Path(os.path.realpath(path))
    descriptor, name = tempfile.mkstemp(dir=real.parent, prefix=".labspec-", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(after)
        temporary.chmod(real.stat().st_mode & 0o7777)
        if real.read_bytes() != before:
            return False
        temporary.replace(real)
    finally:
        temporary.unlink(missing_ok=True)
    return True
