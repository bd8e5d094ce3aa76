"""The command line of the stand-in: `lab.py run FIXTURE --ledger L --run-id R --trace T`."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Run one fixture in a fresh copy of the workspace."""
    _, command, fixture, *rest = sys.argv
    assert command == "run"
    options = dict(zip(rest[::2], rest[1::2], strict=True))
    plan = json.loads(Path(fixture).read_text(encoding="utf-8"))
    ledger, trace = Path(options["--ledger"]), Path(options["--trace"])
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(Path(__file__).parent / "workspace", Path(folder) / "workspace")
        os.chdir(copy)
        import_module("run_loop").run_loop(options["--run-id"], plan, ledger, trace)
        os.chdir(folder)


if __name__ == "__main__":
    main()
