"""What CI runs, and you can too: `python ci.py`. It needs labspec and nothing else.

Three steps, or those that you name, as in `python ci.py check current`:

check    every spec in `specs` is sound
current  the repositories in `generated` are what the specs say today
prove    the tests of every lab bite; for real, so this takes longest
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

COURSE = Path(__file__).resolve().parent
ON_GITHUB = os.environ.get("GITHUB_ACTIONS") == "true"


def main(names: list[str]) -> int:
    """Run the steps with these names, or all; returns the exit code."""
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"no such step: {', '.join(unknown)}\n\n{__doc__}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("labspec") is None:
        print(
            "labspec is missing here: python -m pip install -r requirements.txt",
            file=sys.stderr,
        )
        return 2
    failed = []
    for name in names or STEPS:
        if not succeeds(name):
            failed.append(name)
        if failed == ["check"]:
            break  # the other steps would only say the same again
    print(f"FAILED: {', '.join(failed)}" if failed else "all is well", flush=True)
    return 1 if failed else 0


def succeeds(name: str) -> bool:
    """Run one step, under its name."""
    print(f"=== {name}", flush=True)
    return STEPS[name]()


def check() -> bool:
    """Every spec is sound. On GitHub, findings stand beside the changed lines."""
    return labspec("check", *(["--format", "github"] if ON_GITHUB else []))


def current() -> bool:
    """What is built is what the specs say. A course without builds is not behind."""
    if not (COURSE / "generated").exists():
        print("nothing is built yet; `labspec build` does it")
        return True
    return labspec("build", "--check")


def prove() -> bool:
    """The tests of every lab bite."""
    return labspec("prove")


STEPS = {"check": check, "current": current, "prove": prove}


def labspec(*arguments: str) -> bool:
    """Call labspec on every spec in `specs`; returns whether it is content."""
    # -P: a file of yours with the name of a module is not imported in its place.
    command = [sys.executable, "-P", "-m", "labspec", *arguments]
    return subprocess.run(command, cwd=COURSE, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
