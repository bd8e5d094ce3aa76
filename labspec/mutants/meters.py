"""Slips in the meters that rows read: when they are charged, what sets them back, and what is refunded."""

from __future__ import annotations

from typing import Any, Final

from labspec.conditions.json_form import from_json
from labspec.conditions.source import to_source
from labspec.lab.model import MachineData
from labspec.machine.alphabet import Vocabulary
from labspec.machine.runner import Machine
from labspec.mutants.conditions import slips_in
from labspec.mutants.model import Mutant, Slips, with_meter

_BUILT_IN: Final = ("turns", "tool_calls", "write_bytes", "failures")


def meter_slips(machine: MachineData) -> Slips:
    """Every slip in a meter that some row reads, or that is reported as the use of a budget."""
    read = Vocabulary(Machine(machine)).names
    for name, meter in machine["meters"].items():
        if name in read:
            yield from _scope(machine, name, meter)
            yield from _charge(machine, name, meter)
            yield from _conditions(machine, name, meter)


def _scope(machine: MachineData, name: str, meter: dict[str, Any]) -> Slips:
    if meter["resets_when"] is not None:
        says = f"the meter `{name}` is never set back"
        yield Mutant(f"{name}.total", "meters", says, with_meter(machine, name, resets_when=None))
    elif meter["when"] is not None and meter["at"] == "result":
        says = f"the meter `{name}` counts in a row only, and is set back by everything else"
        reset = ["not", meter["when"]]
        yield Mutant(f"{name}.consecutive", "meters", says, with_meter(machine, name, resets_when=reset))


def _charge(machine: MachineData, name: str, meter: dict[str, Any]) -> Slips:
    if meter["at"] == "call":  # charged late at `turn`, a meter only lets its rows fire late: a limit one higher
        says = f"the meter `{name}` is charged after the act, and not before"
        yield Mutant(f"{name}.late", "meters", says, with_meter(machine, name, at="result"))
    if meter["when"] is not None and name != "turns":  # the turn of an ended plan is never charged: a row ends it
        says = f"the meter `{name}` is charged every time"
        yield Mutant(f"{name}.always", "meters", says, with_meter(machine, name, when=None))
    if meter["refund_when"] is not None:
        says = f"the meter `{name}` gives nothing back"
        yield Mutant(f"{name}.no_refund", "meters", says, with_meter(machine, name, refund_when=None))


def _conditions(machine: MachineData, name: str, meter: dict[str, Any]) -> Slips:
    """Slips in the conditions of a meter of the author's: those of the built-in ones are no choice of the lab."""
    if name in _BUILT_IN:
        return
    for key in ("when", "resets_when", "refund_when"):
        for slip in slips_in(meter[key]):
            says = f"`{key}` of the meter `{name}` is `{to_source(from_json(slip.condition))}`"
            yield Mutant(f"{name}.{key}.{slip.id}", "meters", says, with_meter(machine, name, **{key: slip.condition}))
