"""One turn of a run, as the page shows it: what the model decided, which rows were asked, and how full the tank is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from labspec.conditions import BUDGET_PREFIX, MOMENTS, names_in
from labspec.emit.wording import MOMENTS as SAYS
from labspec.page.words import Piece, Words, code, condition, counted, words
from labspec.preview.text import as_written

if TYPE_CHECKING:
    from markupsafe import Markup

    from labspec.conditions import Moment
    from labspec.lab.model import Kind, Loop, Row
    from labspec.machine.runner import Call
    from labspec.timeline import Asked, Timeline, Turn

Look: TypeAlias = Literal["ok", "failed", "refused", "plain", "done", "budget", "error"]
"""How a turn came out: what came of its call, or the kind of the reason that it ended the run with."""

_MARKS: dict[Look, str] = {
    "ok": "✓", "failed": "✗", "refused": "⊘", "plain": "·", "done": "■", "budget": "■", "error": "■",
}  # fmt: skip

TICKS = 24
"""Up to this limit a gauge shows its single units."""


class AskedRow(NamedTuple):
    """A row that was asked, or would have been. `reads` are the meters and limits that it read."""

    number: int
    asks: Words
    reads: str
    answer: Literal["no", "yes", "not asked"]
    outcome: Words
    look: Literal["done", "budget", "error", "refuse"]


class MomentView(NamedTuple):
    """A moment of the turn. `passed` says that the turn came to it."""

    name: str
    says: str
    passed: bool
    rows: tuple[AskedRow, ...]


class MeterView(NamedTuple):
    """A meter after the turn. Without a `budget` there is no limit to hold it against.

    `before` and `now` are how far the gauge was filled and is, up to its `limit`; it goes further if the meter does.
    `ticks` are where its units end.
    """

    meter: str
    budget: str
    value: str
    change: str
    over: bool
    before: str
    now: str
    limit: str
    ticks: tuple[str, ...]


class TurnView(NamedTuple):
    """A turn. `mark` and `label` stand for it on the strip of turns, `summary` is all of it in one line. `came` is how
    its call came out, `when` the time that the meters are told of.
    """

    number: int
    look: Look
    mark: str
    label: str
    summary: str
    decides: Words
    outcome: Words
    came: Literal["ok", "failed", "plain"]
    step: Markup | None
    moments: tuple[MomentView, ...]
    when: str
    meters: tuple[MeterView, ...]
    taken_back: bool


def plan_turns(loop: Loop, told: Timeline) -> tuple[TurnView, ...]:
    """The turns of a run of `loop`."""
    return tuple(_Telling(loop, told).turns())


class _Telling:
    def __init__(self, loop: Loop, told: Timeline) -> None:
        self.told = told
        self.tools = {tool.name: tool for tool in loop.tools}
        self.kinds: dict[str, Kind] = {reason.name: reason.kind for reason in loop.taxonomy}
        self.rows = {row.id: row for row in loop.table}
        self.table = loop.table
        self.meters = [meter.name for meter in loop.meters]
        self.asks = {row.id: condition(row.when) for row in loop.table}

    def turns(self) -> Iterator[TurnView]:
        before = dict.fromkeys(self.meters, 0)
        for turn in self.told.turns:
            yield self._turn(turn, before)
            before = turn.meters

    def _turn(self, turn: Turn, before: dict[str, int]) -> TurnView:
        look, decides, outcome = self._look(turn), self._decides(turn), self._outcome(turn)
        says = "".join(piece.text for piece in (*decides, *((Piece(": "), *outcome) if outcome else ())))
        return TurnView(
            number=turn.number,
            look=look,
            mark=_MARKS[look],
            label="exit" if turn.decision is None else str(turn.number),
            summary=f"Turn {turn.number} of {len(self.told.turns)}. {says}",
            decides=decides,
            outcome=outcome,
            came="plain" if turn.result is None else "ok" if turn.result.ok else "failed",
            step=None if turn.step is None else as_written(json.dumps(turn.step, ensure_ascii=False, indent=2)),
            moments=tuple(self._moment(moment, turn) for moment in MOMENTS),
            when=f"{'Before' if turn.decision is None else 'After'} turn {turn.number}",
            meters=tuple(self._meters(turn, before)),
            taken_back=turn.ended is not None and turn.asked[-1].meters != turn.meters,
        )

    def _look(self, turn: Turn) -> Look:
        if turn.ended is not None:
            return self.kinds[self.rows[turn.ended].outcome]
        if turn.refused is not None:
            return "refused"
        if turn.result is None:
            return "plain"
        return "ok" if turn.result.ok else "failed"

    # --- what the model decided, and what came of it ---

    def _decides(self, turn: Turn) -> Words:
        decision = turn.decision
        if decision is None:
            return words("The model is not asked again")
        if decision.type == "stop":
            given = (Piece(", with the reason "), *code(decision.reason)) if decision.reason else ()
            start = "The model stops" if turn.step is not None else "The plan has ended, which counts as a stop"
            return (Piece(start), *given)
        if decision.type == "other":
            return words("The model answers with neither a call nor a stop")
        if not decision.name:
            return words("The model asks for a call without a usable name")
        known = decision.name in self.tools
        start = "The model calls " if known else "The model calls an unknown tool, "
        return (Piece(start), *code(decision.name), *_details(turn.call))

    def _outcome(self, turn: Turn) -> Words:
        if turn.refused is not None:
            counts = "" if self.rows[turn.refused].counted else ", and does not count"
            return (Piece("the call is refused with "), *code(self.rows[turn.refused].outcome), Piece(counts))
        if turn.result is not None:
            final = ", and the result is final" if turn.result.final else ""
            if turn.result.ok:
                return words(f"it succeeds{final}")
            return (Piece("it fails with "), *code(turn.result.error), Piece(final))
        return words("the call is not made") if turn.decision and turn.decision.name else ()

    # --- which rows were asked ---

    def _moment(self, moment: Moment, turn: Turn) -> MomentView:
        asked = next((one for one in turn.asked if one.at == moment), None)
        rows = [row for row in self.table if row.at == moment]
        return MomentView(moment, SAYS[moment], asked is not None, tuple(self._row(row, asked) for row in rows))

    def _row(self, row: Row, asked: Asked | None) -> AskedRow:
        was_asked = asked is not None and row.id in asked.rows
        fired = asked is not None and asked.fired == row.id
        return AskedRow(
            number=row.number,
            asks=self.asks[row.id],
            reads=self._reads(row, asked) if asked is not None and was_asked else "",
            answer="yes" if fired else "no" if was_asked else "not asked",
            outcome=code(row.outcome),
            look="refuse" if row.verb == "refuse" else self.kinds[row.outcome],
        )

    def _reads(self, row: Row, asked: Asked) -> str:
        """The meters and limits that a row read, with what they stood at."""
        names = sorted(names_in(row.when)) if row.when is not None else []
        meters = [f"{name} {asked.meters[name]}" for name in names if name in asked.meters]
        budgets = [name.removeprefix(BUDGET_PREFIX) for name in names if name.startswith(BUDGET_PREFIX)]
        return ", ".join([*meters, *(f"limit {self.told.limits[name]}" for name in budgets)])

    # --- the tank ---

    def _meters(self, turn: Turn, before: dict[str, int]) -> Iterator[MeterView]:
        """Each budget with the meters that are held against it, then the other meters that have ever moved."""
        measured = [(budget, meter) for budget, meters in self.told.measures.items() for meter in meters]
        for budget, meter in measured:
            yield self._gauge(meter, budget, before[meter], turn.meters[meter])
        held = {meter for _, meter in measured}
        for meter in self.meters:
            if meter not in held and any(one.meters[meter] for one in self.told.turns):
                value, change = turn.meters[meter], turn.meters[meter] - before[meter]
                yield MeterView(meter, "", str(value), _signed(change), False, "", "", "", ())

    def _gauge(self, meter: str, budget: str, before: int, now: int) -> MeterView:
        limit = self.told.limits[budget]
        whole = max(limit, now, 1)
        ticks = range(1, limit) if limit <= TICKS else ()
        return MeterView(
            meter=meter,
            budget=budget,
            value=f"{now} of {limit}",
            change=_signed(now - before),
            over=now > limit,
            before=_share(min(before, now, limit), whole),
            now=_share(min(now, limit), whole),
            limit=_share(limit, whole),
            ticks=tuple(_share(tick, whole) for tick in ticks),
        )


def _details(call: Call | None) -> Words:
    """What can be seen of a call beside its name."""
    if call is None:
        return ()
    if call.problem == "bad_arguments":
        return words(" with arguments of the wrong shape")
    path = (Piece(" on "), *code(call.path)) if call.path else ()
    outside = words(", outside the allowed folders") if not call.inside else ()
    size = words(f", {counted(call.size, 'byte')} in {counted(call.lines, 'line')}") if call.size else ()
    return (*path, *outside, *size)


def _signed(change: int) -> str:
    return f"{change:+}" if change else ""


def _share(part: int, whole: int) -> str:
    return f"{max(part, 0) / whole:.2%}"
