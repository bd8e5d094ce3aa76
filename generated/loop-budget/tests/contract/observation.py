"""What a run should lead to, and what could be seen of it from outside.

A runner is a black box here: it is given a fixture, a run id and a ledger, and leaves
an exit code and the bytes of the ledger; in some labs also a trace, and changes to a
workspace. `Execute` is the one way to start a run, so that the same checks serve a
child process and a runner in the same process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

HANGS = "hangs"
WROTE_OUTSIDE = "wrote_outside"
MISSING_TRACE = "missing: trace"
"""Events that the rubric may punish beyond the test they happen in."""


class Expected(NamedTuple):
    """The exit that the decision table calls for on one fixture.

    `decided_by` says which row decides, and when, ready to print. A last error may have
    at most `max_error_chars` characters. `hints` helps with wrong exits that are known:
    it leads from a signature (see `signature.py`) to the mistakes that end so.

    For labs with a trace: `trace` has the type, turn, name and error of each event
    before the closing one, `closing` the closing one's type and reason, `budgets` and
    `used` what it says of limits and use, `report` the lines of the fuel report. For
    labs with a workspace: `files` has the text of every file after the run, links left
    out; None says that there is no such file.
    """

    reason: str
    turns: int
    tool_names: tuple[str, ...]
    last_error: str | None
    exit_code: int
    decided_by: str
    max_error_chars: int = 80
    hints: Mapping[str, str] = MappingProxyType({})
    trace: tuple[tuple[str, int, str | None, str | None], ...] = ()
    closing: tuple[str, str] | None = None
    budgets: Mapping[str, int] = MappingProxyType({})
    used: Mapping[str, int] = MappingProxyType({})
    report: tuple[str, ...] = ()
    files: Mapping[str, str | None] = MappingProxyType({})

    def as_record(self) -> dict[str, object]:
        """The fields of a ledger line that the fixture decides."""
        return {
            "reason": self.reason,
            "turns": self.turns,
            "tool_names": list(self.tool_names),
            "last_error": self.last_error,
            "stopped_on_turn": self.turns,
        }


class Observation(NamedTuple):
    """What one run left behind.

    `exit_code` is None when the run had no chance to end by itself, and negative when a
    signal ended it (POSIX). `ledger` and `trace` are None when there is no such file.
    `trouble` completes the sentence "the run of `fixture` ..." when the run could not
    be seen to its end; nothing else should be concluded from such a run. `files` are
    the texts of the workspace's files after the run, by path; `outside` says which
    paths around the workspace were changed that lie in no allowed root.
    """

    exit_code: int | None
    ledger: bytes | None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    trouble: str | None = None
    trace: bytes | None = None
    files: Mapping[str, str] = MappingProxyType({})
    outside: tuple[str, ...] = ()


Execute: TypeAlias = Callable[[str, str, "bytes | None"], Observation]
"""Runs a fixture (by its id) under a run id. The last argument is what stands in the
ledger before the run, or None when there is no ledger yet."""

Report: TypeAlias = Callable[[bytes], Observation]
"""Prints the fuel report of a trace: the stdout of the observation."""


def events_of(expected: Expected, observation: Observation) -> frozenset[str]:
    """What happened in a run that may cost more than the test it happened in."""
    happened = {
        HANGS: observation.timed_out,
        WROTE_OUTSIDE: bool(observation.outside),
        MISSING_TRACE: expected.closing is not None and _left_no_trace(observation),
    }
    return frozenset(event for event, is_so in happened.items() if is_so)


def _left_no_trace(seen: Observation) -> bool:
    """Whether a run ended, well or not, and left no trace."""
    return seen.trace is None and not seen.timed_out and seen.trouble is None
