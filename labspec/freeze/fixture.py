"""From a frozen run to what a spec says about it: the item of `fixtures` that means the same plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labspec.freeze.session import Frozen
    from labspec.machine.runner import Machine


def fixture_spec(machine: Machine, frozen: Frozen) -> dict[str, Any]:
    """The fixture as it stands in a spec, with the ending as what is expected."""
    fixture, ending = frozen.fixture, frozen.ending
    steps = zip(fixture["planned_calls"], frozen.passed, strict=True)
    return {
        "id": fixture["id"],
        "title": fixture["goal"],
        "goal": fixture["goal"],
        **({"budgets": fixture["budgets"]} if "budgets" in fixture else {}),
        "steps": [_step(machine, step, passed) for step, passed in steps],
        "expect": {
            "reason": ending.reason,
            "turns": ending.turns,
            "tools": list(ending.tool_names),
            "last_error": ending.last_error,
        },
    }


def _step(machine: Machine, step: Mapping[str, Any], passed: bool | None) -> dict[str, Any]:
    if step["type"] == "stop":
        return {"stop": step["reason"]}
    if step["type"] != "tool":
        return {"malformed": "not_a_call"}
    kind = machine.tools[step["name"]]["kind"] if step["name"] in machine.tools else "unknown"
    call = {"call": step["name"], **({"args": step["args"]} if step["args"] != {} else {})}
    match kind:
        case "unknown":
            return {**call, "unknown": True}
        case "command":
            return {**call, "result": "ok" if passed else "failed"}
        case "scripted":
            return {"call": step["name"], "error": machine.error_otherwise}
        case _:
            return call
