"""A suggested fixture tried out as if it stood in the spec: it must mean what its plan means, and disturb nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from labspec.checks.mistakes import Judge
from labspec.diagnostics import Report
from labspec.freeze.yaml import YamlError, list_item
from labspec.lab.fixtures import resolve_fixtures
from labspec.lab.model import Check, Fixture, Gate, Loop
from labspec.lab.places import Places
from labspec.machine.runner import Machine, MachineError
from labspec.machine.runs import Runs
from labspec.machine.simulation import simulate
from labspec.mutants import Mutant
from labspec.source.nodes import Mapping as Node
from labspec.source.parse import parse
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.validate import validate_as

if TYPE_CHECKING:
    from labspec.lab.model import Lab


class TrialError(Exception):
    """The fixture will not do; the sentence says why."""


def resolved(fixture: dict[str, Any], lab: Lab) -> Fixture:
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
        for one in resolve_fixtures([spec], loop, Runs(lab.machine), Places(root, report), "fixtures"):
            return one
    raise TrialError("; ".join(finding.message for finding in report.diagnostics))


def check_goals(fixture: Fixture, lab: Lab) -> None:
    """Raise TrialError if a stretch goal would change what the fixture leaves: a fixture of a lab has to stand."""
    for goal in lab.stretch.goals if lab.stretch else ():
        try:
            stands = simulate(Machine(goal.machine), fixture.simulated).ending.seen() == fixture.ending.seen()
        except MachineError:
            stands = False
        if not stands:
            raise TrialError(f"with the stretch goal `{goal.id}` its run ends in another way")


class Choice(NamedTuple):
    """The gates that a fixture is to count for, and the mutants that they catch on it.

    `surprise` is a mistake and a gate that it would cost and does not name; None where there is none.
    """

    gates: tuple[str, ...]
    caught: tuple[Mutant, ...]
    surprise: tuple[str, str] | None


class Panel:
    """The gates of a lab, each with every kind of its checks, made on one fixture alone."""

    def __init__(self, fixture: Fixture, lab: Lab) -> None:
        self._judge = Judge(
            lab._replace(fixtures=(fixture,), rubric=tuple(_only_on(fixture, one) for one in lab.rubric))
        )
        self._surprises: dict[str, str] = {}
        for mistake in lab.mistakes:
            for gate in self._judge.failed_gates(mistake.runs):
                if gate not in mistake.costs:
                    self._surprises.setdefault(gate, mistake.id)

    def choose(self, gates: Sequence[str], mutants: Sequence[Mutant]) -> Choice:
        """As few of `gates`, the best first, as catch as many of the mutants as can be without a surprise.

        Only if none of them catches anything without one, it is one with a surprise. Raises TrialError if none of them
        catches anything at all.
        """
        failed = [(mutant, self._judge.failed_gates(Runs(mutant.machine))) for mutant in mutants]
        chosen: list[str] = []
        for gate in (one for one in gates if one not in self._surprises):
            if not failed or any(gate in lost and not set(lost) & set(chosen) for _, lost in failed):
                chosen.append(gate)
                if not failed:
                    break
        if not chosen:
            chosen = [gate for gate in gates if not failed or any(gate in lost for _, lost in failed)][:1]
        if not chosen:
            raise TrialError("no gate makes a check on it that sees the slip")
        caught = tuple(mutant for mutant, lost in failed if set(lost) & set(chosen))
        mistake = self._surprises.get(chosen[0])
        return Choice(tuple(chosen), caught, None if mistake is None else (mistake, chosen[0]))


def _only_on(fixture: Fixture, gate: Gate) -> Gate:
    """The gate with every kind of its checks made on one fixture."""
    kinds = dict.fromkeys(check.kind for check in gate.checks)
    return gate._replace(checks=tuple(Check(kind, (fixture.id,)) for kind in kinds))
