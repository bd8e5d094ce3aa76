"""From a lab to what students have of it, as plain JSON data in the form of `form.HandedOut`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from labspec.conditions.source import to_source

if TYPE_CHECKING:
    from collections.abc import Collection

    from labspec.conditions.syntax import Expr
    from labspec.lab.model import Check, Fixture, Gate, Goal, Lab, LastError, Meter, Row, Stretch, Tool

FORM: Final = 1
"""The version of the form."""


def to_data(lab: Lab) -> dict[str, Any]:
    """What students have of a lab, as plain JSON data."""
    shown = tuple(fixture for fixture in lab.fixtures if not fixture.hidden)
    stretch = None if lab.stretch is None else _stretch(lab.stretch, {fixture.id for fixture in shown})
    return {
        "form": FORM,
        **cover_data(lab),
        "target": lab.target,
        "traced": lab.traced,
        "loop": _loop(lab),
        "fixtures": [_fixture(fixture) for fixture in shown],
        "rubric": [_plain(_seen_gate(gate, {fixture.id for fixture in shown})) for gate in lab.rubric],
        "zero_if": _plain(lab.zero_if),
        "manual": _plain(lab.manual),
        "submission": _plain(lab.submission),
        "starter": _plain(lab.starter),
        **({} if stretch is None else {"stretch": stretch}),
    }


def cover_data(lab: Lab) -> dict[str, Any]:
    """What of that its cover says."""
    return {"id": lab.id, "version": lab.version, "minutes": lab.minutes}


def _plain(value: Any) -> Any:
    """Named tuples as mappings, and tuples as lists."""
    if isinstance(value, tuple):
        fields = value._asdict() if hasattr(value, "_asdict") else None
        return [_plain(item) for item in value] if fields is None else _plain(fields)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def _seen_gate(gate: Gate, shown: Collection[str]) -> Gate:
    own_tests = None if gate.tests_catch is None else gate.tests_catch._replace(mistakes=())
    return gate._replace(checks=_seen_checks(gate.checks, shown), shared=None, tests_catch=own_tests)


def _seen_checks(checks: tuple[Check, ...], shown: Collection[str]) -> tuple[Check, ...]:
    seen = (check._replace(fixtures=tuple(name for name in check.fixtures if name in shown)) for check in checks)
    return tuple(check for check in seen if check.fixtures)


def _fixture(fixture: Fixture) -> dict[str, Any]:
    return {
        "id": fixture.id,
        "title": fixture.title,
        "input": {key: value for key, value in fixture.data.items() if key != "id"},
        "ending": _plain(fixture.ending),
    }


def _stretch(stretch: Stretch, shown: Collection[str]) -> dict[str, Any]:
    return {
        "points": stretch.points,
        "pick": stretch.pick,
        "needs": list(stretch.needs),
        "goals": [_goal(goal, shown) for goal in stretch.goals],
    }


def _goal(goal: Goal, shown: Collection[str]) -> dict[str, Any]:
    own = [fixture for fixture in goal.fixtures if not fixture.hidden]
    return {
        "id": goal.id,
        "title": goal.title,
        "says": goal.says,
        "points": goal.points,
        "fixtures": [_fixture(fixture) for fixture in own],
        "checks": _plain(_seen_checks(goal.checks, {*shown, *(fixture.id for fixture in own)})),
    }


def _loop(lab: Lab) -> dict[str, Any]:
    """The loop as a spec says it."""
    workspace = lab.workspace
    return {
        "budgets": {budget.name: budget.limit for budget in lab.budgets},
        "meters": {meter.name: _meter(meter) for meter in lab.meters if not meter.builtin},
        "tools": {tool.name: _tool(tool) for tool in lab.tools},
        **({} if workspace is None else {"workspace": {"roots": workspace.roots, "files": dict(workspace.files)}}),
        "plan_ends": lab.plan_ends,
        "errors": lab.errors._asdict(),
        "taxonomy": {
            reason.name: _said(
                {"kind": reason.kind, "says": reason.says, "exit_code": reason.exit_code, "was": reason.was}
            )
            for reason in lab.taxonomy
        },
        "table": [_row(row) for row in lab.table],
    }


def _said(keys: dict[str, Any]) -> dict[str, Any]:
    """The keys that have something to say."""
    return {key: value for key, value in keys.items() if value is not None}


def _meter(meter: Meter) -> dict[str, Any]:
    return _said(
        {
            "at": meter.at,
            "add": to_source(meter.add),
            "when": _source(meter.when),
            "resets_when": _source(meter.resets_when),
            "refund_when": _source(meter.refund_when),
            "says": meter.says,
        }
    )


def _tool(tool: Tool) -> dict[str, Any]:
    command = {} if tool.command is None else tool.command._asdict()
    return _said({"kind": tool.kind, "says": tool.says, **command})


def _row(row: Row) -> dict[str, Any]:
    said = {"id": row.id, "when": _source(row.when), "says": row.says}
    if row.verb == "refuse":
        return _said({"refuse": row.outcome, **said, "counted": row.counted})
    return _said({"exit": row.outcome, "at": row.at, **said, "last_error": _last_error(row.last_error)})


def _last_error(last: LastError) -> str | None:
    return last.text if last.source == "text" else last.source


def _source(when: Expr | None) -> str | None:
    return None if when is None else to_source(when)
