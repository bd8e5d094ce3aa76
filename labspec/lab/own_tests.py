"""Resolve what gates ask of the student's own tests: `tests_catch`, with the mistakes whose loops they must reject.

A wrong loop is the student's file as the solution has it, but printed from a mistake's loop. So only a mistake that
stands in that file can be used: not one of the recorder, which is a file beside it, nor of anything else that is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from labspec.lab.handout import check_known
from labspec.lab.model import Gate, Loop, Mistake, TestsCatch
from labspec.lab.places import Places, Step
from labspec.spec.model import Spec
from labspec.spec.rubric import GateCheckSpec, GateSpec, TestsCatchSpec

Target: TypeAlias = Literal["python", "node"]


def resolve_own_tests(
    spec: Spec, rubric: tuple[Gate, ...], loop: Loop, mistakes: tuple[Mistake, ...], places: Places
) -> tuple[Gate, ...]:
    """The rubric, with what its gates ask of the student's own tests."""
    usable = [one.id for one in mistakes if stands_in_loop_file(spec.target, loop, one)]
    return tuple(
        gate._replace(tests_catch=_resolve(index, gate_spec, spec, usable, places))
        for index, (gate, gate_spec) in enumerate(zip(rubric, spec.rubric, strict=True))
    )


def stands_in_loop_file(target: Target, loop: Loop, mistake: Mistake) -> bool:
    """Whether the solution's loop file, printed from the mistake's loop, has the whole mistake in it."""
    wrong_recorder = bool(mistake.machine["recorder"])
    return not wrong_recorder and _printed(target, loop) != _printed(target, mistake.loop)


def _printed(target: Target, loop: Loop) -> tuple[object, ...]:
    """The parts of a loop that are printed into the loop file; the others are printed into files that are given."""
    always = (loop.budgets, loop.meters, loop.table)
    if target == "node":
        return (*always, loop.plan_ends, [(reason.name, reason.kind) for reason in loop.taxonomy])
    if loop.workspace is not None:
        return (*always, loop.workspace.roots)
    return (*always, loop.plan_ends, loop.errors, [tool.name for tool in loop.tools])


def _resolve(index: int, gate: GateSpec, spec: Spec, usable: Sequence[str], places: Places) -> TestsCatch | None:
    found = [(number, check) for number, check in enumerate(gate.checks) if check.tests_catch is not None]
    if not found:
        return None
    if spec.starter.tests == "given":
        message = f"the gate `{gate.gate}` rewards the student's own tests, but the starter gives them"
        places.error("tests-are-given", message, "starter", "tests", help="write `tests: todo`, or drop `tests_catch`")
    for number, _ in found[1:]:
        message = f"the gate `{gate.gate}` asks for `tests_catch` twice"
        help = "list all mistakes in one, or make a gate of its own of each"
        places.error("tests-catch-twice", message, "rubric", index, "checks", number, help=help)
    for number, check in found:
        _check_alone(check, places, "rubric", index, "checks", number)
    return next(_tests_catch(gate, check, spec, usable, places, index, number) for number, check in found)


def _check_alone(check: GateCheckSpec, places: Places, *path: Step) -> None:
    for key in ("check", "fixtures"):
        if key in check.model_fields_set:
            message = (
                f"a check says either `tests_catch` or `{key}`: one is about the student's tests, the other about runs"
            )
            places.key_error("check-of-two-kinds", message, *path, key, help="make two checks of it")


def _tests_catch(
    gate: GateSpec, check: GateCheckSpec, spec: Spec, usable: Sequence[str], places: Places, *at: int
) -> TestsCatch:
    asked = check.tests_catch or TestsCatchSpec(mistakes=None, at_least=None)
    path: tuple[Step, ...] = ("rubric", at[0], "checks", at[1], "tests_catch")
    named = list(dict.fromkeys(usable if asked.mistakes is None else asked.mistakes))
    check_known(asked.mistakes or [], [one.id for one in spec.mistakes], "mistake", places, *path, "mistakes")
    _check_usable(asked.mistakes or [], spec, usable, places, *path, "mistakes")
    if named and asked.at_least is not None and asked.at_least > len(named):
        there = "is only 1" if len(named) == 1 else f"are only {len(named)}"
        message = f"the gate `{gate.gate}` wants {asked.at_least} mistakes caught, and there {there} to catch"
        places.error("at-least-too-many", message, *path, "at_least", help=f"ask for {len(named)}, or list more")
    elif not named:
        message = f"the gate `{gate.gate}` has no mistake that tests could catch"
        places.error("nothing-to-catch", message, *path, help="list a mistake that changes budgets, meters or table")
    return TestsCatch(tuple(named), len(named) if asked.at_least is None else asked.at_least)


def _check_usable(names: Sequence[str], spec: Spec, usable: Sequence[str], places: Places, *path: Step) -> None:
    known = {one.id for one in spec.mistakes}
    for index, name in enumerate(names):
        if name in known and name not in usable:
            message = f"the student's tests can't be held against the mistake `{name}`: it isn't one of the loop's file"
            help = "a mistake of the recorder or the tools lies in files that are given; list one of the loop itself"
            places.error("mistake-outside-the-loop", message, *path, index, help=help)
