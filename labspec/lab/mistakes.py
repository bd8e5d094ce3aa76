"""Resolve mistakes: each is the lab's loop with a change merged in, compiled to a machine of its own."""

from __future__ import annotations

from collections.abc import Iterator

from labspec.diagnostics import Report
from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.loop import Loop, resolve_loop
from labspec.lab.model import MachineData, Mistake
from labspec.lab.places import Places
from labspec.machine.build import to_machine
from labspec.source.locate import locate
from labspec.source.merge import IDENTITY, item_name, merge
from labspec.source.nodes import Mapping, Node, Sequence
from labspec.spec.loop import LOOP_SECTIONS, ChangedLoopSpec
from labspec.spec.model import Spec
from labspec.spec.rubric import MistakeSpec
from labspec.spec.validate import validate_as


def resolve_mistakes(spec: Spec, loop: Loop, places: Places) -> tuple[Mistake, ...]:
    """The mistakes with their machines. Findings about a change point into the change."""
    base = _loop_part(places.root)
    resolved = (_resolve(index, mistake, loop, base, places) for index, mistake in enumerate(spec.mistakes))
    return tuple(mistake for mistake in resolved if mistake is not None)


def _loop_part(root: Mapping) -> Mapping:
    return Mapping(tuple(entry for entry in root.entries if entry.key in LOOP_SECTIONS), root.span)


def _resolve(index: int, spec: MistakeSpec, loop: Loop, base: Mapping, places: Places) -> Mistake | None:
    rows = [row.id for row in loop.table]
    if spec.row is not None and spec.row not in rows:
        near = did_you_mean(spec.row, rows)
        help = f"did you mean `{near}`?" if near else None
        places.error("unknown-row", f"the table has no row `{spec.row}`", "mistakes", index, "row", help=help)
    machine = _changed_machine(index, spec.id, base, places)
    if machine is None:
        return None
    return Mistake(id=spec.id, says=spec.says, hint=spec.hint, row=spec.row, costs=tuple(spec.costs), machine=machine)


def _changed_machine(index: int, name: str, base: Mapping, places: Places) -> MachineData | None:
    report = Report()
    change = places.require("mistakes", index, "change")
    _check_rows_exist(change, base, report)
    merged = merge(base, change, report)
    machine = _machine_of(merged, report) if isinstance(merged, Mapping) and not report.has_errors else None
    places.report.diagnostics.extend(
        finding._replace(message=f"mistake `{name}`: {finding.message}") for finding in report.diagnostics
    )
    return machine


def _check_rows_exist(change: Node, base: Mapping, report: Report) -> None:
    """A change to a row that the table does not have is a new row; without a moment it is rather a typo."""
    rows = [name for item in _rows_of(base) if (name := item_name(item)) is not None]
    for item in _rows_of(change):
        name = item_name(item)
        if name is None or name in rows or any(item.get(key) is not None for key in ("at", "refuse")):
            continue
        near = did_you_mean(name, rows)
        help = f"did you mean `{near}`?" if near else "to add a row, say at which moment it is asked: `at: ...`"
        identity = next(key for key in IDENTITY if item.get(key) is not None)
        report.error("unknown-row", f"the table has no row `{name}`", locate(item, (identity,)), help=help)


def _rows_of(loop: Node) -> Iterator[Mapping]:
    table = loop.get("table") if isinstance(loop, Mapping) else None
    yield from (item for item in (table.items if isinstance(table, Sequence) else ()) if isinstance(item, Mapping))


def _machine_of(merged: Mapping, report: Report) -> MachineData | None:
    spec = validate_as(ChangedLoopSpec, merged, report, called="the loop")
    if spec is None:
        return None
    places = Places(merged, report)
    loop = resolve_loop(spec, places, changed=True)
    _check_recorder(spec, places)
    if report.has_errors:
        return None
    return to_machine(loop, spec.recorder.model_dump(exclude_unset=True))


def _check_recorder(spec: ChangedLoopSpec, places: Places) -> None:
    for index, name in enumerate(spec.recorder.drop_names_on):
        if name not in spec.taxonomy:
            near = did_you_mean(name, spec.taxonomy)
            help = f"did you mean `{near}`?" if near else None
            message = f"the taxonomy has no reason `{name}`"
            places.error("unknown-reason", message, "recorder", "drop_names_on", index, help=help)
