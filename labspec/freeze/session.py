"""A live run of the reference machine, and its replay: the second step of freezing, after the planner is made."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from labspec.freeze.planner import FreezeError
from labspec.machine.runner import (
    Ending,
    Loop,
    Machine,
    MachineError,
    Tools,
    Trace,
    WorkspaceTools,
    ending_of,
    fresh_workspace,
    read_fixture,
    run_in_workspace,
    take,
)

if TYPE_CHECKING:
    from labspec.freeze.planner import Planner

MOST_TURNS: Final = 1000
"""The most turns of a live run. Planners stop by themselves well before."""

NEVER_REACHED: Final = {"type": "stop", "reason": "never_reached"}


class Frozen(NamedTuple):
    """A live run that is kept.

    `fixture` is what runners read; `passed` says for each of its steps what the call came to (None: no call). `differs`
    is empty if the replay led to the same ending and the same trace.
    """

    fixture: dict[str, Any]
    passed: tuple[bool | None, ...]
    ending: Ending
    differs: str


class _Run(NamedTuple):
    ending: Ending
    events: list[dict[str, Any]]


def freeze(machine: Machine, planner: Planner, fixture_id: str, goal: str, budgets: Mapping[str, int]) -> Frozen:
    """Let `planner` drive the machine in a fresh workspace, and replay what it did.

    `budgets` replaces some of the machine's limits. Raises FreezeError if the machine has no tools that really run, a
    budget does not exist, the planner's endpoint fails, or no row ends the loop.
    """
    check_can_freeze(machine)
    plan = {"id": fixture_id, "goal": goal, "planned_calls": [], **({"budgets": dict(budgets)} if budgets else {})}
    with _sentences():
        read_fixture(machine, plan)
        with fresh_workspace(machine, plan) as root:
            live = _run_live(Loop(machine, budgets), planner, goal, WorkspaceTools(machine, root))
    if planner.failed:
        raise FreezeError("nothing was frozen: the planner had to give up")
    steps = planned(planner.steps)
    fixture = {**plan, "planned_calls": steps}
    with _sentences():
        differs = _difference(live, _replay(machine, fixture))
    passed = _passed(live.events)
    return Frozen(fixture, (*passed, *[None] * (len(steps) - len(passed))), live.ending, differs)


def check_can_freeze(machine: Machine) -> None:
    """Raise FreezeError if the machine has only scripted tools: a model would wait for results that nobody makes."""
    if machine.workspace is None:
        raise FreezeError("freezing needs tools that really run, and this lab has none: write its fixtures by hand")


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except MachineError as error:
        raise FreezeError(str(error)) from error


def _run_live(loop: Loop, planner: Planner, goal: str, tools: Tools) -> _Run:
    """Ask the planner in every turn that has begun; a plan that never ends is the only difference to `drive`."""
    trace = Trace()
    for _ in range(MOST_TURNS):
        last = trace.events[-1] if trace.events else None
        row = loop.turn(plan_ended=False)
        if row is None:
            trace.push("turn", turn=loop.facts["turns"])
            row = take(loop, planner.decide(loop.facts["turns"], goal, last), tools, trace)
        if row is not None:
            return _Run(ending_of(loop, row), trace.events)
    raise FreezeError(f"no row ended the loop within {MOST_TURNS} turns")


def planned(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The plan that replays these steps.

    A loop that a budget ends never asks for the next step, so its plan must not run out, which would be another
    ending: it gets one more step, which no replay reaches.
    """
    return list(steps) if steps and steps[-1]["type"] == "stop" else [*steps, dict(NEVER_REACHED)]


def _replay(machine: Machine, fixture: Mapping[str, Any]) -> _Run:
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        trace = Path(folder) / "trace.json"
        ending = run_in_workspace(machine, fixture, "replay", None, trace)
        return _Run(ending, json.loads(trace.read_text(encoding="utf-8"))[:-1])


def _difference(live: _Run, replayed: _Run) -> str:
    for field, was, now in zip(Ending._fields, live.ending, replayed.ending, strict=True):
        if was != now:
            return f"`{field}` was {was} and is {now} in the replay"
    if live.events == replayed.events:
        return ""
    pairs = zip(live.events, replayed.events, strict=False)
    at = next((at for at, (was, now) in enumerate(pairs) if was != now), min(len(live.events), len(replayed.events)))
    return f"the trace of the replay is another one from event {at + 1} on"


def _passed(events: list[dict[str, Any]]) -> list[bool | None]:
    """For each turn what its call came to; None if it had none."""
    passed: list[bool | None] = []
    for event in events:
        if event["type"] == "turn":
            passed.append(None)
        elif event["type"] in ("tool_result", "tool_error"):
            passed[-1] = event["type"] == "tool_result"
    return passed
