"""The rubric: what each gate is worth, which fixtures it looks at, and which mistakes cost it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.rubric_words import plan_rubric
from labspec.page.words import Words, counted, words
from labspec.preview.markdown import to_inline_html

if TYPE_CHECKING:
    from markupsafe import Markup

    from labspec.lab.model import Gate, Lab
    from labspec.preview.runs import RunView


class Look(NamedTuple):
    """The fixtures that a gate looks at in one way."""

    kind: str
    runs: tuple[RunView, ...]


class GateView(NamedTuple):
    """A gate. `share` compares its points with the most that a gate has; `zero_if` may be empty."""

    id: str
    points: int
    share: str
    promise: Markup
    looks: tuple[Look, ...]
    zero_if: Markup
    mistakes: tuple[Words, ...]


class Extra(NamedTuple):
    """Points beyond the gates: for a stretch goal, or given by a person."""

    name: str
    points: int
    says: Words


class RubricView(NamedTuple):
    """The whole rubric. `zeros` make the whole lab worth nothing; `stretch` says how the goals count."""

    points: int
    gates: tuple[GateView, ...]
    zeros: tuple[Markup, ...]
    stretch: str
    goals: tuple[Extra, ...]
    manual: tuple[Extra, ...]


def plan_rubric_view(lab: Lab, runs: tuple[RunView, ...]) -> RubricView:
    """The rubric of a lab whose fixtures run as `runs` say."""
    printed = plan_rubric(lab, hidden=False)
    by_id = {run.id: run for run in runs}
    promises = {gate.id: to_inline_html(cells[2]) for gate, cells in zip(lab.rubric, printed.gates, strict=True)}
    losing = [gate for gate in lab.rubric if gate.zero_if]
    zeros = {gate.id: to_inline_html(cells[1]) for gate, cells in zip(losing, printed.gate_zeros, strict=True)}
    goals = () if lab.stretch is None else lab.stretch.goals
    return RubricView(
        points=lab.points,
        gates=tuple(_gate(gate, lab, by_id, promises[gate.id], zeros.get(gate.id)) for gate in lab.rubric),
        zeros=tuple(map(to_inline_html, printed.lab_zeros)),
        stretch=_stretch(lab),
        goals=tuple(Extra(goal.id, goal.points, words(goal.title)) for goal in goals),
        manual=tuple(Extra(item.id, item.points, words(item.says)) for item in lab.manual),
    )


def _gate(gate: Gate, lab: Lab, runs: Mapping[str, RunView], promise: Markup, zero_if: Markup | None) -> GateView:
    most = max(one.points for one in lab.rubric)
    return GateView(
        id=gate.id,
        points=gate.points,
        share=f"{gate.points / most if most else 0:.1%}",
        promise=promise,
        looks=tuple(Look(check.kind.replace("_", " "), _runs(check.fixtures, runs)) for check in gate.checks),
        zero_if=to_inline_html("") if zero_if is None else zero_if,
        mistakes=tuple(words(mistake.says) for mistake in lab.mistakes if gate.id in mistake.costs),
    )


def _runs(names: tuple[str, ...], runs: Mapping[str, RunView]) -> tuple[RunView, ...]:
    return tuple(runs[name] for name in names)


def _stretch(lab: Lab) -> str:
    if lab.stretch is None:
        return ""
    needs = f", and only together with {', '.join(lab.stretch.needs)}" if lab.stretch.needs else ""
    pick = "One of them counts" if lab.stretch.pick == 1 else f"Up to {lab.stretch.pick} of them count"
    return f"{pick}, for at most {counted(lab.stretch.points, 'point')}{needs}."
