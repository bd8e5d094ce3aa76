"""The models that the loop can ask for its next step. This file is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Model(Protocol):
    """Whatever can decide what to do next."""

    def decide(self, turn: int, goal: str, last: dict[str, Any] | None) -> Any:
        """The next step towards a goal. `last` is the last event of the trace."""


class ScriptedModel:
    """Follows the plan of a fixture, whatever comes of it."""

    def __init__(self, steps: Sequence[Any]) -> None:
        self.steps = steps
        self.taken = 0

    @property
    def ended(self) -> bool:
        """Whether the plan has no step left. A model without `ended` never ends."""
        return self.taken == len(self.steps)

    def decide(self, turn: int, goal: str, last: dict[str, Any] | None) -> Any:
        """The next step of the plan. Raises IndexError if there is none left."""
        self.taken += 1
        return self.steps[self.taken - 1]
