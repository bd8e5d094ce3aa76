"""The differences between two labs, as values. `compare` makes them; each format prints them."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from labspec.machine.explorer import Plan

How: TypeAlias = Literal["added", "removed", "renamed", "moved", "changed"]

Verdict: TypeAlias = Literal["same", "differs", "traces differ", "not decided"]


class Change(NamedTuple):
    """One thing of a lab that is not as it was: `kind` and `name` say which, `details` in what."""

    how: How
    kind: str
    name: str
    details: tuple[str, ...] = ()


class Section(NamedTuple):
    """Changes of one subject, under a title that says what they are about."""

    id: str
    title: str
    changes: tuple[Change, ...]


class Shown(NamedTuple):
    """A shortest plan on which the two loops differ: told in words, and what either of them makes of it."""

    plan: Plan
    told: tuple[str, ...]
    old: str
    new: str


class Runs(NamedTuple):
    """Whether some run can end differently, under the budgets of the labs.

    `verdict` is "same" only if that is proved, by walking through `pairs` of runs. `shown` is a shortest plan that ends
    differently, if there is one.
    """

    verdict: Verdict
    sentence: str
    pairs: int = 0
    shown: Shown | None = None


class Differences(NamedTuple):
    """All that changed in meaning, the most important first."""

    headline: str
    old: str
    new: str
    runs: Runs
    sections: tuple[Section, ...]
