"""What `labspec check --watch` does: checks, waits until a file is saved, and checks again."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from labspec.cli.checking import check_specs
from labspec.plain_file import name_of
from labspec.watched_files import WatchedFiles

_CLEAR = "\x1b[H\x1b[2J"
_WIDTH = 80


def watch_specs(specs: Sequence[Path], *, proof: bool, limit: int | None) -> int:
    """Check whenever a spec, or one that it extends, is saved; Ctrl+C ends it, with the exit code of the last check.

    `proof` and `limit` are those of `check_specs`.
    """
    gc.enable()  # a process that lives for hours has garbage to collect
    files, code = WatchedFiles(), None
    try:
        while True:
            files.forget()
            code = check_specs(specs, proof=proof, limit=limit, on_read=files.note)
            names = ", ".join(map(_shown, files.paths))
            sys.stdout.write(f"\nWatching {names}. Ctrl+C ends this.\n")
            sys.stdout.flush()
            _begin_anew(files.wait())
    except KeyboardInterrupt:
        if code is None:
            raise  # there is no result yet
    if sys.stdout.isatty():
        sys.stdout.write("\n")  # after the ^C that terminals show
    return code


def _begin_anew(changed: list[Path]) -> None:
    """A clear screen, or a line across where there is none, with the files that were saved."""
    told = ", ".join(f"{_shown(path)} {'has changed' if path.exists() else 'is gone'}" for path in changed)
    is_screen = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    sys.stdout.write(f"{_CLEAR}{told}\n\n" if is_screen else f"\n{f'--- {told} ':-<{_WIDTH}}\n\n")


def _shown(path: Path) -> str:
    """The file as seen from here, if it is below."""
    here = Path.cwd()
    return name_of(path.relative_to(here) if path.is_relative_to(here) else path)
