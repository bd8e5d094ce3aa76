"""How much processor time the explorer takes to hold a lab against all of its mutants. Run by hand; see README.md here.

.venv/bin/python benchmarks/exploration.py [--runs 9] [--profile] [SPEC...]
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from labspec.mutants.verdicts import judge_mutants
from labspec.pipeline import load

if TYPE_CHECKING:
    from labspec.lab.model import Lab

SPECS = Path(__file__).resolve().parent.parent / "specs"


def main() -> None:
    """Measure each lab and print a line for it; with `--profile`, also where the time goes."""
    parser = argparse.ArgumentParser(description="Measure the joint exploration of labs and their mutants.")
    parser.add_argument("specs", nargs="*", type=Path, default=sorted(SPECS.glob("*.yaml")))
    parser.add_argument("--runs", type=int, default=9, help="how often each lab is measured (default 9)")
    parser.add_argument("--profile", action="store_true", help="print the functions that take longest")
    options = parser.parse_args()
    for spec in options.specs:
        lab = load(spec).lab
        if lab is None:
            parser.error(f"{spec} has findings: try `labspec check`")
        print(measured(lab, options.runs))
        if options.profile:
            profile(lab)


def measured(lab: Lab, runs: int) -> str:
    """The median and the least time of some runs, each from nothing, and what was found."""
    seconds = []
    for _ in range(runs):
        started = time.process_time()
        verdicts = explore(lab)
        seconds.append(time.process_time() - started)
    found = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    return f"{lab.id:<22}{statistics.median(seconds) * 1000:>7.0f} ms (least {min(seconds) * 1000:.0f}): {found}"


def explore(lab: Lab) -> Counter[str]:
    """Hold a lab against all of its mutants."""
    return Counter(one.difference.verdict for one in judge_mutants(lab))


def profile(lab: Lab) -> None:
    """Print the functions that take longest."""
    profiler = cProfile.Profile()
    profiler.runcall(explore, lab)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(12)


if __name__ == "__main__":
    main()
