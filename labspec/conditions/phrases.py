"""The words of the English print: how a teacher would say each fact. Data only; `english` makes sentences of it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from labspec.conditions.syntax import Comparison


class Truth(NamedTuple):
    """How a fact that is true or false is said: its subject, and what is said of it in either case."""

    subject: str
    holds: str
    fails: str


class Wording(NamedTuple):
    """How a text is said: the noun for it, and whole clauses for the case that it is empty or not.

    `values` has what the thing is called when it is a certain text.
    """

    noun: str
    empty: str
    present: str
    values: Mapping[str, str] = MappingProxyType({})


class Phrases(NamedTuple):
    """What a caller of `to_english` can choose.

    `nouns` has the plural noun for a meter, where the default (`red_tests` is said "red tests") will not do.
    `code` marks a name or a literal as code; a caller that writes into Markdown or HTML gives one that escapes.
    """

    nouns: Mapping[str, str] = MappingProxyType({})
    code: Callable[[str], str] = "`{}`".format


TRUTHS: Mapping[str, Truth] = {
    "plan.ended": Truth("the plan", "has ended", "has not ended"),
    "call.named": Truth("the call", "has a usable name", "has no usable name"),
    "call.known": Truth("the tool", "is known", "is unknown"),
    "call.inside": Truth("the path", "lies in an allowed folder", "lies outside every allowed folder"),
    "result.ok": Truth("the result", "is ok", "is not ok"),
    "result.final": Truth("the result", "is final", "is not final"),
}

TEXTS: Mapping[str, Wording] = {
    "decision.type": Wording(
        "the decision",
        "there is no decision",
        "there is a decision",
        {"tool": "a call", "stop": "a stop", "other": "of another kind"},
    ),
    "decision.reason": Wording("the reason given", "no reason is given", "a reason is given"),
    "call.name": Wording("the tool", "no tool is named", "a tool is named"),
    "call.path": Wording("the path", "no path is named", "a path is named"),
    "result.error": Wording("the error", "there is no error", "there is an error"),
}

NUMBERS: Mapping[str, str] = {
    "turns": "turns",
    "tool_calls": "tool calls",
    "failures": "failures",
    "write_bytes": "bytes written",
    "call.bytes": "the bytes of the call",
    "call.lines": "the lines of the call",
}

VERBS: Mapping[Comparison, tuple[str, str]] = {
    "==": ("equals", "equal"),
    "!=": ("differs from", "differ from"),
    "<": ("stays below", "stay below"),
    "<=": ("stays within", "stay within"),
    ">": ("exceeds", "exceed"),
    ">=": ("reaches", "reach"),
}
"""What a comparison says of one thing and of several."""

LITERAL_VERBS: Mapping[Comparison, tuple[str, str]] = {
    **VERBS,
    "<=": ("is at most", "are at most"),
    ">=": ("is at least", "are at least"),
}
"""The same where the right side is a number."""
