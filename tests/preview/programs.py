"""`labspec preview` as a program, for the tests of the command and those in a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.users import ROOT

_STARTED = re.compile(r".+ is shown at http://127\.0\.0\.1:(?P<port>[0-9]+)/\n")


@contextmanager
def previewing(spec: Path, *options: str, browser: str = "false") -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A preview of a spec, and the port it listens on. `browser` is the program that would open the page."""
    command = [sys.executable, "-m", "labspec", "preview", str(spec), *options]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "DISPLAY": ":0", "BROWSER": browser},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as child:
        assert child.stdout is not None
        started = _STARTED.fullmatch(child.stdout.readline())
        assert started is not None
        assert child.stdout.readline() == "Save the spec and the page follows. Ctrl+C ends it.\n"
        try:
            yield child, int(started["port"])
        finally:
            child.kill()
