"""The differences between two labs, as values. `compare` makes them; each format prints them."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from labspec.machine.explorer import Plan

How: TypeAlias = Literal["added", "removed", "renamed", "moved", "changed"]

Verdict: TypeAlias = Literal["same", "same with proviso", "differs", "traces differ", "not decided"]


class Change(NamedTuple):
    """One thing of a lab that is not as it was: `kind` and `name` say which, `details` in what."""

    how: How
    kind: str
    name: str
    details: tuple[str, ...] = ()


SectionId: TypeAlias = Literal[
    "endings",
    "reasons",
    "rows",
    "budgets",
    "settings",
    "gates",
    "mistakes",
    "goals",
    "ledgers",
    "fixtures",
    "work",
    "wording",
]


class Section(NamedTuple):
    """Changes of one subject, under a title that says what they are about."""

    id: SectionId
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

    `verdict` is "same" only if that is proved, by walking through `pairs` of states that the two loops are in together.
    `shown` is a shortest plan that ends differently, if there is one. `proviso` says what the proof assumes, as the
    end of a sentence, such as ", as long as `check` comes to the same".
    """

    verdict: Verdict
    sentence: str
    pairs: int = 0
    shown: Shown | None = None
    proviso: str = ""


class Differences(NamedTuple):
    """All that changed, the most important first. `note` says what could not be compared, if anything."""

    headline: str
    old: str
    new: str
    runs: Runs
    sections: tuple[Section, ...]
    note: str = ""

    @property
    def same_meaning(self) -> bool:
        """Whether nothing but words differs, and no run can end differently or leave another trace."""
        return self.runs.verdict == "same" and all(section.id == "wording" for section in self.sections)

    def of(self, section: SectionId) -> tuple[Change, ...]:
        """The changes of a section; empty if nothing of it changed."""
        return next((found.changes for found in self.sections if found.id == section), ())
