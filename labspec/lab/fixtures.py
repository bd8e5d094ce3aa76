"""Resolve fixtures: steps into the data that runners read, and the ending that the reference runner reaches on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from labspec.diagnostics import Related
from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.expectation import check_expectation
from labspec.lab.model import Fixture, Loop
from labspec.lab.places import Places, Step
from labspec.lab.tools import check_path
from labspec.machine.runs import Runs
from labspec.machine.simulation import Simulated
from labspec.spec.fixtures import CallStep, FixtureSpec, MalformedStep, StepSpec, StopStep

MAX_STEPS: Final = 1000
"""The longest plan, after `times` is spelled out."""

MAX_STEPS_IN_ALL: Final = 5000
"""The most steps of all plans together: every one of them is run for the lab and for each of its mistakes."""


def resolve_fixtures(
    specs: list[FixtureSpec], loop: Loop, runs: Runs, places: Places, *section: Step
) -> tuple[Fixture, ...]:
    """The fixtures of a section with their endings; an `expect` that the reference contradicts is a finding.

    `runs` are those of the machine that `loop` is.
    """
    steps = sum(step.times for spec in specs for step in spec.steps)
    if steps > MAX_STEPS_IN_ALL:
        message = f"the fixtures have {steps} steps in all; a lab has at most {MAX_STEPS_IN_ALL}"
        places.key_error("plan-too-long", message, *section, help="shorten plans: a few steps show what many do")
        return ()
    resolved = (_resolve((*section, index), spec, loop, runs, places) for index, spec in enumerate(specs))
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


def _resolve(path: tuple[Step, ...], spec: FixtureSpec, loop: Loop, runs: Runs, places: Places) -> Fixture | None:
    before = len(places.report.diagnostics)
    _check_budgets(path, spec, loop, places)
    _check_workspace(path, spec, loop, places)
    for number, step in enumerate(spec.steps):
        _check_step((*path, "steps", number), step, loop, places)
    calls = [call for step in spec.steps for call in _calls(step, loop)]
    if len(calls) > MAX_STEPS:
        message = f"fixture `{spec.id}` has {len(calls)} steps; a plan has at most {MAX_STEPS}"
        places.key_error("plan-too-long", message, *path, "steps")
    if len(places.report.diagnostics) > before:
        return None
    simulated: dict[str, Any] = {"id": spec.id, "planned_calls": calls}
    if loop.workspace is not None:
        simulated = {"id": spec.id, "goal": spec.goal or spec.title, "planned_calls": calls}
    if spec.budgets:
        simulated["budgets"] = dict(spec.budgets)
    if spec.workspace is not None:
        simulated["workspace"] = spec.workspace.model_dump(exclude_unset=True)
    reached = _run(path, spec, simulated, runs, places)
    if reached is None:
        return None
    return Fixture(
        id=spec.id,
        title=spec.title,
        says=spec.says,
        hidden=spec.visibility == "hidden",
        data={**simulated, "planned_calls": [_without_result(call) for call in calls]},
        simulated=simulated,
        budgets=dict(spec.budgets),
        ending=reached.ending,
        files=reached.files,
        trace=reached.events,
        stated=spec.expect is not None,
    )


def _check_budgets(path: tuple[Step, ...], spec: FixtureSpec, loop: Loop, places: Places) -> None:
    names = [budget.name for budget in loop.budgets]
    for name in spec.budgets:
        if name not in names:
            near = did_you_mean(name, names)
            help = f"did you mean `{near}`?" if near else None
            places.key_error("unknown-budget", f"the lab has no budget `{name}`", *path, "budgets", name, help=help)


def _check_workspace(path: tuple[Step, ...], spec: FixtureSpec, loop: Loop, places: Places) -> None:
    if spec.workspace is None:
        return
    if loop.workspace is None:
        message = "the lab has no workspace that a fixture could change"
        places.error("no-workspace", message, *path, "workspace")
    for key in ("files", "links"):
        for name in getattr(spec.workspace, key):
            check_path(name, places, *path, "workspace", key, name)


def _check_step(path: tuple[Step, ...], step: StepSpec, loop: Loop, places: Places) -> None:
    if not isinstance(step, CallStep):
        return
    tools = {tool.name: tool for tool in loop.tools}
    if step.call in tools or loop.workspace is None:
        _check_result(step, tools[step.call].kind if step.call in tools else "scripted", places, *path)
    if step.call not in tools and not step.unknown:
        near = did_you_mean(step.call, tools)
        help = f"did you mean `{near}`?" if near else "if that is on purpose, add `unknown: true` to the step"
        places.error("unknown-tool", f"the lab has no tool `{step.call}`", *path, "call", help=help)
    if step.call in tools and step.unknown:
        message = f"the step says that the tool `{step.call}` is unknown, but the lab has it"
        places.error("tool-is-known", message, *path, "unknown")


_RESULT_KEYS: Final = {
    "scripted": ({"error", "payload"}, "write `error: CODE` for a failure, `payload: DATA` for a success"),
    "command": ({"result"}, "write `result: ok` or `result: failed`: what the command will come to"),
    "builtin": (set[str](), "the tool really reads or writes: write its `args`, and leave the result out"),
}
"""The keys that a step says its result with, for each kind of tool, of which there is exactly one; and advice."""


def _check_result(step: CallStep, kind: str, places: Places, *path: Step) -> None:
    allowed, advice = _RESULT_KEYS[kind]
    results = {"error", "payload", "result"} if kind == "scripted" else {"error", "payload", "result", "final"}
    keys = results & step.model_fields_set
    if keys <= allowed and len(keys) == min(1, len(allowed)):
        return
    shown = " and ".join(f"`{key}`" for key in sorted(keys)) or "none"
    wanted = "has one result" if allowed else "says no result"
    message = f"a step that calls a {kind} tool {wanted}, and this one has {shown}"
    places.error("step-result", message, *path, help=advice)


def _calls(step: StepSpec, loop: Loop) -> Iterator[dict[str, Any]]:
    for _ in range(step.times):
        match step:
            case StopStep():
                yield {"type": "stop", "reason": step.stop}
            case MalformedStep():
                yield _malformed(step)
            case CallStep():
                yield _call(step, loop)


def _call(step: CallStep, loop: Loop) -> dict[str, Any]:
    scripted = any(tool.name == step.call and tool.kind == "scripted" for tool in loop.tools)
    if not scripted and loop.workspace is not None:
        call = {"type": "tool", "name": step.call, "args": {} if step.args is None else step.args}
        return call if step.result is None else {**call, "result": step.result}
    if step.error is not None:
        return {"name": step.call, "ok": False, "error": step.error, "final": step.final}
    return {"name": step.call, "ok": True, "payload": step.payload, "final": step.final}


def _malformed(step: MalformedStep) -> dict[str, Any]:
    names: dict[str, dict[str, Any]] = {"no_name": {}, "empty_name": {"name": ""}, "number_name": {"name": 7}}
    if step.malformed == "not_a_call":
        return {"type": "other"}
    return {**names[step.malformed], "ok": True, "payload": step.payload, "final": step.final}


def _without_result(call: dict[str, Any]) -> dict[str, Any]:
    """A step as students see it: what a command will come to is not theirs to read."""
    return {key: value for key, value in call.items() if key != "result"}


def _run(
    path: tuple[Step, ...], spec: FixtureSpec, data: dict[str, Any], runs: Runs, places: Places
) -> Simulated | None:
    reached = runs.on(data)
    if reached is None:
        message = f"no row ends the loop on fixture `{spec.id}`: its plan has ended and the loop would run on"
        help = "add a row at `turn` for `plan.ended`, as the last of the table"
        places.error("loop-never-ends", message, *path, "steps", help=help)
        return None
    if spec.expect is not None:
        check_expectation((*path, "expect"), spec.expect, data, reached.ending, runs.machine, places)
    return reached
