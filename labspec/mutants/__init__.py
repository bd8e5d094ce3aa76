"""Mutants: the machine of a lab with one slip in it, for every slip that is worth a test.

`labspec check` asks whether the fixtures tell each of them from the reference, `labspec prove` shows it for real.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from labspec.mutants.budgets import budget_slips
from labspec.mutants.meters import meter_slips
from labspec.mutants.model import FAMILIES, Family, Mutant
from labspec.mutants.recorder import recorder_slips
from labspec.mutants.table import table_slips

if TYPE_CHECKING:
    from labspec.lab.model import Lab

__all__ = ["FAMILIES", "Family", "Mutant", "mutants_of"]


def mutants_of(lab: Lab) -> tuple[Mutant, ...]:
    """The mutants of a lab, each with another machine, family by family. The lab's own mistakes are not among them."""
    seen = [lab.machine]
    unique = []
    for mutant in _all(lab):
        if mutant.machine not in seen:
            seen.append(mutant.machine)
            unique.append(mutant)
    return tuple(unique)


def _all(lab: Lab) -> Iterator[Mutant]:
    yield from table_slips(lab.machine)
    yield from meter_slips(lab.machine)
    yield from budget_slips(lab.machine)
    yield from recorder_slips(lab.machine, traced=lab.traced)
