"""The gauges: for each budget its limit, and how much of it every fixture uses."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from labspec.conditions import BUDGET_PREFIX, names_in
from labspec.emit.wording import meter_words
from labspec.page.words import Words, counted, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labspec.lab.model import Budget, Fixture, Lab

BINS = 50
"""How many places along a gauge dots can stand at. What is not used up never stands at the last."""
DOT = 9
"""How far apart dots stand that are at one place, in pixels."""
BAR = 14
"""How high the bar below the dots is, in pixels."""


class Use(NamedTuple):
    """What one fixture uses of a budget. `own` says that the limit is the fixture's own; `binds` that a row which
    reads the budget ended the run.
    """

    fixture: str
    title: str
    used: int
    limit: int
    own: bool
    binds: bool
    reason: str

    @property
    def share(self) -> float:
        """The used part of the limit. Of nothing at all, everything is used."""
        return self.used / self.limit if self.limit else 1.0

    @property
    def drawn(self) -> bool:
        """Whether there is anything to draw."""
        return self.share > 0 or self.binds


class Dot(NamedTuple):
    """A fixture in a gauge: where it stands and what it says."""

    x: str
    y: int
    own: bool
    binds: bool
    says: str


class Gauge(NamedTuple):
    """A budget. `fill` is the largest share that is used of the lab's own limit, `most` the fixture that does."""

    budget: str
    limit: int
    counts: Words
    fill: str
    most: Use | None
    dots: tuple[Dot, ...]
    unused: int
    binding: tuple[Use, ...]
    uses: tuple[Use, ...]
    height: int
    bar_y: int
    bar_height: int
    ticks: tuple[str, ...] = ("25%", "50%", "75%")

    @property
    def summary(self) -> str:
        """The gauge in words."""
        most = "No fixture uses any of it under the lab's limit."
        if self.most:
            most = f"{self.most.fixture} uses most of it: {self.most.used} of {self.limit}."
        ends = f"It ends {len(self.binding) or 'none'} of {counted(len(self.uses), 'fixture')}"
        unused = f", and {self.unused} {'uses' if self.unused == 1 else 'use'} none of it" if self.unused else ""
        return f"{most} {ends}{unused}."


def plan_gauges(lab: Lab) -> tuple[Gauge, ...]:
    """A gauge for each budget."""
    return tuple(_gauge(lab, budget) for budget in lab.budgets)


def _gauge(lab: Lab, budget: Budget) -> Gauge:
    uses = sorted((_use(lab, budget, fixture) for fixture in lab.fixtures), key=lambda use: -use.share)
    most = next((use for use in uses if not use.own and use.used > 0), None)
    drawn = [use for use in uses if use.drawn]
    highest = max(Counter(map(_place, drawn)).values(), default=0)
    bar_y = highest * DOT + 6
    return Gauge(
        budget=budget.name,
        limit=budget.limit,
        counts=_counts(lab, budget),
        fill=_percent(most.share if most else 0),
        most=most,
        dots=tuple(_dots(drawn, bar_y)),
        unused=len(uses) - len(drawn),
        binding=tuple(use for use in uses if use.binds),
        uses=tuple(uses),
        height=bar_y + BAR,
        bar_y=bar_y,
        bar_height=BAR,
    )


def _counts(lab: Lab, budget: Budget) -> Words:
    """What is held against the budget."""
    meters = [meter for meter in lab.meters if meter.name in budget.meters]
    return words("; ".join(meter.says or meter_words(meter.name) for meter in meters) or "no row reads it")


def _use(lab: Lab, budget: Budget, fixture: Fixture) -> Use:
    ending = fixture.ending
    row = lab.row(ending.row)
    return Use(
        fixture=fixture.id,
        title=fixture.title,
        used=ending.used[budget.name],
        limit=ending.limits[budget.name],
        own=budget.name in fixture.budgets,
        binds=row.when is not None and BUDGET_PREFIX + budget.name in names_in(row.when),
        reason=ending.reason,
    )


def _dots(uses: list[Use], bar_y: int) -> Iterator[Dot]:
    """The dots, those at one place one above the other, with the binding ones at the bottom."""
    standing: Counter[int] = Counter()
    for use in sorted(uses, key=lambda use: (not use.binds, use.own)):
        place = _place(use)
        standing[place] += 1
        whose = " (its own limit)" if use.own else ""
        ends = f", and ends with {use.reason}" if use.binds else ""
        says = f"{use.fixture} uses {use.used} of {use.limit}{whose}{ends}"
        yield Dot(_percent(place / BINS), bar_y - standing[place] * DOT + 3, use.own, use.binds, says)


def _place(use: Use) -> int:
    return BINS if use.share >= 1 else min(round(use.share * BINS), BINS - 1)


def _percent(share: float) -> str:
    return f"{share:.1%}"
