"""The rules of an automatic zero: what loses a gate, or the whole lab, its points.

A rule is a mapping with one key in `gates.json`:

    {"hangs": true}             a run did not end in time
    {"wrote_outside": true}     a run wrote outside the allowed roots
    {"missing": "trace"}        a run left no trace
    {"changed": "tests"}        the tests are not as they were handed out
    {"without": ["a_gate"]}     one of these gates is not earned
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .observation import HANGS, MISSING_TRACE, WROTE_OUTSIDE
from .wording import printable, shorten

CHANGED_TESTS = "changed: tests"
WITHOUT = "without"

_SENTENCES = {
    HANGS: "a run did not end in time",
    WROTE_OUTSIDE: "a run wrote outside the allowed roots",
    MISSING_TRACE: "a run left no trace",
    CHANGED_TESTS: "the tests are not as they were handed out",
}
_FLAGS = (HANGS, WROTE_OUTSIDE)
_NAMED = (MISSING_TRACE, CHANGED_TESTS)


@dataclass(frozen=True)
class Rule:
    """What makes a zero: an event, changed tests, or gates that are not earned."""

    kind: str
    gates: tuple[str, ...] = ()

    def reason(self, events: Collection[str], earned: Collection[str]) -> str | None:
        """Why the rule makes a zero, or None if it does not.

        `events` has what happened, `earned` the gates that are earned.
        """
        if self.kind == WITHOUT:
            missing = [gate for gate in self.gates if gate not in earned]
            return shorten(f"without {', '.join(missing)}", 120) if missing else None
        return _SENTENCES[self.kind] if self.kind in events else None


def read_rules(data: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules of a gate or of a lab. Raises TypeError or ValueError."""
    return tuple(_read_rule(each) for each in data)


def _read_rule(data: Mapping[str, Any]) -> Rule:
    ((key, value),) = data.items()
    if key in _FLAGS and value is True:
        return Rule(key)
    if f"{key}: {value}" in _NAMED:
        return Rule(f"{key}: {value}")
    if key == WITHOUT and isinstance(value, list) and value:
        return Rule(WITHOUT, tuple(str(gate) for gate in value))
    raise ValueError(f"there is no rule {printable(f'{key}: {value}')}")


def first_reason(
    rules: Sequence[Rule], events: Collection[str], earned: Collection[str]
) -> str | None:
    """The reason of the first rule that makes a zero, or None."""
    reasons = (rule.reason(events, earned) for rule in rules)
    return next((reason for reason in reasons if reason), None)
