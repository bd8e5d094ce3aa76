"""The plan of `run_loop.py`: the four moments of a turn as Python, from budgets, meters and decision table.

It knows no lab: only the machinery that the rows and meters of this one need becomes code, so that a small table gives
a small file. The template holds what is the same in every loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.contract import CHECKS
from labspec.emit.encode import Python, python_name, python_text, python_words
from labspec.emit.layout import comment, docstring, value
from labspec.emit.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from labspec.lab.model import Lab

LINE_CHECKS = ("fields", "sorted_keys")
"""The checks that are about a line of the ledger."""

APPEND_CHECKS = ("one_line", "append")
"""The checks that are about adding it."""


class LoopFile(NamedTuple):
    """What the template of `run_loop.py` is given."""

    module: Python
    constants: tuple[Python, ...]
    tools: Python
    error_chars: int | None
    error_otherwise: Python
    solved: bool
    gates: Python
    limits: Python
    limits_used: bool
    counters: tuple[Python, ...]
    last_error_kept: bool
    result_used: bool
    final_used: bool
    reason_used: bool
    script_ends_with_stop: bool
    moments: tuple[Python, ...]
    """The statements of each moment that the loop reaches."""


def plan_loop(lab: Lab, solved: bool) -> LoopFile:
    """The plan of `run_loop.py`, with the loop written out if `solved`, and otherwise left for the student."""
    moments = Moments(lab)
    return LoopFile(
        module=docstring(python_words(f"The loop of the lab: {lab.title}")),
        constants=tuple(_constant(budget.name, budget.limit) for budget in lab.budgets),
        tools=_tools(lab),
        error_chars=lab.errors.max_chars,
        error_otherwise=python_text(lab.errors.otherwise),
        solved=solved,
        gates=earned_comment(lab, _kinds_earned(lab), indent=4),
        limits=_limits(lab),
        limits_used=any(name.startswith("budgets.") for name in moments.read),
        counters=moments.counters(),
        last_error_kept=moments.last_error_kept,
        result_used=moments.result_used,
        final_used="result.final" in moments.read,
        reason_used="decision.reason" in moments.read,
        script_ends_with_stop=lab.plan_ends == "stop",
        moments=tuple(filter(None, (moments.turn(), moments.decision(), moments.call(), moments.result()))),
    )


def constant_name(budget: str) -> Python:
    """The name of the constant that holds a budget's limit."""
    return python_name(f"MAX_{budget.upper()}")


def earned_comment(lab: Lab, kinds: Iterable[str], indent: int) -> Python:
    """A comment that says which gates have checks of these kinds, for a place that is `indent` columns in."""
    earned = [gate for gate in lab.rubric if {check.kind for check in gate.checks} & set(kinds)]
    names = ", ".join(f"{gate.id} ({gate.points})" for gate in earned) or "none by itself"
    lines = comment(python_words(f"Gates this earns, with their points: {names}."), indent)
    return Python.joined("\n" + " " * indent, lines)


def _kinds_earned(lab: Lab) -> list[str]:
    """The checks that the loop earns: all, unless part of the record is the student's too."""
    return [kind for kind in CHECKS if lab.starter.ledger == "given" or kind not in (*LINE_CHECKS, *APPEND_CHECKS)]


def _constant(budget: str, limit: int) -> Python:
    return Python.of("{} = {}", constant_name(budget), limit)


def _tools(lab: Lab) -> Python:
    names = tuple(tool.name for tool in lab.tools)
    return Python.of("TOOLS = {}", value(names, before=len("TOOLS = ")))


def _limits(lab: Lab) -> Python:
    pairs = [Python.of("{}: {}", python_text(budget.name), constant_name(budget.name)) for budget in lab.budgets]
    pairs.append(Python('**fixture.get("budgets", {})'))
    flat = Python.of("    budgets = {{{}}}", Python.joined(", ", pairs))
    if len(flat) <= 88:
        return flat
    lines = [Python.of("        {},", pair) for pair in pairs]
    return Python.joined("\n", [Python("    budgets = {"), *lines, Python("    }")])
