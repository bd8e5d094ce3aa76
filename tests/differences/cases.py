"""The pairs of specs, and what `labspec diff` prints about each of them: stored beside it, and written by `regen`."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from labspec.cli import main
from labspec.lab.model import Lab
from labspec.pipeline import load

PAIRS = Path(__file__).parent / "pairs"
FORMATS = {"terminal": ".txt", "markdown": ".md", "json": ".json"}


def pairs() -> list[str]:
    """The name of every pair; NAME.old.yaml and NAME.new.yaml are its specs."""
    return sorted(path.name.removesuffix(".old.yaml") for path in PAIRS.glob("*.old.yaml"))


def printed(*arguments: str) -> tuple[int, str]:
    """The exit code and the whole output of `labspec diff`, called in the folder of the pairs."""
    output = io.StringIO()
    with contextlib.chdir(PAIRS), contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(["diff", *arguments])
    return code, output.getvalue()


def difference(pair: str, format: str) -> str:
    """What is printed about a pair."""
    code, output = printed(f"{pair}.old.yaml", f"{pair}.new.yaml", "--format", format)
    if code > 1 or "error[" in output:
        raise ValueError(f"{pair} can't be compared: {output}")
    return output


def labs(pair: str) -> tuple[Lab, Lab]:
    """The two labs of a pair."""
    old, new = (load(PAIRS / f"{pair}.{side}.yaml").lab for side in ("old", "new"))
    if old is None or new is None:
        raise ValueError(f"a spec of {pair} has errors")
    return old, new


def regenerate() -> None:
    """Write what is printed about every pair, and take away what is left of pairs that are gone."""
    for ending in FORMATS.values():
        for stale in set(PAIRS.glob(f"*{ending}")) - {PAIRS / f"{pair}{ending}" for pair in pairs()}:
            stale.unlink()
    for pair in pairs():
        for format, ending in FORMATS.items():
            (PAIRS / f"{pair}{ending}").write_bytes(difference(pair, format).encode())
