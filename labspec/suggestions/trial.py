"""A suggested fixture tried out as if it stood in the spec: it must mean what its plan means, and disturb nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labspec.checks.mistakes import Judge
from labspec.diagnostics import Report
from labspec.freeze.yaml import YamlError, list_item
from labspec.lab.fixtures import resolve_fixtures
from labspec.lab.model import Check, Fixture, Gate, Loop
from labspec.lab.places import Places
from labspec.machine.runner import Machine, MachineError
from labspec.machine.simulation import simulate
from labspec.source.nodes import Mapping as Node
from labspec.source.parse import parse
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.validate import validate_as

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.mutants import Mutant


class TrialError(Exception):
    """The fixture will not do; the sentence says why."""


def resolved(fixture: dict[str, Any], lab: Lab, machine: Machine) -> Fixture:
    """The fixture as the lab would have it. Raises TrialError if a spec can't hold it."""
    try:
        text = list_item(fixture)
    except YamlError as error:
        raise TrialError(str(error)) from error
    report = Report()
    root = parse(f"fixtures:\n{text}", fixture["id"], report)
    item = None if root is None else Places(root, report).node("fixtures", 0)
    spec = validate_as(FixtureSpec, item, report, called="the fixture") if isinstance(item, Node) else None
    if root is not None and spec is not None:
        loop = Loop(*(getattr(lab, name) for name in Loop._fields))
        for one in resolve_fixtures([spec], loop, machine, Places(root, report), "fixtures"):
            return one
    raise TrialError("; ".join(finding.message for finding in report.diagnostics))


def check_goals(fixture: Fixture, lab: Lab) -> None:
    """Raise TrialError if a stretch goal would change how the fixture ends: no fixture of a lab may."""
    for goal in lab.stretch.goals if lab.stretch else ():
        try:
            reason = simulate(Machine(goal.machine), fixture.simulated).ending.reason
        except MachineError:
            reason = ""
        if reason != fixture.ending.reason:
            raise TrialError(f"with the stretch goal `{goal.id}` its run ends in another way")


def tells(fixture: Fixture, mutant: Mutant, *, traced: bool) -> bool:
    """Whether a run of the mutant leaves something else than that of the reference.

    A slip of the recorder shows on every run that ends as the explorer says.
    """
    if mutant.family == "recorder":
        return True
    try:
        reached = simulate(Machine(mutant.machine), fixture.simulated)
    except MachineError:
        return True
    if reached.ending.seen() != fixture.ending.seen() or reached.files != fixture.files:
        return True
    return traced and reached.events != list(fixture.trace)


def choose_gate(fixture: Fixture, gates: Sequence[str], lab: Lab) -> tuple[str, str]:
    """The first of `gates` that can be held against the fixture without a mistake costing a gate it does not name.

    If there is none: the first of them all, and such a mistake.
    """
    judge = Judge(lab._replace(fixtures=(fixture,), rubric=tuple(_only_on(fixture, gate) for gate in lab.rubric)))
    surprised: dict[str, str] = {}
    for mistake in lab.mistakes:
        failed = judge.failed_gates(Machine(mistake.machine))
        surprised |= {gate: mistake.id for gate in failed if gate not in mistake.costs and gate not in surprised}
    chosen = next((gate for gate in gates if gate not in surprised), gates[0])
    return chosen, surprised.get(chosen, "")


def _only_on(fixture: Fixture, gate: Gate) -> Gate:
    """The gate with every kind of its checks made on one fixture."""
    kinds = dict.fromkeys(check.kind for check in gate.checks)
    return gate._replace(checks=tuple(Check(kind, (fixture.id,)) for kind in kinds))
