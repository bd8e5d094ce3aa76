"""Hold the `expect` of a fixture against the ending that the reference runner reaches, and say what would have to
change. Used when fixtures are resolved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.places import Places, Step
from labspec.machine.runner import Ending, Machine, MachineError
from labspec.machine.simulation import simulate
from labspec.spec.fixtures import ExpectSpec

_KEYS: Final = ("reason", "row", "turns", "tools", "last_error")
"""What can be expected; a wrong one of the first keys explains the later ones."""

_MAX_TURNS_TRIED: Final = 20_000
"""How many turns are spent, at most, on looking for a budget under which a fixture would end as expected."""


def check_expectation(
    path: tuple[Step, ...], expect: ExpectSpec, data: dict[str, Any], ended: Ending, machine: Machine, places: Places
) -> None:
    """Report that a fixture does not end as its `expect`, which stands at `path`, says: one finding for all.

    `data` is the fixture as runners read it.
    """
    if _names_are_unknown(expect, machine, places, *path):
        return
    wanted, reached = _wanted(expect), _reached(ended)
    wrong = [key for key in wanted if wanted[key] != reached[key]]
    if not wrong:
        return
    message = (
        f"fixture `{data['id']}` expects {_listed(wrong, wanted)}, but the table leads to {_listed(wrong, reached)}"
    )
    hints = [_why(ended), *_budgets_that_would_do(wanted, data, ended, machine)]
    places.error("expect-contradicts-table", message, *path, wrong[0], help="; ".join(hints))


def _names_are_unknown(expect: ExpectSpec, machine: Machine, places: Places, *path: str | int) -> bool:
    reasons, rows = list(machine.data["reasons"]), [row["id"] for row in machine.data["rows"]]
    known_to = (("reason", expect.reason, reasons, "the taxonomy"), ("row", expect.row, rows, "the table"))
    unknown = [(key, name, known, where) for key, name, known, where in known_to if name and name not in known]
    for key, name, known, where in unknown:
        near = did_you_mean(str(name), known)
        help = f"did you mean `{near}`?" if near else f"{where} has {', '.join(f'`{one}`' for one in known)}"
        places.error(f"unknown-{key}", f"{where} has no {key} `{name}`", *path, key, help=help)
    return bool(unknown)


def _wanted(expect: ExpectSpec) -> dict[str, Any]:
    return {key: getattr(expect, key) for key in _KEYS if key in expect.model_fields_set}


def _reached(ended: Ending) -> dict[str, Any]:
    return {
        "reason": ended.reason,
        "row": ended.row,
        "turns": ended.turns,
        "tools": list(ended.tool_names),
        "last_error": ended.last_error,
    }


def _listed(keys: list[str], values: Mapping[str, Any]) -> str:
    return " and ".join(f"{key} {_shown(values[key])}" for key in keys)


def _shown(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(value[:10])}{', ...' if value[10:] else ''}]"
    return f"`{value}`"


def _why(ended: Ending) -> str:
    meters = ", ".join(f"{name} {value}" for name, value in ended.meters.items() if value)
    limits = ", ".join(f"{name} {limit}" for name, limit in ended.limits.items())
    return (
        f"row `{ended.row}` fires at `{ended.at}` of turn {ended.turn} (meters: {meters or 'all 0'}; budgets: {limits})"
    )


def _budgets_that_would_do(
    wanted: Mapping[str, Any], data: dict[str, Any], ended: Ending, machine: Machine
) -> list[str]:
    """The smallest change to one budget under which the fixture ends as expected, as a sentence; else nothing."""
    longest = len(data["planned_calls"]) + 2
    tries = _MAX_TURNS_TRIED // longest
    for name, limit in ended.limits.items():
        for value in _nearest_first(limit, longest):
            tries -= 1
            if tries < 0:
                return []
            if _leads_to(wanted, name, value, data, machine):
                or_more = value > limit and _leads_to(wanted, name, longest + limit, data, machine)
                return [f"with the budget `{name}: {value}`{' or more' if or_more else ''} it ends as expected"]
    return []


def _nearest_first(limit: int, longest: int) -> Iterator[int]:
    """The limits a run of at most `longest` turns can tell apart, beginning with those next to `limit`."""
    return iter(sorted((value for value in range(longest + 1) if value != limit), key=lambda value: abs(value - limit)))


def _leads_to(wanted: Mapping[str, Any], name: str, value: int, data: dict[str, Any], machine: Machine) -> bool:
    budgets = {**data.get("budgets", {}), name: value}
    try:
        reached = _reached(simulate(machine, {**data, "budgets": budgets}).ending)
    except MachineError:
        return False
    return all(reached[key] == wanted[key] for key in wanted)
