"""How long labspec takes, as whole processes, next to what it is measured against. Run by hand; see README.md here.

Machines differ, and one machine differs from hour to hour: the two sides of a pair are run in turn, and only the
ratio of their medians counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from labspec.stamps.stamp import GRAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs" / "loop-exit-ledger.yaml"
BOTH = [str(SPEC), str(ROOT / "specs" / "loop-budget.yaml")]
SCRIPTS = Path(sys.executable).parent
LABSPEC = str(SCRIPTS / "labspec")
COOKIECUTTER = str(SCRIPTS / "cookiecutter")

Arguments: TypeAlias = "Callable[[Path], list[str]]"
"""The command to run, given a new, empty folder that it may write into."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair: what it is called in the table, its command, and variables that only this command gets."""

    says: str
    arguments: Arguments
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """A command of labspec, what it is measured against, and the ratio that it is to stay under."""

    ours: Side
    other: Side
    limit: float


@dataclass(slots=True)
class Times:
    """The wall times of the two sides of a pair, in seconds, in the order they were taken."""

    pair: Pair
    ours: list[float] = field(default_factory=list)
    other: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The median of ours over the median of the other."""
        return statistics.median(self.ours) / statistics.median(self.other)


class CommandError(Exception):
    """A measured command did not end well, so its time says nothing."""


def main() -> int:
    """Measure every pair and print the table. 0 whatever the ratios are, 1 if a command failed."""
    options = read_options()
    with tempfile.TemporaryDirectory(prefix="labspec-benchmarks-") as name:
        work = Path(name)
        try:
            environment = quiet_environment(work)
            pairs = make_pairs(work, environment)
            times = [measure(pair, work, environment, options.warm_up, options.runs) for pair in pairs]
        except CommandError as error:
            print(error, file=sys.stderr)
            return 1
    print(as_json(times, options.runs) if options.json else as_table(times, options.runs))
    return 0


def read_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Measure labspec against what it is compared with.")
    parser.add_argument("--runs", type=int, default=15, help="how often each side is measured (default 15)")
    parser.add_argument("--warm-up", type=int, default=2, help="how often each side is run before (default 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    if options.runs < 1 or options.warm_up < 0:
        parser.error("--runs must be at least 1, --warm-up at least 0")
    return options


def quiet_environment(work: Path) -> dict[str, str]:
    """The environment of every child: with cached bytecode, as users have it, and a home folder of its own."""
    home = work / "home"
    home.mkdir()
    dropped = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "COOKIECUTTER_CONFIG"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return kept | dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(home))


def make_pairs(work: Path, environment: dict[str, str]) -> list[Pair]:
    """The pairs, with everything on disk that their commands need."""
    template = make_template(work, environment)
    config = work / "cookiecutter.yaml"
    folders = {"cookiecutters_dir": str(work / "cookiecutters"), "replay_dir": str(work / "replay")}
    config.write_text(json.dumps(folders), encoding="utf-8")
    cookiecutter = [COOKIECUTTER, "--no-input", "--config-file", str(config), str(template), "--output-dir"]
    check_same_files(cookiecutter, work, environment)
    imports = "import yaml; from pydantic import BaseModel"
    nothing = Side("python -c pass", lambda _: [sys.executable, "-c", "pass"])
    again = build_with_nothing_to_do(work, environment)
    line = {"_LABSPEC_COMPLETE": "bash_complete", "COMP_WORDS": "labspec check --f", "COMP_CWORD": "2"}
    return [
        Pair(
            Side("check --no-proof", lambda _: [LABSPEC, "check", "--no-proof", str(SPEC)]),
            Side("import yaml, pydantic", lambda _: [sys.executable, "-c", imports]),
            limit=1.8,
        ),
        Pair(
            Side("check, two labs", lambda _: [LABSPEC, "check", *BOTH]),
            Side("the same with --no-proof", lambda _: [LABSPEC, "check", "--no-proof", *BOTH]),
            limit=2.0,
        ),
        Pair(
            Side("labspec build", lambda out: [LABSPEC, "build", str(SPEC), "-o", str(out)]),
            Side("cookiecutter, same files", lambda out: [*cookiecutter, str(out)]),
            limit=0.9,
        ),
        Pair(Side("build, unchanged", lambda _: again), nothing, limit=2.5),
        Pair(Side("labspec --help", lambda _: [LABSPEC, "--help"]), nothing, limit=2.0),
        Pair(Side("labspec --version", lambda _: [LABSPEC, "--version"]), nothing, limit=2.0),
        Pair(Side("completion", lambda _: [LABSPEC], line), nothing, limit=3.0),
    ]


def make_template(work: Path, environment: dict[str, str]) -> Path:
    """A cookiecutter template of the repository that labspec builds.

    Its variables are the folder's name and the title of the README. cookiecutter renders every file but those with
    text that only looks like Jinja, and those that it takes for binary.
    """
    repository = built_repository(work, environment)
    template = work / "template"
    inside = template / "{{ cookiecutter.folder }}"
    shutil.copytree(repository, inside)
    context = {
        "folder": repository.name,
        "_copy_without_render": sorted(looks_like_jinja(inside)),
        "title": open_title(inside / "README.md"),
    }
    (template / "cookiecutter.json").write_text(json.dumps(context), encoding="utf-8")
    return template


def built_repository(work: Path, environment: dict[str, str]) -> Path:
    """The folder of the repository that labspec builds, built once."""
    built = work / "built"
    if not built.exists():
        run([LABSPEC, "build", str(SPEC), "-o", str(built)], environment)
    (repository,) = built.iterdir()
    return repository


def build_with_nothing_to_do(work: Path, environment: dict[str, str]) -> list[str]:
    """The command that builds the repository again, once a stamp says that it has nothing to do."""
    command = [LABSPEC, "build", str(SPEC), "-o", str(built_repository(work, environment).parent)]
    time.sleep(GRAIN / 1e9 + 0.1)  # of younger files a stamp can't be sure, and they are read each time
    run(command, environment)
    return command


def open_title(readme: Path) -> str:
    """Put a variable in place of the README's title, keep the rest from being read as Jinja, and return the title."""
    heading, _, rest = readme.read_bytes().decode("utf-8").partition("\n")
    readme.write_bytes(f"# {{{{ cookiecutter.title }}}}\n{{% raw %}}{rest}{{% endraw %}}".encode())
    return heading.removeprefix("# ")


def looks_like_jinja(folder: Path) -> Iterator[str]:
    """The paths, relative to `folder`, of the files but the README that Jinja would not print as they are."""
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "README.md" and re.search(rb"\{[{%#]", path.read_bytes()):
            yield path.relative_to(folder).as_posix()


def check_same_files(cookiecutter: list[str], work: Path, environment: dict[str, str]) -> None:
    """Raise CommandError if cookiecutter does not write the same bytes as labspec: the pair would not be fair."""
    out = work / "by-cookiecutter"
    run([*cookiecutter, str(out)], environment)
    repository = built_repository(work, environment)
    difference = files(repository).items() ^ files(out / repository.name).items()
    if difference:
        raise CommandError(f"cookiecutter writes other bytes: {sorted({path for path, _ in difference})}")


def files(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`, by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def measure(pair: Pair, work: Path, environment: dict[str, str], warm_up: int, runs: int) -> Times:
    """Run the two sides in turn and keep the times after the warm-up."""
    times = Times(pair)
    for number in range(warm_up + runs):
        for side, kept in ((pair.ours, times.ours), (pair.other, times.other)):
            seconds = timed(side, work, environment)
            if number >= warm_up:
                kept.append(seconds)
    return times


def timed(side: Side, work: Path, environment: dict[str, str]) -> float:
    """The wall time of one run, in seconds, with a new folder to write into."""
    folder = Path(tempfile.mkdtemp(dir=work))
    command = side.arguments(folder)
    started = time.perf_counter()
    run(command, environment | side.variables)
    seconds = time.perf_counter() - started
    shutil.rmtree(folder)
    return seconds


def run(command: Sequence[str], environment: dict[str, str]) -> None:
    """Run a command. Raises CommandError with what it printed if it does not end with 0."""
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        printed = (done.stdout + done.stderr).decode("utf-8", "replace")
        raise CommandError(f"{' '.join(command)}\nended with {done.returncode}\n{printed}")


def machine() -> dict[str, str]:
    """Where this was measured, as far as it matters to the numbers."""
    packages = {name: version(name) for name in ("labspec", "pydantic", "PyYAML", "Jinja2", "cookiecutter")}
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "load": load,
        **packages,
    }


def as_table(times: Sequence[Times], runs: int) -> str:
    """Medians and fastest runs in milliseconds, with the ratio of the medians."""
    facts = ", ".join(f"{name} {value}" for name, value in machine().items())
    head = f"{'A':<18}{'median':>8}{'min':>8}   {'B':<26}{'median':>8}{'min':>8}{'A/B':>8}{'limit':>7}"
    lines = [facts, f"{runs} runs of each, in turn; milliseconds", "", head, *map(_line, times)]
    return "\n".join(lines)


def _line(times: Times) -> str:
    pair = times.pair
    ours = f"{pair.ours.says:<18}{_milliseconds(times.ours)}"
    other = f"{pair.other.says:<26}{_milliseconds(times.other)}"
    return f"{ours}   {other}{times.ratio:>8.2f}{pair.limit:>7.1f}  {_verdict(times)}"


def _milliseconds(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1000:>8.0f}{min(seconds) * 1000:>8.0f}"


def _verdict(times: Times) -> str:
    return "ok" if times.ratio <= times.pair.limit else "over"


def as_json(times: Sequence[Times], runs: int) -> str:
    """The same as one JSON document, with every time in seconds."""
    pairs: list[dict[str, Any]] = [
        {
            "ours": {"says": one.pair.ours.says, "seconds": one.ours},
            "other": {"says": one.pair.other.says, "seconds": one.other},
            "ratio": round(one.ratio, 3),
            "limit": one.pair.limit,
            "verdict": _verdict(one),
        }
        for one in times
    ]
    return json.dumps({"machine": machine(), "runs": runs, "pairs": pairs}, indent=1)


if __name__ == "__main__":
    sys.exit(main())
