"""What the author of a lab writes in fixtures: suggestions use the same error codes, payloads, paths and texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from labspec.machine.alphabet import Vocabulary
from labspec.machine.runner import Machine

if TYPE_CHECKING:
    from labspec.lab.model import Lab

_STOPS: Final = ("done", "enough")
_ERRORS: Final = ("timeout", "failed")


class Habits:
    """The words of a lab's fixtures, apart from those that its conditions compare, or its mistakes, or its goals."""

    def __init__(self, lab: Lab) -> None:
        goals = lab.stretch.goals if lab.stretch else ()
        others = [*(mistake.machine for mistake in lab.mistakes), *(goal.machine for goal in goals)]
        vocabulary = Vocabulary(*map(Machine, (lab.machine, *others)))
        self.compared = {fact: frozenset(vocabulary.texts(fact)) for fact in _FACTS}
        """For each fact that is a text, what it is compared with."""
        self._adds_up_lines = vocabulary.cap("call.lines") is None
        self._line_edges = vocabulary.edges("call.lines")
        self._calls = [
            step for fixture in lab.fixtures for step in fixture.simulated["planned_calls"] if "name" in step
        ]

    def stop(self) -> str:
        """The reason of a stop that no condition knows."""
        return _first_not_in(self.compared["decision.reason"], _STOPS)

    def error(self, tool: str, max_chars: int | None) -> str:
        """The code of a failure that no condition knows: one that the tool has failed with, if there is one."""
        used = [step["error"] for step in self._of(tool) if isinstance(step.get("error"), str)]
        plain = [code for code in used if code.isprintable() and len(code) <= (max_chars or 40)]
        return _first_not_in(self.compared["result.error"], (*plain, *_ERRORS))

    def most_lines(self, lines: int) -> int | None:
        """How many lines a write can have in place of `lines` without a condition noticing; None: any number.

        Nor may a condition notice that is off by one, as those of mutants are.
        """
        if self._adds_up_lines or any(abs(edge - lines) <= 1 for edge in self._line_edges):
            return lines
        return next((edge - 2 for edge in self._line_edges if edge > lines), None)

    def payload(self, tool: str, *, final: bool) -> Any:
        """What a successful call of the tool returns."""
        found = [step for step in self._of(tool) if step.get("ok") is True and "payload" in step]
        alike = [step for step in found if step.get("final") is final]
        return (alike or found)[0]["payload"] if found else {}

    def arguments(self, tool: str) -> Iterator[dict[str, Any]]:
        """The arguments that the builtin tool is called with, where it can take them."""
        for step in self._of(tool):
            arguments = step.get("args")
            if isinstance(arguments, dict) and isinstance(arguments.get("file"), str):
                yield arguments

    def _of(self, tool: str) -> Iterator[dict[str, Any]]:
        return (step for step in self._calls if step["name"] == tool)


_FACTS: Final = ("decision.reason", "result.error", "call.path", "call.name")


def _first_not_in(taken: frozenset[str], words: tuple[str, ...]) -> str:
    free = next((word for word in words if word not in taken), None)
    while free is None or free in taken:
        free = f"{free or words[-1]}_"
    return free
