"""The trace of a run: what happened, event by event. This file is given."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

CLOSING_EVENTS = {
    "repaired": "stop",
    "unproven": "error",
    "no_answer": "error",
    "protocol_error": "error",
    "policy_refusal": "error",
    "human_escalation": "error",
    "token_budget": "budget",
    "stuck_loop": "budget",
}
"""The type of the event that closes a trace, for each reason why a loop can stop."""

CLOSING_TYPES = ("stop", "budget", "error")


class Trace:
    """The events of one run, in order, each with its number and its type."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def push(self, kind: str, /, **fields: Any) -> None:
        """Add an event of a type, such as "turn", with whatever else it says."""
        self.events.append({"seq": len(self.events) + 1, "type": kind, **fields})

    @property
    def last(self) -> dict[str, Any] | None:
        """The last event, None if nothing has happened yet."""
        return self.events[-1] if self.events else None

    @property
    def closed(self) -> bool:
        """Whether the last event is one that closes a trace."""
        return self.last is not None and self.last["type"] in CLOSING_TYPES

    def write(self, path: Path) -> None:
        """Write the events to a file: all of them, or the file stays as it was."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.events, indent=1) + "\n"
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_bytes(text.encode("ascii"))
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
