"""What the contract expects of a fixture beyond its ledger line: events, fuel, and the files of the workspace."""

from __future__ import annotations

from typing import Any

from labspec.lab.model import Fixture
from labspec.machine.runner import closing_event, fuel_report


def what_a_trace_shows(fixture: Fixture) -> dict[str, Any]:
    """The fields of `Expected` for a lab with a workspace; none for a lab without one."""
    closing = closing_event(fixture.trace)
    if closing is None:
        return {}
    return {
        "trace": tuple(
            (event["type"], event["turn"], event.get("name"), event.get("error")) for event in fixture.trace[:-1]
        ),
        "closing": (closing["type"], closing["reason"]),
        "budgets": dict(closing["budgets"]),
        "used": dict(closing["used"]),
        "report": tuple(fuel_report(closing)),
        "files": dict(fixture.files),
    }
