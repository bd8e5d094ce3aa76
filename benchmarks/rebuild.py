"""What it costs to rebuild many specs in one process: `python benchmarks/rebuild.py [--specs N] [--of KIND] [LAB ...]`.

Of each lab many specs are made: variants that extend it and say only what they are called, variants that also say
something of their own about its loop, and copies of the whole spec under ids of their own. They are built, built again,
and built again after changes to the lab: to its version, and to the name of a reason. Figures are milliseconds of
processor time a spec, on one core and so in one process; what the first changed spec costs has a column of its own.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from labspec.building import Request, build_each
from labspec.stamps.stamp import GRAIN

ROOT: Final = Path(__file__).resolve().parent.parent
SMALL: Final = ROOT / "tests" / "specs" / "valid" / "_base.yaml"
REASON: Final = re.compile(r"^taxonomy:\n(?: *#.*\n)*  \"?([a-z_]\w*(?::\w+)*)", re.MULTILINE)
"""The first reason of a lab."""

Write: TypeAlias = Callable[[Path, str, int], list[Path]]


def main() -> None:
    """Print a line for each lab, each kind of spec and each kind of rebuild."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labs", nargs="*", type=Path, default=[SMALL, ROOT / "specs" / "loop-exit-ledger.yaml"])
    parser.add_argument("--specs", type=int, default=200, help="how many specs are built at once")
    kinds = {write.__name__: write for write in (variants, own_loops, copies)}
    parser.add_argument("--of", choices=kinds, action="append", help="which kinds of specs; all by default")
    options = parser.parse_args()
    if not hasattr(os, "sched_setaffinity"):
        raise SystemExit("a process cannot be held on one core here, and so its processor time says nothing")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    gc.disable()  # as the command line does
    print(f"{'lab':<20} {'specs':<10} {'rebuilt':<20} {'first':>9} {'each':>9}")
    for lab in options.labs:
        for kind in options.of or kinds:
            measure(lab.stem, lab.read_text("utf-8"), kinds[kind], options.specs)


def variants(folder: Path, lab: str, number: int) -> list[Path]:
    """Variants of a lab in their covers."""
    (folder / "lab.yaml").write_text(lab, "utf-8")
    return [
        written(folder, index, f"extends: lab.yaml\nid: lab-{index}\ntitle: Variant {index}\n")
        for index in range(number)
    ]


def own_loops(folder: Path, lab: str, number: int) -> list[Path]:
    """Variants of a lab in their covers and in what a reason says, so that no two have the same loop."""
    specs = variants(folder, lab, number)
    for index, spec in enumerate(specs):
        with spec.open("a", encoding="utf-8") as file:
            file.write(f'taxonomy: {{"{reason_of(lab)}": {{says: What variant {index} says}}}}\n')
    return specs


def copies(folder: Path, lab: str, number: int) -> list[Path]:
    """Copies of a lab under ids of their own."""
    return [
        written(folder, index, re.sub(r"^id: .*$", f"id: lab-{index}", lab, count=1, flags=re.MULTILINE))
        for index in range(number)
    ]


def written(folder: Path, index: int, text: str) -> Path:
    """A spec."""
    spec = folder / f"{index}.yaml"
    spec.write_text(text, "utf-8")
    return spec


def reason_of(lab: str) -> str:
    """The first reason of a lab."""
    match = REASON.search(lab)
    if match is None:
        raise SystemExit("the lab has no taxonomy")
    return match[1]


def measure(called: str, lab: str, write: Write, number: int) -> None:
    """Build many specs of one lab in each way."""
    reason = reason_of(lab)
    later = re.sub(r"^version: .*$", "version: 99.0.0", lab, count=1, flags=re.MULTILINE)
    renamed = re.sub(rf"(?<![\w:]){reason}(?!:?\w)", f"{reason}_2", later)
    rebuilds = (("new", lab), ("unchanged", None), ("another version", later), ("a reason renamed", renamed))
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["XDG_CACHE_HOME"] = f"{temporary}/cache"
        folder = Path(temporary)
        specs = write(folder, lab, number)
        for name, text in rebuilds:
            if text is not None:
                write(folder, text, number)
            time.sleep(GRAIN / 1e9 + 0.1)  # what is looked at must be older than the clock's grain
            if text is None:
                build(specs, folder)  # which looks at what was still too new when it was built
            first = build(specs[:1], folder)
            others = build(specs, folder) / (number - 1)
            print(f"{called:<20} {write.__name__:<10} {name:<20} {first:6.1f} ms {others:6.1f} ms", flush=True)


def build(specs: list[Path], folder: Path) -> float:
    """Build specs, and return the milliseconds of processor time that it took."""
    before = time.process_time()
    for built in build_each(specs, Request(folder / "out")):
        if not built.is_fine:
            raise SystemExit(f"a build failed: {built}")
    return (time.process_time() - before) * 1000


if __name__ == "__main__":
    main()
