"""A mutant: a machine with one slip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from labspec.lab.model import MachineData

Family: TypeAlias = Literal["table", "refusals", "meters", "budgets", "recorder"]

FAMILIES: tuple[Family, ...] = ("table", "refusals", "meters", "budgets", "recorder")
"""The families of slips, in the order in which they are made and shown."""


class Mutant(NamedTuple):
    """A machine with one slip.

    `id` is unique among the mutants of a lab and made of the names in its spec; `says` is the slip as a sentence
    without its full stop; `budget` is the budget that a fixture has to change before the slip can show, if any.
    """

    id: str
    family: Family
    says: str
    machine: MachineData
    budget: str | None = None


Slips: TypeAlias = Iterator[Mutant]


def with_row(machine: MachineData, index: int, **changes: Any) -> MachineData:
    """The machine with another row in place of the one at `index`."""
    rows = list(machine["rows"])
    rows[index] = {**rows[index], **changes}
    return {**machine, "rows": rows}


def without_row(machine: MachineData, index: int) -> MachineData:
    """The machine with a row less."""
    rows = machine["rows"]
    return {**machine, "rows": [*rows[:index], *rows[index + 1 :]]}


def with_meter(machine: MachineData, name: str, **changes: Any) -> MachineData:
    """The machine with another meter in place of the one called `name`."""
    return {**machine, "meters": {**machine["meters"], name: {**machine["meters"][name], **changes}}}
