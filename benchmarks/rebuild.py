"""What it costs to rebuild many specs in one process: `python benchmarks/rebuild.py [--specs 200] [SPEC ...]`.

Each spec is one of the given labs under an id of its own. They are built, built again, and built after a change to
each: of its title, and of a budget. Figures are milliseconds of processor time a spec, child processes included.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from labspec.building import Request, build_all
from labspec.stamps.stamp import GRAIN

ROOT = Path(__file__).resolve().parent.parent
SMALL = ROOT / "tests" / "specs" / "valid" / "_base.yaml"


def main() -> None:
    """Print a line for each lab and each kind of rebuild."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labs", nargs="*", type=Path, default=[SMALL, ROOT / "specs" / "loop-exit-ledger.yaml"])
    parser.add_argument("--specs", type=int, default=200, help="how many specs are built at once")
    options = parser.parse_args()
    for lab in options.labs:
        measure(lab, options.specs)


def measure(lab: Path, number: int) -> None:
    """Build many specs of one lab in each way."""
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["XDG_CACHE_HOME"] = f"{temporary}/cache"
        folder, text = Path(temporary), lab.read_text("utf-8")
        specs = [folder / f"{index}.yaml" for index in range(number)]
        rebuild = [
            ("new", lambda text: text),
            ("unchanged, at once", None),
            ("unchanged", None),
            ("another title", lambda text: text.replace("\ntitle: ", "\ntitle: Once more, ", 1)),
            ("another version", lambda text: text.replace("version: 1.0.0", "version: 1.0.1", 1)),
        ]
        for name, change in rebuild:
            if change is not None:
                write(specs, change(text))
            cost = milliseconds(lambda: check(build_all(specs, Request(folder / "out")).is_fine)) / number
            print(f"{lab.stem:<20} {name:<20} {cost:7.2f} ms a spec")
            if name != "unchanged":
                time.sleep(GRAIN / 1e9 + 0.1)  # what is looked at must be older than the clock's grain


def write(specs: Sequence[Path], text: str) -> None:
    """Write the text as every spec, each with an id of its own."""
    for spec in specs:
        lines = [f"id: lab-{spec.stem}" if line.startswith("id: ") else line for line in text.split("\n")]
        spec.write_text("\n".join(lines), "utf-8")


def check(is_fine: bool) -> None:
    """A build that did not come to its end has no figure."""
    if not is_fine:
        raise SystemExit("a build failed")


def milliseconds(work: Callable[[], None]) -> float:
    """The processor time of some work, with that of the processes it starts."""
    before = processor_time()
    work()
    return (processor_time() - before) * 1000


def processor_time() -> float:
    """Seconds of this process and of its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
