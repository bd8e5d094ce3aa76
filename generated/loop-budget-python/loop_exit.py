"""The record of a loop's exit, and the ledger that keeps it: one line of JSON a run."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

ExitReason = Literal[
    "tests_green",
    "budget:turns",
    "budget:tool_calls",
    "budget:write_bytes",
    "stopped_red",
    "script_exhausted",
    "protocol_error",
    "budget:escapes",
    "budget:red_runs",
]
"""Why a loop can stop. The list is closed: another reason is another lab."""


@dataclass(frozen=True)
class LoopExit:
    """One exit. `turns` counts the decisions received, `last_error` is a short code."""

    run_id: str
    fixture_id: str
    reason: ExitReason
    turns: int
    tool_names: tuple[str, ...]
    last_error: str | None
    stopped_on_turn: int

    def to_jsonl(self) -> str:
        """The exit as one line of JSON with sorted keys, without the newline."""
        return json.dumps(asdict(self), sort_keys=True)


def append_exit(path: Path, event: LoopExit) -> None:
    """Append an exit to the ledger at `path`. Missing folders are made.

    The whole line is one write to a file opened for appending, so lines of several
    processes do not mix. A torn line, left by a run that was killed, keeps its place.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    line = event.to_jsonl().encode("utf-8") + b"\n"
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o644)
    try:
        if os.lseek(descriptor, 0, os.SEEK_END) > 0:
            os.lseek(descriptor, -1, os.SEEK_END)
            if os.read(descriptor, 1) != b"\n":
                line = b"\n" + line
        if os.write(descriptor, line) != len(line):
            raise OSError(f"the line was not written whole: {path}")
    finally:
        os.close(descriptor)
