"""Proofs for the tests of the page, made by hand: nothing is run for them."""

from __future__ import annotations

from pathlib import Path

from labspec.lab.model import Lab
from labspec.pipeline import load
from labspec.prove.page import page
from labspec.prove.proof import Caught, Proof, Result, Verdict

SPECS = Path(__file__).resolve().parents[1] / "specs"
STORED = SPECS / "proof" / "small-lab.html"
"""The whole page of the small lab's proof, as it was reviewed."""


def lab_of(path: Path) -> Lab:
    """The lab of a sound spec."""
    lab = load(path).lab
    assert lab is not None
    return lab


def small_lab() -> Lab:
    """Two gates, four fixtures, two mistakes."""
    return lab_of(SPECS / "valid" / "_base.yaml")


def proof_of(lab: Lab, *mutants: Caught) -> Proof:
    """A proof in which every promise is kept."""
    gates = tuple((gate.id, gate.points) for gate in lab.rubric)
    every = frozenset(gate.id for gate in lab.rubric)
    failures = {gate: f"test_{gate}: NotImplementedError" for gate, _ in gates}
    verdicts = [
        Verdict("solution", "solution", "earns every gate", every, Result(every, {})),
        Verdict("reference", "reference runner", "earns every gate", every, Result(every, {})),
        Verdict("starter", "untouched starter", "earns nothing", frozenset(), Result(frozenset(), failures)),
    ]
    for mistake in lab.mistakes:
        earned = every.difference(mistake.costs)
        costs = {gate: f"test_{gate}: it went as if {mistake.says}" for gate in mistake.costs}
        promise = f"costs {', '.join(mistake.costs)}"
        verdicts.append(Verdict("mistake", mistake.id, promise, earned, Result(earned, costs)))
    return Proof(lab.id, lab.title, lab.version, lab.digest, gates, True, tuple(verdicts), mutants)


def small_mutants() -> tuple[Caught, ...]:
    """A mutant of every fate, those that need attention last."""
    other = "test_recovers: the run of `recovers` ended with another exit than the table says"
    lines = "test_append: the run of `recovers` left two lines"
    return (
        Caught("completed.left_out", "table", "row `completed` is left out", "caught", {"exits": other}, ""),
        Caught("recorder.two_lines", "recorder", "a run leaves its line twice", "caught", _both(other, lines), ""),
        Caught("turns.lower", "budgets", "the budget `turns` is 2", "equivalent", {}, "no plan tells them apart"),
        Caught("turns.higher", "budgets", "the budget `turns` is 4", "survives", {}, "five calls in a row show it"),
        Caught("failures.total", "meters", "the meter `failures` is never set back", "not decided", {}, "too many"),
    )


def _both(exits: str, record: str) -> dict[str, str]:
    return {"exits": exits, "record": record}


def small_page() -> str:
    """The page that is stored."""
    lab = small_lab()
    return page(proof_of(lab, *small_mutants()), lab)
