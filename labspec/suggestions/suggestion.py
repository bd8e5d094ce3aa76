"""The fixture that a plan amounts to: written, resolved as if it stood in the spec, and held against the plan.

`labspec check` shows it, `labspec check --fix` adds it. Nothing is suggested that would not do what it is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from labspec.diagnostics import Report
from labspec.freeze.yaml import YamlError, list_item
from labspec.lab.fixtures import resolve_fixtures
from labspec.lab.model import Fixture, Loop
from labspec.lab.places import Places
from labspec.machine.alphabet import Step
from labspec.machine.runner import Ending, Machine, MachineError, drive, ending_of
from labspec.machine.runner import Loop as Run
from labspec.machine.simulation import AbstractTools, simulate
from labspec.source.nodes import Mapping as Node
from labspec.source.parse import parse
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.validate import validate_as
from labspec.suggestions.evidence import Evidence
from labspec.suggestions.habits import Habits
from labspec.suggestions.steps import Scribe, Script, StepError
from labspec.suggestions.words import groups, id_of, title_of

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.mutants import Mutant


_MOST_TOOLS: Final = 6


class SuggestionError(Exception):
    """No fixture of this lab does what the plan does; the sentence says why."""


class Suggestion(NamedTuple):
    """A fixture to add to a spec.

    `fixture` is the item of `fixtures`, as plain data; `code` is that of the finding it answers; `slips` are those it
    catches, in words; `note` is what the author has to look after, if anything.
    """

    fixture: dict[str, Any]
    code: str
    slips: tuple[str, ...] = ()
    note: str | None = None


def suggest(
    lab: Lab,
    plan: Sequence[Step],
    gates: Sequence[str],
    *,
    code: str,
    budgets: Mapping[str, int] | None = None,
    mutants: Sequence[Mutant] = (),
    taken: Sequence[str] = (),
) -> Suggestion:
    """The fixture of `lab` that runs as `plan` does, for the gates named.

    Args:
        lab: the lab it is for.
        plan: steps of the explorer.
        gates: the gates it is to count for.
        code: the code of the finding that it answers.
        budgets: limits that the fixture sets.
        mutants: those it is to catch. A mutant whose recorder slips is taken at the explorer's word.
        taken: names that no fixture of the lab has, and that are not free all the same.

    Raises SuggestionError if no fixture can do that.

    """
    return _Author(lab, tuple(plan), tuple(gates), code, dict(budgets or {}), tuple(mutants), tuple(taken)).suggest()


class _Author(NamedTuple):
    lab: Lab
    plan: tuple[Step, ...]
    gates: tuple[str, ...]
    code: str
    budgets: dict[str, int]
    mutants: tuple[Mutant, ...]
    taken: tuple[str, ...]

    def suggest(self) -> Suggestion:
        """The best of the fixtures that do what the plan does: one whose commands are known to come out as it says."""
        machine = Machine(self.lab.machine)
        scribe = Scribe(machine, Habits(self.lab), Evidence(self.lab))
        second: Suggestion | None = None
        why = ""
        for workspace, script in self._scripts(scribe):
            if script.refuted:
                why = why or f"in no workspace of its fixtures `{script.refuted[0]}` comes to what the plan needs"
                continue
            try:
                made = self._made(machine, script, workspace)
            except StepError as error:
                why = str(error)
                continue
            if not script.unproven:
                return made
            second = second or made
        if second is None:
            raise SuggestionError(why or "no fixture can hold such a plan")
        return second

    def _scripts(self, scribe: Scribe) -> Iterator[tuple[dict[str, Any] | None, Script]]:
        """The plan in each workspace of the lab's fixtures, the lab's own first."""
        own = [fixture.simulated.get("workspace") for fixture in self.lab.fixtures]
        workspaces: list[dict[str, Any] | None] = [None]
        workspaces += [one for number, one in enumerate(own) if one and one not in own[:number]]
        for freely in (False, True) if self.lab.workspace else (False,):
            for workspace in workspaces:
                try:
                    yield workspace, scribe.write(self.plan, self.budgets, workspace, freely=freely)
                except StepError as error:
                    if workspace is None and not freely and len(workspaces) == 1:
                        raise SuggestionError(str(error)) from error

    def _made(self, machine: Machine, script: Script, workspace: dict[str, Any] | None) -> Suggestion:
        plan = tuple(_as_written(step, spec) for step, spec in zip(self.plan, script.steps, strict=True))
        planned = self._ending(machine, plan)
        found = groups(plan, machine.kinds)
        taken = [fixture.id for fixture in self.lab.solved().fixtures]
        fixture: dict[str, Any] = {
            "id": id_of(planned.row, found, [*taken, *self.taken]),
            "title": title_of(found, self.budgets),
            **({"budgets": self.budgets} if self.budgets else {}),
            **({"workspace": workspace} if workspace else {}),
            "steps": list(_with_times(script.steps)),
        }
        reached = _resolved(fixture, self.lab, machine)
        if _record(reached.ending) != _record(planned):
            raise StepError("its steps do not end as the plan does")
        slips = self._caught(reached)
        if self.mutants and not slips:
            raise StepError("its steps do not tell the slips apart as the plan does")
        fixture["expect"] = _expected(reached.ending)
        fixture["gates"] = list(self.gates)
        if not self.gates:
            del fixture["gates"]
        return Suggestion(fixture, self.code, slips, _note(script))

    def _ending(self, machine: Machine, plan: tuple[Step, ...]) -> Ending:
        """What a plan comes to, as the explorer sees it."""
        run = Run(machine, self.budgets)
        return ending_of(run, drive(run, plan, None, AbstractTools(machine)))

    def _caught(self, fixture: Fixture) -> tuple[str, ...]:
        return tuple(mutant.says for mutant in self.mutants if _shows(fixture, mutant, traced=self.lab.traced))


def _as_written(step: Step, spec: Mapping[str, Any]) -> Step:
    """A step of the explorer with the code and the size that stand in the fixture."""
    if "error" in spec:
        return {**step, "error": spec["error"]}
    contents = spec.get("args", {}).get("contents")
    if contents is None:
        return step
    size, lines = len(contents.encode("utf-8")), len(contents.removesuffix("\n").split("\n")) if contents else 0
    return {**step, "call": step["call"]._replace(size=size, lines=lines)}


def _note(script: Script) -> str | None:
    if not script.unproven:
        return None
    commands = " and ".join(f"`{name}`" for name in script.unproven)
    return f"whether {commands} really comes to that is for `labspec prove` to show"


def _with_times(steps: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step, same in groupby(steps):
        times = len(list(same))
        yield step if times == 1 else {**step, "times": times}


def _resolved(fixture: dict[str, Any], lab: Lab, machine: Machine) -> Fixture:
    """The fixture as the lab would have it. Raises StepError if a spec can't hold it."""
    report = Report()
    root = parse(f"fixtures:\n{_item(fixture)}", fixture["id"], report)
    spec = None
    if root is not None:
        item = Places(root, report).require("fixtures", 0)
        spec = validate_as(FixtureSpec, item, report, called="the fixture") if isinstance(item, Node) else None
    loop = Loop(*(getattr(lab, name) for name in Loop._fields))
    if spec is not None and root is not None:
        resolved = resolve_fixtures([spec], loop, machine, Places(root, report), "fixtures")
        if resolved:
            return resolved[0]
    raise StepError("; ".join(finding.message for finding in report.diagnostics))


def _item(fixture: dict[str, Any]) -> str:
    try:
        return list_item(fixture)
    except YamlError as error:
        raise StepError(str(error)) from error


def _expected(ending: Ending) -> dict[str, Any]:
    """What the reference comes to. The names of many calls say no more than the steps do."""
    tools = {} if len(ending.tool_names) > _MOST_TOOLS else {"tools": list(ending.tool_names)}
    return {"reason": ending.reason, "turns": ending.turns, **tools, "last_error": ending.last_error}


def _record(ending: Ending) -> tuple[object, ...]:
    """What is compared of an ending: the record, the row that decided, and the use of budgets."""
    return (*ending.seen(), ending.row, ending.used)


def _shows(fixture: Fixture, mutant: Mutant, *, traced: bool) -> bool:
    """Whether a run of the mutant leaves something else than that of the reference."""
    if mutant.family == "recorder":
        return True
    try:
        reached = simulate(Machine(mutant.machine), fixture.simulated)
    except MachineError:
        return True
    if reached.ending.seen() != fixture.ending.seen() or reached.files != fixture.files:
        return True
    return traced and reached.events != list(fixture.trace)
