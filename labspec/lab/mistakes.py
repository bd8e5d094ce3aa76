"""Resolve mistakes: each is the lab's loop with a change merged in, compiled to a machine of its own."""

from __future__ import annotations

from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.change import change_loop, loop_part
from labspec.lab.model import Loop, MachineData, Mistake
from labspec.lab.places import Places
from labspec.machine.build import to_machine
from labspec.machine.runs import Runs
from labspec.source.nodes import Mapping
from labspec.spec.model import Spec
from labspec.spec.rubric import MistakeSpec


def resolve_mistakes(spec: Spec, loop: Loop, reference: Runs, places: Places) -> tuple[Mistake, ...]:
    """The mistakes with their machines. Findings about a change point into the change.

    `reference` has the runs of the machine that `loop` is.
    """
    base = loop_part(places.root)
    resolved = (_resolve(index, mistake, loop, base, reference, places) for index, mistake in enumerate(spec.mistakes))
    return tuple(mistake for mistake in resolved if mistake is not None)


def _resolve(
    index: int, spec: MistakeSpec, loop: Loop, base: Mapping, reference: Runs, places: Places
) -> Mistake | None:
    rows = [row.id for row in loop.table]
    if spec.row is not None and spec.row not in rows:
        near = did_you_mean(spec.row, rows)
        help = f"did you mean `{near}`?" if near else None
        places.error("unknown-row", f"the table has no row `{spec.row}`", "mistakes", index, "row", help=help)
    changed = change_loop(base, places.require("mistakes", index, "change"), f"mistake `{spec.id}`", places)
    if changed is None:
        return None
    machine = _measured_as(loop, to_machine(changed.loop, changed.recorder))
    return Mistake(
        id=spec.id,
        says=spec.says,
        hint=spec.hint,
        row=spec.row,
        costs=tuple(spec.costs),
        runs=Runs(machine, reference),
        loop=changed.loop,
    )


def _measured_as(loop: Loop, machine: MachineData) -> MachineData:
    """The machine, whose budgets are about the meters of the lab, also where no row compares them any more.

    A runner that forgets to compare a budget with a meter still reports what was used of it.
    """
    own = {budget.name: list(budget.meters) for budget in loop.budgets if budget.name in machine["measures"]}
    return {**machine, "measures": {**machine["measures"], **own}}
