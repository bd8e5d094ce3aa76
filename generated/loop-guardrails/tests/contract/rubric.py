"""The rubric of a lab, as `gates.json` has it.

    {"lab": ..., "timeout_seconds": ..., "traced": ..., "workspace": ...,
     "gates": [{"id", "points", "says", "file", "tests", "zero_if"?}],
     "zero_if"?: [...],
     "stretch"?: {"points", "pick", "needs",
                  "goals": [{"id", "points", "title", "file", "tests"}]},
     "manual"?: [{"id", "points", "says"}]}

The rules of `zero_if` are in `rules.py`, `traced` and `workspace` in `setting.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .rules import Rule, read_rules
from .setting import PLAIN, Setting, read_setting


class ScoreboardError(ValueError):
    """The file that describes the gates cannot be used."""


@dataclass(frozen=True)
class Gate:
    """A row of the rubric: its points, and the test file that decides about them.

    `tests` is the number of tests in that file as it was handed out. A stretch goal is
    a gate, too; its title is what it says.
    """

    id: str
    points: int
    says: str
    file: str
    tests: int
    zero_if: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Stretch:
    """Goals beyond the gates: the best `pick` of them give at most `points` points.

    They count once the gates that they need are earned.
    """

    points: int
    pick: int
    needs: tuple[str, ...]
    goals: tuple[Gate, ...]


@dataclass(frozen=True)
class Manual:
    """A row of the rubric that a person grades."""

    id: str
    points: int
    says: str


@dataclass(frozen=True)
class Rubric:
    """The rows of a rubric, and what the tests need to know about runs.

    A run of the program may take `timeout_seconds`.
    """

    lab: str
    timeout_seconds: float
    gates: tuple[Gate, ...]
    zero_if: tuple[Rule, ...] = ()
    stretch: Stretch | None = None
    manual: tuple[Manual, ...] = ()
    setting: Setting = PLAIN

    @property
    def files(self) -> frozenset[str]:
        """The test files that decide about points."""
        goals = self.stretch.goals if self.stretch else ()
        return frozenset(row.file for row in (*self.gates, *goals))


def load_rubric(path: Path) -> Rubric:
    """Read `gates.json`. Raises ScoreboardError with a sentence about the file."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return _rubric(data, path.resolve().parent.parent)
    except OSError as error:
        raise ScoreboardError(f"cannot read {path.name}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ScoreboardError(f"{path.name} is damaged: {error}") from None


def _rubric(data: Mapping[str, Any], root: Path) -> Rubric:
    return Rubric(
        lab=data["lab"],
        timeout_seconds=float(data["timeout_seconds"]),
        gates=tuple(_gate(each) for each in data["gates"]),
        zero_if=read_rules(data.get("zero_if", ())),
        stretch=_stretch(data["stretch"]) if data.get("stretch") else None,
        manual=tuple(Manual(**each) for each in data.get("manual", ())),
        setting=read_setting(data, root),
    )


def _gate(data: Mapping[str, Any]) -> Gate:
    return Gate(**{**data, "zero_if": read_rules(data.get("zero_if", ()))})


def _stretch(data: Mapping[str, Any]) -> Stretch:
    return Stretch(
        points=data["points"],
        pick=data["pick"],
        needs=tuple(data.get("needs", ())),
        goals=tuple(_goal(each) for each in data["goals"]),
    )


def _goal(data: Mapping[str, Any]) -> Gate:
    others = {key: value for key, value in data.items() if key != "title"}
    return Gate(**others, says=data["title"])
