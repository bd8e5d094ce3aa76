"""Differences as one JSON document, for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labspec.differences.model import Differences, Runs


def to_json(found: Differences) -> str:
    """The whole of it, in version 1 of this form: the verdict about runs, and the changes of each section by its id."""
    document = {
        "version": 1,
        "headline": found.headline,
        "old": found.old,
        "new": found.new,
        "same_meaning": found.same_meaning,
        "note": found.note,
        "runs": _runs(found.runs),
        "sections": {section.id: [change._asdict() for change in section.changes] for section in found.sections},
    }
    return json.dumps(document, indent=1) + "\n"


def _runs(runs: Runs) -> dict[str, Any]:
    shown = runs.shown
    plan = None if shown is None else {"steps": list(shown.told), "old": shown.old, "new": shown.new}
    return {
        "verdict": runs.verdict,
        "proviso": runs.proviso,
        "sentence": runs.sentence,
        "pairs": runs.pairs,
        "plan": plan,
    }
