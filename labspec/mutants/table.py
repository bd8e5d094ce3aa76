"""Slips in the decision table: in the rows that end the loop, and in those that refuse a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labspec.conditions.json_form import from_json
from labspec.conditions.source import to_source
from labspec.lab.model import MachineData
from labspec.mutants.conditions import slips_in
from labspec.mutants.model import Family, Mutant, Slips, with_row, without_row

_FAMILY: dict[str, Family] = {"exit": "table", "refuse": "refusals"}


def table_slips(machine: MachineData) -> Slips:
    """Every slip in a row, family by family."""
    for verb, family in _FAMILY.items():
        for index, row in enumerate(machine["rows"]):
            if row["verb"] == verb:
                yield from _slips(machine, index, row, family)


def _slips(machine: MachineData, index: int, row: dict[str, Any], family: Family) -> Slips:
    name = row["id"]
    yield Mutant(f"{name}.left_out", family, f"row `{name}` is left out", without_row(machine, index))
    yield from _moved(machine, index, row, family)
    for slip in slips_in(row["when"]):
        says = f"row `{name}` asks for `{to_source(from_json(slip.condition))}`"
        yield Mutant(f"{name}.{slip.id}", family, says, with_row(machine, index, when=slip.condition))
    yield from _refusal_slips(machine, index, row) if row["verb"] == "refuse" else _exit_slips(machine, index, row)


def _moved(machine: MachineData, index: int, row: dict[str, Any], family: Family) -> Slips:
    """The row asked after the next one at its moment. Rows at different moments never compete."""
    rows = machine["rows"]
    after = next((place for place in range(index + 1, len(rows)) if rows[place]["at"] == row["at"]), None)
    if after is None:
        return
    moved = [*rows[:index], *rows[index + 1 : after + 1], row, *rows[after + 1 :]]
    says = f"row `{row['id']}` is asked after row `{rows[after]['id']}`"
    yield Mutant(f"{row['id']}.after_{rows[after]['id']}", family, says, {**machine, "rows": moved})


def _exit_slips(machine: MachineData, index: int, row: dict[str, Any]) -> Slips:
    name = row["id"]
    other = _another(list(machine["reasons"]), row["outcome"])
    if other is not None:
        says = f"row `{name}` gives the reason `{other}`"
        yield Mutant(f"{name}.reason", "table", says, with_row(machine, index, outcome=other))
    for slip, error, what in _other_errors(row["last_error"]):
        says = f"row `{name}` records {what} as the last error"
        yield Mutant(f"{name}.{slip}", "table", says, with_row(machine, index, last_error=error))


def _another(names: list[str], name: str) -> str | None:
    """The name after `name`, or before it if it is the last; None if there is no other."""
    place = names.index(name)
    others = [*names[place + 1 :], *reversed(names[:place])]
    return others[0] if others else None


def _other_errors(error: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    if error["from"] != "none":
        yield "no_last_error", {"from": "none", "text": None}, "nothing"
    if error["from"] != "error":
        yield "old_last_error", {"from": "error", "text": None}, "the code of the last failure"


def _refusal_slips(machine: MachineData, index: int, row: dict[str, Any]) -> Slips:
    name = row["id"]
    counted = not row["counted"]
    says = f"a call that row `{name}` refuses is {'' if counted else 'not '}counted"
    yield Mutant(f"{name}.counted", "refusals", says, with_row(machine, index, counted=counted))
    says = f"row `{name}` refuses a call with another code"
    yield Mutant(f"{name}.code", "refusals", says, with_row(machine, index, outcome=f"not_{row['outcome']}"))
