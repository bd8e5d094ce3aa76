"""The models that the loop can ask for its next step. This file is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

SCRIPT_EXHAUSTED = {"type": "stop", "reason": "script_exhausted"}


class Model(Protocol):
    """Whatever can decide what to do next."""

    def decide(self, turn: int, goal: str, last: dict[str, Any] | None) -> Any:
        """The next step towards a goal. `last` is the last event of the trace."""


class ScriptedModel:
    """Follows the plan of a fixture, whatever comes of it."""

    def __init__(self, steps: Sequence[Any]) -> None:
        self.steps = steps
        self.taken = 0

    def decide(self, turn: int, goal: str, last: dict[str, Any] | None) -> Any:
        """The next step of the plan, and when there is none left, a stop."""
        if self.taken == len(self.steps):
            return dict(SCRIPT_EXHAUSTED)
        self.taken += 1
        return self.steps[self.taken - 1]
