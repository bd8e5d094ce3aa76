"""Resolve what people read: rubric, exercises, submission. Everything named in them must exist, and add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.fixtures import check_unique
from labspec.lab.model import Check, Exercise, Gate, SubmissionItem, Zero
from labspec.lab.places import Places, Step
from labspec.spec.handout import SubmissionItemSpec
from labspec.spec.model import Spec
from labspec.spec.rubric import GateSpec, ZeroSpec

ZERO_KINDS: Final = ("hangs", "changed", "missing", "wrote_outside", "without")


def resolve_rubric(spec: Spec, places: Places) -> tuple[Gate, ...]:
    """The gates; a check without fixtures is made on all of them, and fixtures can join a gate by naming it."""
    gates = [gate.gate for gate in spec.rubric]
    check_unique(gates, "gate", places, "rubric", key="gate")
    check_unique([item.id for item in spec.manual], "manual item", places, "manual")
    _check_zeros(spec.zero_if, gates, places, "zero_if")
    known = [fixture.id for fixture in spec.fixtures]
    for index, gate in enumerate(spec.rubric):
        for number, check in enumerate(gate.checks):
            check_known(check.fixtures or [], known, "fixture", places, "rubric", index, "checks", number, "fixtures")
        _check_zeros(gate.zero_if, gates, places, "rubric", index, "zero_if")
    for index, fixture in enumerate(spec.fixtures):
        check_known(fixture.gates or [], gates, "gate", places, "fixtures", index, "gates")
    _check_visible(spec, places)
    _check_points(spec, places)
    return tuple(
        Gate(gate.gate, gate.points, gate.says, _checks(gate, spec), resolve_zeros(gate.zero_if), gate.shared)
        for gate in spec.rubric
    )


def resolve_zeros(specs: Sequence[ZeroSpec]) -> tuple[Zero, ...]:
    """The conditions for an automatic zero. One that says nothing has a finding of its own."""
    return tuple(Zero(_zero_kind(spec), tuple(spec.without or ())) for spec in specs if spec.model_fields_set)


def _zero_kind(spec: ZeroSpec) -> Literal["hangs", "changed", "missing", "wrote_outside", "without"]:
    return next(kind for kind in ZERO_KINDS if kind in spec.model_fields_set)


def _check_zeros(specs: Sequence[ZeroSpec], gates: list[str], places: Places, *path: Step) -> None:
    for index, spec in enumerate(specs):
        if len(spec.model_fields_set) != 1:
            message = f"a condition for an automatic zero has one key, and this one has {len(spec.model_fields_set)}"
            places.error("zero-without-condition", message, *path, index, help="write one of " + ", ".join(ZERO_KINDS))
        check_known(spec.without or [], gates, "gate", places, *path, index, "without")


def _checks(gate: GateSpec, spec: Spec) -> tuple[Check, ...]:
    """The checks of runs of a gate: made on the fixtures they list, then on those that name the gate themselves."""
    everything = tuple(fixture.id for fixture in spec.fixtures)
    checks = [
        Check(one.check, everything if one.fixtures is None else tuple(one.fixtures))
        for one in gate.checks
        if one.tests_catch is None
    ]
    joining = [fixture.id for fixture in spec.fixtures if gate.gate in (fixture.gates or ())]
    for kind in dict.fromkeys(check.kind for check in checks):
        same = [index for index, check in enumerate(checks) if check.kind == kind]
        listed = {name for index in same for name in checks[index].fixtures}
        first = checks[same[0]]
        joined = (name for name in joining if name not in listed)
        checks[same[0]] = first._replace(fixtures=(*first.fixtures, *joined))
    return tuple(checks)


def _check_visible(spec: Spec, places: Places) -> None:
    """Students can see for every gate whether they earn it: some of its fixtures are in their repository."""
    hidden = {fixture.id for fixture in spec.fixtures if fixture.visibility == "hidden"}
    for index, gate in enumerate(spec.rubric):
        used = {name for check in _checks(gate, spec) for name in check.fixtures}
        if used and used <= hidden:
            message = f"all fixtures of the gate `{gate.gate}` are hidden, so students have no test for it"
            places.error(
                "gate-is-hidden", message, "rubric", index, "checks", help="add a fixture that students can see"
            )


def _check_points(spec: Spec, places: Places) -> None:
    total = sum(gate.points for gate in spec.rubric)
    if total != spec.points:
        message = f"the gates give {total} points, but the lab promises {spec.points}"
        help = "change `points`, or the points of one gate"
        places.error("points-do-not-add-up", message, "points" if places.node("points") else "rubric", help=help)


def resolve_exercises(spec: Spec, places: Places) -> tuple[Exercise, ...]:
    """The exercises, with the fixtures and gates they name."""
    check_unique([exercise.id for exercise in spec.exercises], "exercise", places, "exercises")
    fixtures = [fixture.id for fixture in spec.fixtures]
    gates = [gate.gate for gate in spec.rubric]
    for index, exercise in enumerate(spec.exercises):
        check_known(exercise.fixtures, fixtures, "fixture", places, "exercises", index, "fixtures")
        check_known(exercise.gates, gates, "gate", places, "exercises", index, "gates")
    return tuple(Exercise(one.id, one.title, one.says, tuple(one.fixtures), tuple(one.gates)) for one in spec.exercises)


def check_costs(spec: Spec, places: Places) -> None:
    """The gates that mistakes say they cost exist."""
    gates = [gate.gate for gate in spec.rubric]
    for index, mistake in enumerate(spec.mistakes):
        check_known(mistake.costs, gates, "gate", places, "mistakes", index, "costs")


def resolve_submission(spec: Spec, places: Places) -> tuple[SubmissionItem, ...]:
    """What is handed in."""
    for index, item in enumerate(spec.submission):
        _check_item(index, item, places)
    return tuple(_item(item) for item in spec.submission)


def _check_item(index: int, item: SubmissionItemSpec, places: Places) -> None:
    kinds = _ITEM_KINDS & item.model_fields_set
    if len(kinds) != 1:
        message = f"submission item {index + 1} must say one of `file: PATH`, `command: COMMAND` and `text: PATH`"
        places.error("item-without-kind", message, "submission", index)
    elif ("words" in item.model_fields_set) != (kinds == {"text"}):
        message = f"submission item {index + 1}: a text, and nothing else, says how many `words` it has at most"
        places.error("item-words", message, "submission", index)


_ITEM_KINDS: Final = frozenset({"file", "command", "text"})


def _item(item: SubmissionItemSpec) -> SubmissionItem:
    if item.file is not None:
        return SubmissionItem("file", item.file, item.says, None)
    if item.command is not None:
        return SubmissionItem("command", item.command, item.says, None)
    return SubmissionItem("text", item.text or "", item.says, item.words)


def check_known(names: Sequence[str], known: Sequence[str], what: str, places: Places, *path: Step) -> None:
    """Report each of `names` at `path` that is not `known`."""
    for index, name in enumerate(names):
        if name not in known:
            near = did_you_mean(name, known)
            help = f"did you mean `{near}`?" if near else f"the lab has {', '.join(f'`{one}`' for one in known)}"
            places.error(f"unknown-{what}", f"the lab has no {what} `{name}`", *path, index, help=help)
