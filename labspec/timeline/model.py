"""A run as a value: its turns in order, and in each turn the moments that it passed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from labspec.conditions import Moment
from labspec.machine.runner import Call, Ending, Result


class Asked(NamedTuple):
    """The rows that were asked at one moment of a turn, in the order of the table.

    `fired` is the row that held, which is then the last of `rows`; None if none held. `meters` are what the rows read:
    if `fired` ends the run before the act of its moment, the charge of that act is in them and is taken back after.
    """

    at: Moment
    rows: tuple[str, ...]
    fired: str | None
    meters: dict[str, int]


class Decision(NamedTuple):
    """What the model answered. `name` is the tool it wants to call, empty if it is no call or has no usable name;
    `reason` is the one it gives for a stop, empty if it gives none.
    """

    type: Literal["tool", "stop", "other"]
    name: str
    reason: str


class Turn(NamedTuple):
    """One turn. What it did not come to is None.

    `number` counts from 1. `step` is the step of the plan that the turn took; None if the plan had none left, or the
    run ended before it was taken. `refused` is the row that refused the call, whose result is then a failure with the
    code of that row; `ended` is the row that ended the run. `counted` says that the record names the call. `meters`
    and `used`, the use of each budget, are what the turn left behind.
    """

    number: int
    step: Mapping[str, Any] | None
    decision: Decision | None
    call: Call | None
    result: Result | None
    refused: str | None
    ended: str | None
    counted: bool
    asked: tuple[Asked, ...]
    meters: dict[str, int]
    used: dict[str, int]


class Timeline(NamedTuple):
    """The run of a fixture from its first turn to its exit.

    If a row of the moment `turn` ends the run, the last of `turns` is the one that never began: it has no decision.
    `limits` are the budgets of this run, `measures` the meters that each of them is compared with.
    """

    fixture: str
    limits: dict[str, int]
    measures: dict[str, tuple[str, ...]]
    turns: tuple[Turn, ...]
    ending: Ending
