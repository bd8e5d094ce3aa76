"""What a proof says: the gates that each subject had to earn and those it earned, and what became of each slip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from labspec.mutants.model import Family

Kind: TypeAlias = Literal["solution", "reference", "starter", "mistake"]
Fate: TypeAlias = Literal["caught", "survives", "equivalent", "not decided"]


class Result(NamedTuple):
    """What the generated tests said of one subject. `fault` says why they could not be run to their end."""

    earned: frozenset[str]
    first_failures: dict[str, str]
    """For each gate that was missed, the first line of its first failing test."""
    fault: str | None = None


class Verdict(NamedTuple):
    """A subject, the gates its promise says it earns, and what came."""

    kind: Kind
    name: str
    promise: str
    expected: frozenset[str]
    result: Result

    @property
    def kept(self) -> bool:
        """Whether the promise is kept."""
        return self.result.fault is None and self.result.earned == self.expected


class Caught(NamedTuple):
    """What became of a mutant. `missed` has a sentence for each gate that catches it, `note` what else is to say."""

    id: str
    family: Family
    says: str
    verdict: Fate
    missed: Mapping[str, str]
    note: str


class Proof(NamedTuple):
    """Everything that was shown about a lab, in a fixed order: nothing here depends on which test ended first."""

    lab: str
    title: str
    version: str
    digest: str
    gates: tuple[tuple[str, int], ...]
    """The id and the points of each gate."""
    same_bytes: bool
    """Whether a second build gave the same bytes as the first."""
    verdicts: tuple[Verdict, ...]
    mutants: tuple[Caught, ...] = ()
    about_tests: frozenset[str] = frozenset()
    """The gates that are about the students' own tests: nobody asks a wrong runner for them."""

    def missed(self, verdict: Verdict) -> list[str]:
        """The gates that a subject was asked for and did not earn, in the order of the rubric."""
        not_asked = self.about_tests if verdict.kind == "mistake" else frozenset()
        return [gate for gate, _ in self.gates if gate not in verdict.result.earned and gate not in not_asked]

    @property
    def holds(self) -> bool:
        """Whether every promise is kept and every mutant is caught or no slip at all."""
        kept = self.same_bytes and all(verdict.kept for verdict in self.verdicts)
        return kept and all(mutant.verdict in ("caught", "equivalent") for mutant in self.mutants)

    def points(self, verdict: Verdict) -> int:
        """The points that a subject earned."""
        return sum(points for gate, points in self.gates if gate in verdict.result.earned)
