"""A run for programs: `labspec run --json`. Every word of it is a key of the spec, a field of the record, or here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labspec.timeline import Timeline, Turn


def timeline_json(timeline: Timeline, record: Mapping[str, Any], exit_code: int) -> str:
    """One document: the record and the row that decided it, the limits, and each turn with the rows that were asked."""
    ending = timeline.ending
    data = {
        "record": record,
        "exit_code": exit_code,
        "decided": {"row": ending.row, "at": ending.at, "turn": ending.turn},
        "limits": timeline.limits,
        "measures": timeline.measures,
        "turns": [_turn(turn) for turn in timeline.turns],
    }
    return json.dumps(data, indent=2) + "\n"


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        **turn._asdict(),
        "decision": None if turn.decision is None else turn.decision._asdict(),
        "call": None if turn.call is None else turn.call._asdict(),
        "result": None if turn.result is None else turn.result._asdict(),
        "asked": [asked._asdict() for asked in turn.asked],
    }
