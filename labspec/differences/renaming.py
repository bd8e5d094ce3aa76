"""Reasons under new names: the old lab, told in the words of the new one, so that a rename alone is no difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from labspec.lab.model import Fixture, Goal, Lab, MachineData, Mistake, Row
from labspec.ledger.renames import Renames as LedgerRenames
from labspec.machine.runs import Runs

Renames: TypeAlias = Mapping[str, str]
"""The new name of each reason that got one, by its old name."""


def renames(old: Lab, new: Lab) -> Renames:
    """The reasons that have another name in the new lab: `was:` says so, as `labspec ledger migrate` understands it.

    A name that the old lab has too is no new name: then two reasons became one.
    """
    today = LedgerRenames(new.taxonomy)
    before = [reason.name for reason in old.taxonomy]
    names = {name: today.new_name(name) for name in before}
    return {was: name for was, name in names.items() if isinstance(name, str) and name not in before}


def in_new_words(lab: Lab, names: Renames) -> Lab:
    """The lab with its reasons under their new names, and with them the rows that are called after their reason."""
    if not names:
        return lab
    stretch = lab.stretch
    if stretch is not None:
        stretch = stretch._replace(
            machine=_machine(stretch.machine, names), goals=tuple(_goal(goal, names) for goal in stretch.goals)
        )
    return lab._replace(
        taxonomy=tuple(reason._replace(name=names.get(reason.name, reason.name)) for reason in lab.taxonomy),
        table=tuple(_row(row, names) for row in lab.table),
        fixtures=tuple(_fixture(fixture, names) for fixture in lab.fixtures),
        mistakes=tuple(_mistake(mistake, names) for mistake in lab.mistakes),
        stretch=stretch,
        machine=_machine(lab.machine, names),
    )


def _row(row: Row, names: Renames) -> Row:
    if row.verb != "exit" or row.outcome not in names:
        return row
    renamed = names[row.outcome]
    return row._replace(outcome=renamed, id=renamed if row.id == row.outcome else row.id)


def _fixture(fixture: Fixture, names: Renames) -> Fixture:
    ending = fixture.ending
    if ending.reason not in names:
        return fixture
    reason = names[ending.reason]
    trace = [{**event, "reason": reason} if event is fixture.trace[-1] else event for event in fixture.trace]
    row = reason if ending.row == ending.reason else ending.row
    return fixture._replace(ending=ending._replace(reason=reason, row=row), trace=trace)


def _goal(goal: Goal, names: Renames) -> Goal:
    return goal._replace(
        machine=_machine(goal.machine, names), fixtures=tuple(_fixture(fixture, names) for fixture in goal.fixtures)
    )


def _mistake(mistake: Mistake, names: Renames) -> Mistake:
    row = None if mistake.row is None else names.get(mistake.row, mistake.row)
    return mistake._replace(runs=Runs(_machine(mistake.machine, names)), row=row)


def _machine(machine: MachineData, names: Renames) -> MachineData:
    recorder = dict(machine["recorder"])
    if "drop_names_on" in recorder:
        recorder["drop_names_on"] = [names.get(name, name) for name in recorder["drop_names_on"]]
    return {
        **machine,
        "reasons": {names.get(name, name): reason for name, reason in machine["reasons"].items()},
        "rows": [_machine_row(row, names) for row in machine["rows"]],
        "recorder": recorder,
    }


def _machine_row(row: dict[str, Any], names: Renames) -> dict[str, Any]:
    if row["verb"] != "exit" or row["outcome"] not in names:
        return row
    renamed = names[row["outcome"]]
    return {**row, "outcome": renamed, "id": renamed if row["id"] == row["outcome"] else row["id"]}
