"""Resolve fixtures: steps into the data that runners read, and the ending that the reference runner reaches on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from labspec.diagnostics import Related
from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.expectation import check_expectation
from labspec.lab.loop import Loop
from labspec.lab.model import Fixture
from labspec.lab.places import Places
from labspec.machine.runner import Ending, Machine, MachineError, run
from labspec.spec.fixtures import CallStep, FixtureSpec, MalformedStep, StepSpec, StopStep

MAX_STEPS: Final = 1000
"""The longest plan, after `times` is spelled out."""

MAX_STEPS_IN_ALL: Final = 5000
"""The most steps of all plans together: every one of them is run for the lab and for each of its mistakes."""


def resolve_fixtures(specs: list[FixtureSpec], loop: Loop, machine: Machine, places: Places) -> tuple[Fixture, ...]:
    """The fixtures with their endings; an `expect` that the reference contradicts is a finding."""
    steps = sum(step.times for spec in specs for step in spec.steps)
    if steps > MAX_STEPS_IN_ALL:
        message = f"the fixtures have {steps} steps in all; a lab has at most {MAX_STEPS_IN_ALL}"
        places.key_error("plan-too-long", message, "fixtures", help="shorten plans: a few steps show what many do")
        return ()
    resolved = (_resolve(index, spec, loop, machine, places) for index, spec in enumerate(specs))
    return tuple(fixture for fixture in resolved if fixture is not None)


def check_unique(names: list[str], what: str, places: Places, section: str, key: str = "id") -> None:
    """Names of one section differ, whatever the case of their letters."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        before = first.setdefault(name.casefold(), index)
        if before != index:
            related = (Related("the first one stands here", places.at(section, before, key)),)
            message = f"two {what}s are called `{name}`"
            places.report.error("duplicate-id", message, places.at(section, index, key), related=related)


def _resolve(index: int, spec: FixtureSpec, loop: Loop, machine: Machine, places: Places) -> Fixture | None:
    before = len(places.report.diagnostics)
    _check_budgets(index, spec, loop, places)
    for number, step in enumerate(spec.steps):
        _check_step(index, number, step, loop, places)
    calls = [call for step in spec.steps for call in _calls(step)]
    if len(calls) > MAX_STEPS:
        message = f"fixture `{spec.id}` has {len(calls)} steps; a plan has at most {MAX_STEPS}"
        places.key_error("plan-too-long", message, "fixtures", index, "steps")
    if len(places.report.diagnostics) > before:
        return None
    data: dict[str, Any] = {"id": spec.id, "planned_calls": calls}
    if spec.budgets:
        data["budgets"] = dict(spec.budgets)
    ending = _reference_ending(index, spec, data, machine, places)
    if ending is None:
        return None
    return Fixture(
        id=spec.id,
        title=spec.title,
        says=spec.says,
        hidden=spec.visibility == "hidden",
        data=data,
        budgets=dict(spec.budgets),
        ending=ending,
        stated=spec.expect is not None,
    )


def _check_budgets(index: int, spec: FixtureSpec, loop: Loop, places: Places) -> None:
    names = [budget.name for budget in loop.budgets]
    for name in spec.budgets:
        if name not in names:
            near = did_you_mean(name, names)
            help = f"did you mean `{near}`?" if near else None
            places.key_error(
                "unknown-budget", f"the lab has no budget `{name}`", "fixtures", index, "budgets", name, help=help
            )


def _check_step(index: int, number: int, step: StepSpec, loop: Loop, places: Places) -> None:
    path = ("fixtures", index, "steps", number)
    if not isinstance(step, CallStep):
        return
    given = {"error", "payload"} & step.model_fields_set
    if len(given) != 1:
        found = "both `error` and `payload`" if given else "neither `error` nor `payload`"
        message = f"a step that calls a tool has one result, and this one has {found}"
        places.error(
            "step-result", message, *path, help="write `error: CODE` for a failure, `payload: DATA` for a success"
        )
    tools = [tool.name for tool in loop.tools]
    if step.call not in tools and not step.unknown:
        near = did_you_mean(step.call, tools)
        help = f"did you mean `{near}`?" if near else "if that is on purpose, add `unknown: true` to the step"
        places.error("unknown-tool", f"the lab has no tool `{step.call}`", *path, "call", help=help)
    if step.call in tools and step.unknown:
        message = f"the step says that the tool `{step.call}` is unknown, but the lab has it"
        places.error("tool-is-known", message, *path, "unknown")


def _calls(step: StepSpec) -> Iterator[dict[str, Any]]:
    for _ in range(step.times):
        match step:
            case StopStep():
                yield {"type": "stop", "reason": step.stop}
            case MalformedStep():
                yield _malformed(step)
            case CallStep():
                yield _scripted(step)


def _scripted(step: CallStep) -> dict[str, Any]:
    if step.error is not None:
        return {"name": step.call, "ok": False, "error": step.error, "final": step.final}
    return {"name": step.call, "ok": True, "payload": step.payload, "final": step.final}


def _malformed(step: MalformedStep) -> dict[str, Any]:
    names: dict[str, dict[str, Any]] = {"no_name": {}, "empty_name": {"name": ""}, "number_name": {"name": 7}}
    if step.malformed == "not_a_call":
        return {"type": "other"}
    return {**names[step.malformed], "ok": True, "payload": step.payload, "final": step.final}


def _reference_ending(
    index: int, spec: FixtureSpec, data: dict[str, Any], machine: Machine, places: Places
) -> Ending | None:
    try:
        ended = run(machine, data, "reference")
    except MachineError:
        message = f"no row ends the loop on fixture `{spec.id}`: its plan has ended and the loop would run on"
        help = "add a row at `turn` for `plan.ended`, as the last of the table"
        places.error("loop-never-ends", message, "fixtures", index, "steps", help=help)
        return None
    if spec.expect is not None:
        check_expectation(index, spec.expect, data, ended, machine, places)
    return ended
