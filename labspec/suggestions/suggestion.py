"""The fixture that a plan amounts to: written, tried out as if it stood in the spec, and held against the plan.

`labspec check` shows it, `labspec check --fix` adds it. Nothing is suggested that would not do what it is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from labspec.diagnostics import Suggestion
from labspec.machine.alphabet import Step
from labspec.machine.runner import Ending, Loop, Machine, drive, ending_of
from labspec.machine.simulation import AbstractTools
from labspec.suggestions.evidence import Evidence
from labspec.suggestions.habits import Habits
from labspec.suggestions.steps import Scribe, Script, StepError
from labspec.suggestions.trial import Choice, Panel, TrialError, check_goals, resolved
from labspec.suggestions.words import groups, id_of, title_of

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.mutants import Mutant

_MOST_TOOLS: Final = 6
"""The names of more calls say nothing that the steps do not say better."""


class SuggestionError(Exception):
    """No fixture of this lab does what the plan does; the sentence says why."""


class Wanted(NamedTuple):
    """What a fixture is wanted for.

    `gates` are those it can count for, at least one, the best first; `mutants` are those it is to catch; `budgets` are
    limits that it has to set.
    """

    plan: tuple[Step, ...]
    gates: tuple[str, ...]
    mutants: tuple[Mutant, ...] = ()
    budgets: Mapping[str, int] = {}


class Author:
    """Writes fixtures for one lab. Each of them gets a name that neither the lab nor an earlier one has."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._machine = Machine(lab.machine)
        evidence = Evidence(lab)
        self._scribe = Scribe(self._machine, Habits(lab), evidence)
        self._taken = [fixture.id for fixture in lab.solved().fixtures]
        known = [*(one.simulated.get("workspace") for one in lab.fixtures), *evidence.workspaces]
        self._workspaces = [None, *(one for number, one in enumerate(known) if one and one not in known[:number])]

    def suggest(self, wanted: Wanted, code: str) -> Suggestion:
        """The fixture that runs as a plan does; `code` is that of the finding it answers.

        Of several it is one that catches most, and whose commands are known to come out as it says. Raises
        SuggestionError if there is none.
        """
        best: Suggestion | None = None
        why: list[str] = []
        for workspace, freely in self._settings():
            try:
                made = self._made(wanted, workspace, code, freely=freely)
            except (StepError, TrialError) as error:
                why.append(str(error))
                continue
            if best is None or _rank(made) > _rank(best):
                best = made
            if not self._runs_commands(wanted.plan) or _rank(best) == (True, len(wanted.mutants), True):
                break  # nothing gets better in another workspace
        if best is None:
            raise SuggestionError(why[0])
        self._taken.append(best.fixture["id"])
        return best

    def row_of(self, plan: Sequence[Step], budgets: Mapping[str, int]) -> str:
        """The id of the row that ends a plan."""
        return self._ending(plan, budgets).row

    def told(self, plan: Sequence[Step], budgets: Mapping[str, int]) -> str:
        """What happens in a plan, in one line."""
        return title_of(groups(plan, self._machine.kinds), budgets)

    def _runs_commands(self, plan: Sequence[Step]) -> bool:
        return any(self._machine.kinds.get(step.get("name", "")) == "command" for step in plan)

    def _settings(self) -> Iterator[tuple[dict[str, Any] | None, bool]]:
        """Each workspace that fixtures know, the lab's own first, with writes as the plan has them; then freely."""
        for freely in (False, True) if self._lab.workspace else (False,):
            yield from ((workspace, freely) for workspace in self._workspaces)

    def _made(self, wanted: Wanted, workspace: dict[str, Any] | None, code: str, *, freely: bool) -> Suggestion:
        script = self._scribe.write(wanted.plan, wanted.budgets, workspace, freely=freely)
        if script.refuted:
            raise TrialError(f"in no workspace of its fixtures `{script.refuted[0]}` comes to what the plan needs")
        plan = [_as_written(step, spec) for step, spec in zip(wanted.plan, script.steps, strict=True)]
        planned = self._ending(plan, wanted.budgets)
        found = groups(plan, self._machine.kinds)
        fixture: dict[str, Any] = {
            "id": id_of(planned.row, found, self._taken),
            "title": title_of(found, wanted.budgets),
            **({"budgets": dict(wanted.budgets)} if wanted.budgets else {}),
            **({"workspace": workspace} if workspace else {}),
            "steps": list(_with_times(script.steps)),
        }
        reached = resolved(fixture, self._lab)
        as_asked = self._ending(wanted.plan, wanted.budgets)
        same_way = (planned.row, planned.turns) == (as_asked.row, as_asked.turns)
        if not same_way or _record(reached.ending) != _record(planned):
            raise TrialError("its steps do not end as the plan does")
        check_goals(reached, self._lab)
        choice = Panel(reached, self._lab).choose(wanted.gates, wanted.mutants)
        whole = {**fixture, "expect": _expected(reached.ending), "gates": list(choice.gates)}
        slips = tuple(mutant.says for mutant in choice.caught)
        return Suggestion(whole, code, slips, _note(script), _blocked(choice))

    def _ending(self, plan: Sequence[Step], budgets: Mapping[str, int]) -> Ending:
        """What a plan comes to, as the explorer sees it."""
        loop = Loop(self._machine, budgets)
        return ending_of(loop, drive(loop, plan, None, AbstractTools(self._machine)))


def _rank(suggestion: Suggestion) -> tuple[bool, int, bool]:
    return suggestion.blocked is None, len(suggestion.slips), suggestion.note is None


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


def _blocked(choice: Choice) -> str | None:
    if choice.surprise is None:
        return None
    mistake, gate = choice.surprise
    return f"with it the mistake `{mistake}` costs the gate `{gate}` too, which its `costs` have to say first"


def _with_times(steps: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step, same in groupby(steps):
        times = len(list(same))
        yield step if times == 1 else {**step, "times": times}


def _expected(ending: Ending) -> dict[str, Any]:
    """What the reference comes to."""
    tools = {} if len(ending.tool_names) > _MOST_TOOLS else {"tools": list(ending.tool_names)}
    return {"reason": ending.reason, "turns": ending.turns, **tools, "last_error": ending.last_error}


def _record(ending: Ending) -> tuple[object, ...]:
    """What is compared of an ending: the record, the row that decided, and the use of budgets."""
    return (*ending.seen(), ending.row, ending.used)
