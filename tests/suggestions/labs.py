"""The labs we ship, with the plans that tell their mutants from the reference."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from labspec.lab.model import Lab
from labspec.mutants.verdicts import judge_mutants
from labspec.pipeline import load
from labspec.suggestions import Wanted

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.yaml"))
SMALL = Path(__file__).parents[1] / "specs" / "valid" / "_base.yaml"


@cache
def lab_of(path: Path) -> Lab:
    loaded = load(path)
    assert loaded.lab is not None, loaded.report.diagnostics
    return loaded.lab


@cache
def wanted_for(path: Path) -> tuple[Wanted, ...]:
    """A fixture is wanted for each plan of the explorer, to catch all mutants that differ on it."""
    lab = lab_of(path)
    gates = tuple(gate.id for gate in lab.rubric)
    found: dict[str, Wanted] = {}
    for judged in judge_mutants(lab):
        plan = judged.difference.plan
        if plan is not None:
            key = repr((plan, judged.budgets))
            before = found.get(key, Wanted(plan, gates, (), judged.budgets))
            found[key] = before._replace(mutants=(*before.mutants, judged.mutant))
    return tuple(found.values())
