"""The plan of the page: everything it says, decided and counted, so that the templates only print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from labspec.page.diagram import Diagram, plan_diagram
from labspec.page.gauges import Gauge, plan_gauges
from labspec.page.words import counted
from labspec.prove.page.matrix import Line, Matrix, plan_matrix
from labspec.prove.page.plans import Outcome, plan_outcomes

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.prove.proof import Fate, Proof


class Figure(NamedTuple):
    """A number that says how good the proof is."""

    number: str
    says: str
    tone: Literal["plain", "good", "bad"]


class PagePlan(NamedTuple):
    """What the template of the page is given."""

    title: str
    lab: str
    version: str
    digest: str
    proved: bool
    verdict: str
    figures: tuple[Figure, ...]
    attention: tuple[Line, ...]
    same_bytes: bool
    matrix: Matrix
    gauges: tuple[Gauge, ...]
    diagram: Diagram
    outcomes: tuple[Outcome, ...]


def plan_page(proof: Proof, lab: Lab) -> PagePlan:
    """Everything that the page of a proof says."""
    matrix = plan_matrix(proof, lab)
    failings = _failings(proof)
    return PagePlan(
        title=proof.title,
        lab=proof.lab,
        version=proof.version,
        digest=proof.digest,
        proved=not failings,
        verdict=_verdict(proof, failings),
        figures=_figures(proof, lab),
        attention=matrix.attention,
        same_bytes=proof.same_bytes,
        matrix=matrix,
        gauges=plan_gauges(lab),
        diagram=plan_diagram(lab),
        outcomes=plan_outcomes(lab),
    )


def _verdict(proof: Proof, failings: list[str]) -> str:
    if failings:
        return f"NOT proved: {', '.join(failings)}"
    return "Proved: no slip goes unnoticed" if proof.mutants else "Proved: every promise is kept"


def _failings(proof: Proof) -> list[str]:
    """What stands against the lab, each in a few words."""
    survivors, undecided = _number(proof, "survives"), _number(proof, "not decided")
    broken = sum(not verdict.kept for verdict in proof.verdicts)
    said = [
        (survivors, f"{counted(survivors, 'slip survives', 'slips survive')}"),
        (undecided, f"{counted(undecided, 'slip is', 'slips are')} not decided"),
        (broken, f"{counted(broken, 'promise is', 'promises are')} broken"),
        (not proof.same_bytes, "a second build gives other bytes"),
    ]
    return [sentence for number, sentence in said if number]


def _number(proof: Proof, fate: Fate) -> int:
    return sum(mutant.verdict == fate for mutant in proof.mutants)


def _figures(proof: Proof, lab: Lab) -> tuple[Figure, ...]:
    return (
        *(_slips(proof) if proof.mutants else ()),
        _mistakes(proof),
        Figure(str(len(proof.gates)), "gates", "plain"),
        Figure(str(sum(points for _, points in proof.gates)), "points", "plain"),
        Figure(str(len(lab.fixtures)), "fixtures", "plain"),
    )


def _slips(proof: Proof) -> tuple[Figure, ...]:
    caught, equivalent = _number(proof, "caught"), _number(proof, "equivalent")
    survivors = _number(proof, "survives")
    able = len(proof.mutants) - equivalent
    return (
        Figure(f"{caught} of {able}", "slips caught", "good" if caught == able else "bad"),
        Figure(str(survivors), "survives" if survivors == 1 else "survive", "bad" if survivors else "good"),
        Figure(str(equivalent), f"{'changes' if equivalent == 1 else 'change'} nothing, which is proved", "plain"),
    )


def _mistakes(proof: Proof) -> Figure:
    mistakes = [verdict for verdict in proof.verdicts if verdict.kind == "mistake"]
    kept = sum(verdict.kept for verdict in mistakes)
    return Figure(
        f"{kept} of {len(mistakes)}", "mistakes cost what they should", "good" if kept == len(mistakes) else "bad"
    )
