"""A change merged into the lab's loop: what a mistake and a stretch goal have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from labspec.diagnostics import Report
from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.loop import resolve_loop
from labspec.lab.model import Loop
from labspec.lab.places import Places
from labspec.source.locate import locate
from labspec.source.merge import IDENTITY, item_name, merge
from labspec.source.nodes import Mapping, Node, Sequence
from labspec.spec.loop import LOOP_SECTIONS, ChangedLoopSpec
from labspec.spec.validate import validate_as


class Changed(NamedTuple):
    """A loop with a change in it; `root` is what it was made from, and `recorder` the slips of its recorder."""

    root: Mapping
    loop: Loop
    recorder: dict[str, Any]


def loop_part(root: Mapping) -> Mapping:
    """The sections of a spec that make its loop."""
    return Mapping(tuple(entry for entry in root.entries if entry.key in LOOP_SECTIONS), root.span)


def change_loop(base: Mapping, change: Node, who: str, places: Places) -> Changed | None:
    """The loop of `base` with `change` merged in. Findings point into the change and begin with `who` it is of."""
    report = Report()
    _check_rows_exist(change, base, report)
    merged = merge(base, change, report)
    changed = _resolve(merged, report) if isinstance(merged, Mapping) and not report.has_errors else None
    places.report.diagnostics.extend(
        finding._replace(message=f"{who}: {finding.message}") for finding in report.diagnostics
    )
    return changed


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


def _resolve(merged: Mapping, report: Report) -> Changed | None:
    spec = validate_as(ChangedLoopSpec, merged, report, called="the loop")
    if spec is None:
        return None
    places = Places(merged, report)
    loop = resolve_loop(spec, places, changed=True)
    _check_recorder(spec, places)
    return None if report.has_errors else Changed(merged, loop, spec.recorder.model_dump(exclude_unset=True))


def _check_recorder(spec: ChangedLoopSpec, places: Places) -> None:
    for index, name in enumerate(spec.recorder.drop_names_on):
        if name not in spec.taxonomy:
            near = did_you_mean(name, spec.taxonomy)
            help = f"did you mean `{near}`?" if near else None
            message = f"the taxonomy has no reason `{name}`"
            places.error("unknown-reason", message, "recorder", "drop_names_on", index, help=help)
