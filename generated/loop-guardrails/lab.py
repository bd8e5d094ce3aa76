"""The command line of the lab, which is given: Give an agent loop guardrails, and say
which one it hit
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

EXIT_CODES = {
    "repaired": 0,
    "unproven": 1,
    "no_answer": 1,
    "protocol_error": 1,
    "policy_refusal": 1,
    "human_escalation": 3,
    "token_budget": 2,
    "stuck_loop": 2,
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
            fixture = read_fixture(options.fixture)
            with workspace_of(fixture, options.workspace) as folder, working_in(folder):
                return run(fixture, options)
        if options.command == "report":
            return report(options.trace)
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
    one.add_argument("--ledger", type=absolute, default="artifacts/exits.jsonl")
    one.add_argument("--run-id", default="run-001", help="what to call this run")
    one.add_argument("--trace", type=absolute, help="the file for the events")
    own = "the folder the tools work in (default: a fresh copy that is thrown away)"
    one.add_argument("--workspace", type=absolute, metavar="FOLDER", help=own)
    fuel = commands.add_parser("report", help="print the fuel report of a trace")
    fuel.add_argument("trace", type=Path)
    seen = commands.add_parser("signature", help="show how the runs in a ledger ended")
    seen.add_argument("ledger", type=Path)
    commands.add_parser("fixtures", help="list the fixtures")
    return whole


def absolute(path: str) -> Path:
    """The path as it is from any folder."""
    return Path(path).absolute()


def run(fixture: dict[str, Any], options: argparse.Namespace) -> int:
    """Run a fixture; returns the exit code of the reason."""
    ledger: Path = options.ledger
    try:
        ledger.parent.mkdir(parents=True, exist_ok=True)
        from run_loop import run_loop

        event: Any = run_loop(options.run_id, fixture, ledger, options.trace)
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


def report(path: Path) -> int:
    """Print the fuel report of a trace; returns 1 if the trace is not closed."""
    try:
        events = json.loads(path.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise LabError(f"the trace cannot be read: {problem}") from problem
    try:
        from report import closing_event, fuel_report

        closing = closing_event(events)
        lines = fuel_report(closing)
    except NotImplementedError as problem:
        say(str(problem) or "the report is not written yet: open report.py")
        return CRASH
    except (Exception, SystemExit) as problem:
        show_crash()
        say(f"the report crashed with {type(problem).__name__}; see the lines above")
        return CRASH
    print("\n".join(lines))
    return 0 if closing is not None else 1


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


@contextlib.contextmanager
def workspace_of(fixture: dict[str, Any], given: Path | None = None) -> Iterator[Path]:
    """The folder that is given, which is prepared, or a fresh copy of `workspace/`.

    In a copy the files and links are as the fixture wants them.
    """
    if given is not None:
        yield given
        return
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="workspace-") as folder:
        root = Path(folder).resolve() / "workspace"
        shutil.copytree(HERE / "workspace", root)
        try:
            change(root, fixture.get("workspace", {}))
        except OSError as problem:
            raise LabError(f"the workspace cannot be made: {problem}") from problem
        yield root


def change(root: Path, changes: dict[str, Any]) -> None:
    """Change a workspace: text by path, where None takes a file away, and links."""
    for path, text in changes.get("files", {}).items():
        clear(root / path, root)
        if text is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode("utf-8"))
    for path, target in changes.get("links", {}).items():
        link = root / path
        clear(link, root)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target, target_is_directory=(link.parent / target).is_dir())


def clear(place: Path, root: Path) -> None:
    """Take away what stands at a place, and the folders that are empty then."""
    import shutil

    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    for folder in place.parents:
        if folder == root or not folder.is_dir() or any(folder.iterdir()):
            break
        folder.rmdir()


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Make a folder the current one for a while."""
    before = Path.cwd()
    try:
        os.chdir(folder)
    except OSError as problem:
        raise LabError(f"there is no workspace: {problem}") from problem
    try:
        yield
    finally:
        os.chdir(before)


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
