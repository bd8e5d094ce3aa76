"""Runs of a machine in the process of the tests: what a child process would leave, without the child process."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from labspec.contract.execute import child_environment
from labspec.contract.observation import Observation
from labspec.contract.records import Problem
from labspec.contract.rubric import load_rubric
from labspec.contract.sandbox import Remains, Sandbox, build_sandbox
from labspec.machine import runner
from labspec.machine.runner import CLOSING_EVENTS, Loop, Machine, Trace, drive, ending_of, read_fixture, trace_bytes
from labspec.prove.worlds import KnownTools, RecordingTools, Worlds

NOTHING = Remains({}, ())
"""What a run leaves in the sandbox of a lab that has none."""

Run: TypeAlias = tuple[str, str, bytes | None]
"""A fixture by its id, the run id, and what stands in the ledger before: all that a run is asked with."""


class InProcessRuns:
    """Runs fixtures of the repository `root` with a machine. The tests know it as their `contract-runs`.

    A run whose calls of tools have all been made before (see `worlds`) is made in memory; any other is made in a
    sandbox on disk, below `folder`, by the command line of the reference runner. `memory` has what commands did before.
    """

    def __init__(self, root: Path, memory: Path) -> None:
        self._fixtures = root / "fixtures"
        self._setting = load_rubric(root / "tests" / "gates.json").setting
        self._memory = memory
        self._worlds = Worlds()
        self._contents: dict[str, Mapping[str, Any]] = {}
        self._reports: dict[bytes, Observation] = {}
        self._noted: dict[Run, Observation] = {}

    def use(self, machine: Path, folder: Path) -> None:
        """Run the machine in this file from now on, and leave files in `folder`."""
        self._file = machine
        self._machine = Machine(json.loads(machine.read_text(encoding="utf-8")))
        self._folder = folder
        self._numbers = count(1)
        self._seen: dict[Run, Observation] = {}

    def learn(self) -> None:
        """Run every fixture for real, so that runs which do the same need not."""
        for file in sorted(self._fixtures.glob("*.json")):
            self._run_for_real(file.stem, "learned", None)

    @contextlib.contextmanager
    def noted(self) -> Iterator[Mapping[Run, Observation]]:
        """In a `with` block: every run that is asked for in it, with what it left. It fills up."""
        noted = self._noted = {}
        try:
            yield noted
        finally:
            self._noted = {}

    def execute(self, fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        """Run a fixture, as `contract.execute.child_process_execute` does. No run is made twice."""
        run = (fixture_id, run_id, earlier)
        if run not in self._seen:
            with _no_excuse():
                self._seen[run] = self._run(*run)
        self._noted[run] = self._seen[run]
        return self._seen[run]

    def report(self, trace: bytes) -> Observation:
        """Print the fuel report of a trace, which is the same for every machine. None is printed twice."""
        if trace not in self._reports:
            file = self._folder / f"reported-{next(self._numbers)}.json"
            with _no_excuse():
                file.write_bytes(trace)
                self._reports[trace] = self._call(["report", str(file)])
        return self._reports[trace]

    def _run(self, fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        try:
            return self._run_in_memory(fixture_id, run_id, earlier)
        except Exception:  # NotKnownError, or a crash of the machine: the command line says how that looks from outside
            return self._run_for_real(fixture_id, run_id, earlier)

    def _run_in_memory(self, fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        machine, recorder = self._machine, self._machine.recorder
        name, steps, budgets = read_fixture(machine, self._content(fixture_id))
        loop, trace = Loop(machine, budgets), Trace()
        tools = KnownTools(machine, self._worlds.of(fixture_id, machine))
        ending = ending_of(loop, drive(loop, steps, trace, tools))
        trace.close(loop, CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]], ending.reason)
        events = recorder.events_of(machine, ending, trace.events) if self._setting.traced else None
        remains = NOTHING if self._setting.workspace is None else tools.remains()
        return Observation(
            exit_code=recorder.exit_code_of(ending),
            ledger=recorder.ledger_after(earlier, recorder.lines_of(machine, ending, run_id, name)),
            trace=None if events is None else trace_bytes(events),
            files=remains.files,
            outside=remains.outside,
        )

    def _content(self, fixture_id: str) -> Mapping[str, Any]:
        if fixture_id not in self._contents:
            text = (self._fixtures / f"{fixture_id}.json").read_text(encoding="utf-8")
            self._contents[fixture_id] = json.loads(text)
        return self._contents[fixture_id]

    def _run_for_real(self, fixture_id: str, run_id: str, earlier: bytes | None) -> Observation:
        number = next(self._numbers)
        ledger, trace = self._folder / f"ledger-{number}.jsonl", self._folder / f"trace-{number}.json"
        if earlier is not None:
            ledger.write_bytes(earlier)
        words = ["run", str(self._fixtures / f"{fixture_id}.json"), "--run-id", run_id, "--ledger", str(ledger)]
        words += ["--machine", str(self._file)]
        if self._setting.traced:
            words += ["--trace", str(trace)]
        with self._sandbox(number, fixture_id) as sandbox:
            seen = self._call(words, fixture_id, sandbox)
            remains = NOTHING if sandbox is None else sandbox.look()
        seen = seen._replace(ledger=_read(ledger), trace=_read(trace))
        if isinstance(remains, Problem):
            return seen._replace(trouble=f"left a sandbox that {remains.sentence}")
        return seen._replace(files=remains.files, outside=remains.outside)

    @contextlib.contextmanager
    def _sandbox(self, number: int, fixture_id: str) -> Iterator[Sandbox | None]:
        setting = self._setting
        if setting.workspace is None:
            yield None
            return
        changes = self._content(fixture_id).get("workspace", {})
        sandbox = build_sandbox(self._folder / f"sandbox-{number}", setting.workspace, changes, setting.roots)
        try:
            yield sandbox
        finally:
            sandbox.remove()

    def _call(self, words: list[str], fixture_id: str = "", sandbox: Sandbox | None = None) -> Observation:
        """Call the command line of the reference runner."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            if sandbox is None:
                code = runner.main(words)
            else:
                tools = functools.partial(
                    RecordingTools,
                    memory=self._memory,
                    environment=child_environment(),
                    world=self._worlds.of(fixture_id, self._machine),
                    look=sandbox.look,
                )
                code = runner.main([*words, "--workspace", str(sandbox.workspace)], tools)
        return Observation(code, None, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _no_excuse() -> Iterator[None]:
    """What fails in here is a fault of ours, or of the disk: no test may take it for one of the machine.

    The process ends at once, without the report of its tests.
    """
    try:
        yield
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(runner.EXIT_CRASH)


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
