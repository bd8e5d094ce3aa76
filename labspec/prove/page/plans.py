"""The shortest plans: for each row of the decision table, the fewest turns that lead to it, in a teacher's words."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from labspec.emit.wording import KINDS, MOMENTS
from labspec.machine.alphabet import Step, Vocabulary
from labspec.machine.explorer import explore
from labspec.machine.runner import BAD_ARGUMENTS, SCRIPT_EXHAUSTED, Call, Loop, Machine, take
from labspec.machine.runner import Row as MachineRow
from labspec.machine.simulation import AbstractTools
from labspec.page.words import Piece, Words, code, condition, counted, words

if TYPE_CHECKING:
    from labspec.lab.model import Kind, Lab, Reason, Row

Look: TypeAlias = Literal["ok", "failed", "refused", "plain"]


class Beat(NamedTuple):
    """What the model decides in a turn and what comes of it, so many times in a row."""

    times: int
    says: Words
    outcome: Words
    look: Look


class ShortestPlan(NamedTuple):
    """A row and a shortest plan to it. `ends` is said before the outcome; `missing` says why there is no plan."""

    row: str
    number: int
    at: str
    asks: Words
    says: Words
    ends: str
    beats: tuple[Beat, ...]
    missing: str
    outcome: str


class Outcome(NamedTuple):
    """A reason to stop, or all refusals, with the rows that lead there: the shortest plan first."""

    name: str
    kind: Kind | Literal["refuse"]
    means: str
    leaves: str
    says: Words
    plans: tuple[ShortestPlan, ...]


def plan_outcomes(lab: Lab) -> tuple[Outcome, ...]:
    """The shortest plans to each reason, in the order of the taxonomy, and then those to refusals."""
    telling = _Telling(lab)
    reasons = [_reason(telling, lab, reason) for reason in lab.taxonomy]
    refusals = telling.plans([row for row in lab.table if row.verb == "refuse"])
    if refusals:
        says = words("The call is not made. It comes back as a failed result.")
        reasons.append(Outcome("refused calls", "refuse", "refused", "the loop goes on", says, refusals))
    return tuple(reasons)


def _reason(telling: _Telling, lab: Lab, reason: Reason) -> Outcome:
    rows = [row for row in lab.table if row.verb == "exit" and row.outcome == reason.name]
    return Outcome(
        reason.name,
        reason.kind,
        KINDS[reason.kind],
        f"exit code {reason.exit_code}",
        words(reason.says),
        telling.plans(rows),
    )


def _ends(row: Row, turns: int) -> str:
    if row.verb == "refuse":
        return f"in turn {turns} the call is refused with"
    when = f"before turn {turns + 1}" if row.at == "turn" else f"in turn {turns}"
    return f"{when} the run ends with"


class _Telling:
    """Tells the plans that the explorer found, by running each of them once more."""

    def __init__(self, lab: Lab) -> None:
        self.machine = Machine(lab.machine)
        self.vocabulary = Vocabulary(self.machine)
        self.found = explore(self.machine)

    def plans(self, rows: list[Row]) -> tuple[ShortestPlan, ...]:
        told = [(len(self.found.fires.get(row.id, ())), self._tell(row)) for row in rows]
        return tuple(plan for _, plan in sorted(told, key=lambda pair: (bool(pair[1].missing), pair[0])))

    def _tell(self, row: Row) -> ShortestPlan:
        steps = self.found.fires.get(row.id)
        missing = ""
        if steps is None:
            undecided = "There are too many states to try them all: whether a plan leads here is not decided."
            missing = "No plan leads here." if self.found.complete else undecided
        beats, turns = self._replay(row, steps or ())
        grouped = [(len(list(same)), beat) for beat, same in groupby(beats)]
        return ShortestPlan(
            row=row.id,
            number=row.number,
            at=MOMENTS[row.at],
            asks=condition(row.when),
            says=words(row.says or ""),
            ends=_ends(row, turns),
            beats=tuple(beat._replace(times=times) for times, beat in grouped),
            missing=missing,
            outcome=row.outcome,
        )

    def _replay(self, row: Row, steps: tuple[Step, ...]) -> tuple[list[Beat], int]:
        """What happens on the plan until the row fires, and in how many turns."""
        loop, tools = Loop(self.machine), AbstractTools(self.machine)
        beats: list[Beat] = []
        for step in steps:
            if loop.turn(plan_ended=False) is not None:
                return beats, loop.facts["turns"]
            refused: list[MachineRow] = []
            ended = take(loop, step, tools, fired=refused.append)
            beats.append(self._beat(loop, step, ended, refused))
            if ended is not None or any(one.id == row.id for one in refused):
                return beats, loop.facts["turns"]
        return [*beats, *self._after_the_plan(row, loop)], loop.facts["turns"]

    def _after_the_plan(self, row: Row, loop: Loop) -> list[Beat]:
        """The plan has no step left, which the row that is told of is about."""
        if row.id not in self.found.fires:
            return []
        if not self.machine.plan_stops:
            return [Beat(1, words("the plan ends"), (), "plain")]
        beats = []
        while loop.turn(plan_ended=False) is None:
            beats.append(Beat(1, words("the plan has ended, which counts as a stop"), (), "plain"))
            if take(loop, SCRIPT_EXHAUSTED, AbstractTools(self.machine)) is not None:
                break
        return beats

    def _beat(self, loop: Loop, step: Step, ended: MachineRow | None, refused: list[MachineRow]) -> Beat:
        if step.get("type", "tool") != "tool":
            return Beat(1, self._other(step), (), "plain")
        says = self._call(step)
        if refused:
            return Beat(1, says, (Piece("refused: "), *code(refused[0].outcome)), "refused")
        if ended is not None and ended.at != "result":
            return Beat(1, says, words("" if ended.at == "decision" else "not made"), "plain")
        return Beat(1, says, *self._result(loop.facts))

    def _other(self, step: Step) -> Words:
        if step["type"] != "stop":
            return words("neither a call nor a stop")
        if step["reason"] in self.vocabulary.texts("decision.reason"):
            return (Piece("stop, with the reason "), *code(step["reason"]))
        return words("stop")

    def _call(self, step: Step) -> Words:
        name = step.get("name")
        if name is None:
            return words("a call without a name")
        start = "call " if name in self.machine.tools else "call of an unknown tool, "
        return (Piece(start), *code(name), *self._details(step.get("call", Call())))

    def _details(self, call: Call) -> Words:
        """What sets the call apart from others of the same tool."""
        parts: list[Words] = []
        if call.problem == BAD_ARGUMENTS:
            parts.append(words("with arguments of the wrong shape"))
        if call.path in self.vocabulary.texts("call.path"):
            parts.append((Piece("on "), *code(call.path)))
        if not call.inside:
            parts.append(words("outside the allowed folders"))
        if call.size or call.lines:
            parts.append(words(f"with {counted(call.size, 'byte')} in {counted(call.lines, 'line')}"))
        return tuple(piece for part in parts for piece in (Piece(" "), *part))

    def _result(self, facts: dict[str, Any]) -> tuple[Words, Look]:
        final = ", final" if facts["result.final"] else ""
        if facts["result.ok"]:
            return words(f"ok{final}"), "ok"
        if facts["result.error"] in self.vocabulary.texts("result.error"):
            return (Piece("fails with "), *code(facts["result.error"]), *words(final)), "failed"
        return words(f"fails{final}"), "failed"
