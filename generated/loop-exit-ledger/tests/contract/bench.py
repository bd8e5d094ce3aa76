"""A place to try a runner out: starts runs and reads what they leave.

The checks work with a `Bench` and the `Run`s it gives. Every failed check becomes a
`ContractFailure` here, so all of them look alike. The bench remembers what happened in
its runs that the rubric may punish, also when the checks have passed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .observation import HANGS, Execute, Expected, Observation, Report, events_of
from .records import Line, Problem, Record, read_ledger
from .traces import Trace, read_trace
from .wording import (
    ContractFailure,
    contract_failure,
    last_lines,
    printable,
    show_exit,
    show_exit_code,
    show_lines,
)

RUN_ID = "run-0001"


@dataclass(frozen=True)
class Run:
    """One run of a fixture, with what was expected and what was seen."""

    fixture_id: str
    expected: Expected
    observation: Observation

    def failure(self, headline: str, **rows: str) -> ContractFailure:
        """The failure to raise, with the end of what the program said on stderr."""
        stderr = last_lines(self.observation.stderr)
        if stderr:
            rows["stderr"] = stderr
        return contract_failure(headline, rows)

    def exit_failure(self, headline: str, came: str) -> ContractFailure:
        """A failure of a run that recorded no exit which could be looked at."""
        return self.failure(
            headline,
            expected=show_exit(self.expected.as_record()),
            came=came,
            decides=self.expected.decided_by,
        )

    def lines(self) -> tuple[Line, ...]:
        """The lines of the ledger, at least one. Raises ContractFailure."""
        __tracebackhide__ = True
        self.require_end()
        ledger = self.observation.ledger
        if not ledger:
            what = "no ledger" if ledger is None else "an empty ledger"
            code = show_exit_code(self.observation.exit_code)
            raise self.exit_failure(
                f"the run of `{self.fixture_id}` left no line in the ledger",
                came=f"{what}, {code}",
            )
        lines = read_ledger(ledger)
        if isinstance(lines, Problem):
            raise self.failure(
                f"the ledger of `{self.fixture_id}` {lines.sentence}",
                came=show_lines(ledger),
            )
        return lines

    def record(self, line: Line) -> Record:
        """The record on a line of this run's ledger. Raises ContractFailure."""
        __tracebackhide__ = True
        if isinstance(line.content, Problem):
            raise self.failure(
                f"line {line.number} of the ledger of `{self.fixture_id}` "
                f"{line.content.sentence}",
                expected="a JSON object on a line of its own",
                came=show_lines(line.raw),
            )
        return line.content

    def last_record(self) -> Record:
        """The record on the last line of the ledger. Raises ContractFailure."""
        __tracebackhide__ = True
        return self.record(self.lines()[-1])

    def trace(self) -> Trace:
        """The trace of the run. Raises ContractFailure."""
        __tracebackhide__ = True
        self.require_end()
        data = self.observation.trace
        if data is None:
            raise self.failure(
                f"the run of `{self.fixture_id}` left no trace",
                expected="a JSON array of events, however the run ends",
                came=f"no file, {show_exit_code(self.observation.exit_code)}",
            )
        trace = read_trace(data)
        if isinstance(trace, Problem):
            raise self.failure(
                f"the trace of `{self.fixture_id}` {trace.sentence}",
                came=show_lines(data) or "an empty file",
            )
        return trace

    def require_end(self) -> None:
        """Raises ContractFailure if the run could not be seen to its end."""
        __tracebackhide__ = True
        trouble = self.observation.trouble
        if self.observation.timed_out and trouble is None:
            trouble = "did not end in time and was stopped"
        if trouble is not None:
            raise self.exit_failure(
                f"the run of `{self.fixture_id}` {printable(trouble, 300)}",
                came=show_exit_code(self.observation.exit_code),
            )


@dataclass(frozen=True)
class Bench:
    """Starts runs with `execute`, each with a ledger of its own.

    `report` prints the fuel report of a trace, in labs that have one. `events` are what
    has happened so far that the rubric may punish (see `observation.py`).
    """

    execute: Execute = field(repr=False)  # a test report shows the bench
    report: Report | None = field(default=None, repr=False)
    events: set[str] = field(default_factory=set)

    def run(
        self,
        fixture_id: str,
        expected: Expected,
        *,
        run_id: str = RUN_ID,
        earlier: bytes | None = None,
    ) -> Run:
        """Run a fixture; `earlier` is what stands in the ledger before, if anything."""
        observation = self.execute(fixture_id, run_id, earlier)
        self.events.update(events_of(expected, observation))
        return Run(fixture_id, expected, observation)

    def run_report(self, run: Run) -> Run:
        """Print the fuel report of a run's trace; the run, with what was printed.

        Raises ContractFailure if the run left no trace, or nothing can print it.
        """
        __tracebackhide__ = True
        run.trace()
        if self.report is None or run.observation.trace is None:
            raise run.failure("this runner has no command that prints a fuel report")
        printed = self.report(run.observation.trace)
        if printed.timed_out:
            self.events.add(HANGS)
        return replace(run, observation=printed)
