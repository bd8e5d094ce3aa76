"""What a run should lead to, and what could be seen of it from outside.

A runner is a black box here: it is given a fixture, a run id and a ledger, and leaves
an exit code and the bytes of the ledger. `Execute` is the one way to start a run, so
that the same checks serve a child process and a runner in the same process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias


class Expected(NamedTuple):
    """The exit that the decision table calls for on one fixture.

    `decided_by` says which row decides, and when, ready to print. A last error may have
    at most `max_error_chars` characters. `hints` helps with wrong exits that are known:
    it leads from an exit signature (see `signature.py`) to a sentence of advice.
    """

    reason: str
    turns: int
    tool_names: tuple[str, ...]
    last_error: str | None
    exit_code: int
    decided_by: str
    max_error_chars: int = 80
    hints: Mapping[str, str] = MappingProxyType({})

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
    signal ended it (POSIX). `ledger` is None when there is no ledger file. `trouble`
    completes the sentence "the run of `fixture` ..." when the run could not be seen to
    its end; nothing else should be concluded from such a run.
    """

    exit_code: int | None
    ledger: bytes | None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    trouble: str | None = None


Execute: TypeAlias = Callable[[str, str, "bytes | None"], Observation]
"""Runs a fixture (by its id) under a run id. The last argument is what stands in the
ledger before the run, or None when there is no ledger yet."""
