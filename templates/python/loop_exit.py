"""The record of a loop's exit, and the ledger that keeps it: one line of JSON a run."""

from __future__ import annotations

{% if solved %}
import json
import os
from dataclasses import asdict, dataclass
{% else %}
from dataclasses import dataclass
{% endif %}
from pathlib import Path
from typing import Literal

{{ reasons }}
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
{% if solved %}
        return json.dumps(asdict(self), sort_keys=True)
{% else %}
        # This is yours to write: exactly the seven fields, keys in alphabetical order,
        # `tool_names` as a list, and None as null. The module json does most of it.
        #
        {{ line_gates }}
        raise NotImplementedError("to_jsonl is not written yet: open loop_exit.py")
{% endif %}


def append_exit(path: Path, event: LoopExit) -> None:
    """Append an exit to the ledger at `path`. Missing folders are made.

{% if solved %}
    The whole line is one write to a file opened for appending, so lines of several
    processes do not mix. A torn line, left by a run that was killed, keeps its place.
{% else %}
    The line goes to the end of the file, and what stands there already stays as it is.
{% endif %}
    """
{% if solved %}
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
{% else %}
    # This is yours to write:
    #
    # 1. Make the folder of the ledger if it is not there.
    # 2. Open the file for appending, as UTF-8, and write the line and one "\n".
    # 3. If the file does not end with a newline (a run was killed while it wrote),
    #    start with one, so that your line stands alone.
    #
    {{ append_gates }}
    raise NotImplementedError("append_exit is not written yet: open loop_exit.py")
{% endif %}
