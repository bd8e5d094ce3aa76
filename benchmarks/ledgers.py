"""What `labspec ledger` takes for a million lines: processor time and memory. Run by hand; see README.md here.

.venv/bin/python benchmarks/ledgers.py [--lines 1000000] [--runs 3]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from labspec.machine.runner import Recorder
from labspec.pipeline import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labspec.lab.model import Lab

SPEC = Path(__file__).resolve().parent.parent / "specs" / "loop-exit-ledger.yaml"
LABSPEC = str(Path(sys.executable).parent / "labspec")
RENAMED = ("  turn_cap: {kind: budget,", "  turns_spent: {was: turn_cap, kind: budget,")
SLOW_LINES = 20
"""Of the ledger in which every line is different, one line for this many of the others: no line is remembered there."""


class Cost(NamedTuple):
    """What one process took: seconds of processor time, and megabytes of memory at its largest."""

    seconds: float
    megabytes: float


def main() -> None:
    """Measure each command and print a line for it."""
    parser = argparse.ArgumentParser(description="Measure the commands on ledgers.")
    parser.add_argument("--lines", type=int, default=1_000_000, help="how long the ledger is (default 1000000)")
    parser.add_argument("--runs", type=int, default=3, help="how often each command is measured (default 3)")
    options = parser.parse_args()
    lab = load(SPEC).lab
    if lab is None:
        parser.error(f"{SPEC} has findings: try `labspec check`")
    with tempfile.TemporaryDirectory(prefix="labspec-benchmarks-") as name:
        folder = Path(name)
        ledger, other, varied = folder / "ledger.jsonl", folder / "other.jsonl", folder / "varied.jsonl"
        write_ledger(ledger, lab, options.lines)
        write_ledger(other, lab, options.lines)
        write_ledger(varied, lab, options.lines // SLOW_LINES, varied=True)
        renamed = write_renamed(folder)
        print(f"{options.lines:,} lines, {ledger.stat().st_size / 1e6:.0f} MB")
        empty = folder / "empty.jsonl"
        empty.touch()
        measure("check, an empty ledger", options.runs, ["check", empty, "--spec", SPEC])
        measure("check", options.runs, ["check", ledger, "--spec", SPEC])
        measure(f"check, all lines differ, 1/{SLOW_LINES}", options.runs, ["check", varied, "--spec", SPEC])
        measure("check, a reason is renamed", options.runs, ["check", ledger, "--spec", renamed], expected=1)
        measure("compare", options.runs, ["compare", ledger, other])
        measure("migrate", 1, ["migrate", ledger, "--spec", renamed])


def write_ledger(path: Path, lab: Lab, lines: int, *, varied: bool = False) -> None:
    """The runs of all fixtures in turn, each with a run id of its own; with `varied`, also with an error of its own."""
    records = [Recorder().record(fixture.ending, "", fixture.id) for fixture in lab.fixtures]
    with path.open("w", encoding="ascii") as ledger:
        for number in range(lines):
            record = records[number % len(records)] | {"run_id": f"run-{number:08}"}
            if varied:
                record["last_error"] = f"error {number}"
            ledger.write(json.dumps(record, sort_keys=True) + "\n")


def write_renamed(folder: Path) -> Path:
    """The lab in its next version, in which a reason has another name."""
    text = SPEC.read_text(encoding="utf-8")
    old, new = RENAMED
    if old not in text:
        raise ValueError(f"{SPEC} no longer has the line that is to be changed")
    text = text.replace(old, new).replace("turn_cap", "turns_spent").replace("was: turns_spent", "was: turn_cap")
    path = folder / "renamed.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def measure(says: str, runs: int, arguments: Sequence[str | Path], expected: int = 0) -> None:
    """Run a command some times and print its median processor time and its largest memory."""
    costs = [run([LABSPEC, "ledger", *map(str, arguments)], expected) for _ in range(runs)]
    seconds = statistics.median(cost.seconds for cost in costs)
    print(f"{says:<34}{seconds:>7.2f} s{max(cost.megabytes for cost in costs):>7.0f} MB")


def run(command: Sequence[str], expected: int) -> Cost:
    """Run a command as a process of its own."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != expected:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}, not {expected}")
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


if __name__ == "__main__":
    main()
