"""The command line of the lab, which is given: Record every loop exit as a structured
event
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

EXIT_CODES = {
    "completed": 0,
    "retry_exhausted": 2,
    "schema_mismatch": 1,
    "turn_cap": 2,
    "tool_error": 1,
}
USAGE_ERROR = 64
CRASH = 70
HERE = Path(__file__).resolve().parent


class LabError(Exception):
    """Something the person at the keyboard can put right."""


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are told apart from the exit codes of the reasons."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE_ERROR, f"lab.py: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code of the process."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "run":
            return run(options.fixture, options.ledger, options.run_id, options.trace)
        if options.command == "signature":
            return signature(options.ledger)
        return fixtures()
    except LabError as problem:
        say(str(problem))
        return USAGE_ERROR


def parser() -> Parser:
    """The command line."""
    whole = Parser(prog="lab.py", description="Run the loop of this lab.")
    commands = whole.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="run a fixture and record the exit")
    one.add_argument("fixture", type=Path, help="a file in fixtures/")
    one.add_argument("--ledger", type=Path, default=Path("artifacts/exits.jsonl"))
    one.add_argument("--run-id", default="run-001", help="what to call this run")
    one.add_argument("--trace", type=Path, help="accepted; this lab writes no trace")
    seen = commands.add_parser("signature", help="show how the runs in a ledger ended")
    seen.add_argument("ledger", type=Path)
    commands.add_parser("fixtures", help="list the fixtures")
    return whole


def run(path: Path, ledger: Path, run_id: str, trace: Path | None = None) -> int:
    """Run a fixture; returns the exit code of the reason."""
    del trace
    fixture = read_fixture(path)
    try:
        ledger.parent.mkdir(parents=True, exist_ok=True)
        from run_loop import run_loop

        event: Any = run_loop(run_id, fixture, ledger)
    except NotImplementedError as problem:
        say(str(problem) or "the loop is not written yet: open run_loop.py")
        return CRASH
    except (Exception, SystemExit) as problem:
        show_crash()
        say(f"the loop crashed with {type(problem).__name__}; the lines above say how")
        return CRASH
    reason = getattr(event, "reason", None)
    if not isinstance(reason, str) or reason not in EXIT_CODES:
        say(f"run_loop returned {ascii(event)}, which has no reason of the taxonomy")
        return CRASH
    print(f"{reason}: see the last line of {ascii(str(ledger))[1:-1]}")
    return EXIT_CODES[reason]


def signature(ledger: Path) -> int:
    """Show for each line of a ledger its run, fixture and exit signature."""
    try:
        lines = ledger.read_bytes().split(b"\n")
    except OSError as problem:
        raise LabError(f"the ledger cannot be read: {problem}") from problem
    for number, line in enumerate(lines, start=1):
        if line.strip():
            record = parse(line, f"line {number} of the ledger")
            run_id, fixture_id = record.get("run_id"), record.get("fixture_id")
            print(exit_signature(record), ascii(run_id), ascii(fixture_id))
    return 0


def exit_signature(record: dict[str, Any]) -> str:
    """Equal for two runs that ended in the same way, whatever their ids."""
    import hashlib  # here, as others below: what a run does not need, it does not load

    names = ("reason", "turns", "tool_names", "last_error")
    covered = {name: record[name] for name in names if name in record}
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]


def fixtures() -> int:
    """List the fixtures that come with the lab."""
    for path in sorted((HERE / "fixtures").glob("*.json")):
        steps = read_fixture(path)["planned_calls"]
        print(f"fixtures/{path.name} ({len(steps)} steps)")
    return 0


def read_fixture(path: Path) -> dict[str, Any]:
    """The fixture in a file. Raises LabError if there is none."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        listed = "`python lab.py fixtures` lists those there are"
        raise LabError(f"the fixture cannot be read: {problem}; {listed}") from problem
    fixture = parse(data, f"the fixture {ascii(str(path))}")
    steps, name = fixture.get("planned_calls"), fixture.get("id")
    if not isinstance(steps, list) or not isinstance(name, str):
        raise LabError('a fixture needs a text "id" and a list "planned_calls"')
    return fixture


def parse(data: bytes, what: str) -> dict[str, Any]:
    """A JSON object. Raises LabError if the bytes are something else."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise LabError(f"{what} is not JSON: {problem}") from problem
    if not isinstance(value, dict):
        raise LabError(f"{what} is not a JSON object")
    return value


def show_crash() -> None:
    """Print the lines that say where the student's code went wrong."""
    import traceback

    traceback.print_exc()


def say(sentence: str) -> None:
    """Tell the person at the keyboard something."""
    print(f"lab.py: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
