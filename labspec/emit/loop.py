"""The plan of `run_loop.py`: the four moments of a turn as Python, from budgets, meters and decision table.

It knows no lab: only the machinery that the rows and meters of this one need becomes code, so that a small table gives
a small file. The template holds what is the same in every loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.contract import CHECKS
from labspec.emit.encode import Python, python_name, python_text, python_words
from labspec.emit.layout import WIDTH, comment, docstring, value
from labspec.emit.moments import Moments
from labspec.emit.scope import variable_of
from labspec.emit.suite import earned_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from labspec.lab.model import Lab

LINE_CHECKS = ("fields", "sorted_keys")
"""The checks that are about a line of the ledger."""

APPEND_CHECKS = ("one_line", "append")
"""The checks that are about adding it."""

REPORT_CHECKS = ("report",)
"""The checks that are about the fuel report."""


class ModuleCover(NamedTuple):
    """What the template of a module is given that begins with the lab's title."""

    module: Python


class LoopFile(NamedTuple):
    """What the template of `run_loop.py` is given beside its first lines."""

    imports: tuple[Python, ...]
    constants: tuple[Python, ...]
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
    traced: bool
    workspace: bool
    used: Python
    """The statement that says what was used of each budget."""


def plan_module_cover(what: str, lab: Lab) -> ModuleCover:
    """The first lines of a module: what it is, and the lab's title."""
    return ModuleCover(docstring(python_words(f"{what}: {lab.title}")))


def plan_loop(lab: Lab, solved: bool) -> LoopFile:
    """The plan of `run_loop.py`, with the loop written out if `solved`, and otherwise left for the student."""
    moments = Moments(lab)
    return LoopFile(
        imports=_imports(lab, moments, solved),
        constants=_constants(lab),
        error_chars=lab.errors.max_chars,
        error_otherwise=python_text(lab.errors.otherwise),
        solved=solved,
        gates=earned_comment(lab, _kinds_earned(lab), indent=4),
        limits=_limits(lab),
        limits_used=lab.traced or any(name.startswith("budgets.") for name in moments.read),
        counters=moments.counters(),
        last_error_kept=moments.last_error_kept,
        result_used=moments.result_used and lab.workspace is None,
        final_used=lab.traced or "result.final" in moments.read,
        reason_used="decision.reason" in moments.read,
        script_ends_with_stop=lab.plan_ends == "stop" and lab.workspace is None,
        moments=tuple(filter(None, (moments.turn(), moments.decision(), moments.call(), moments.result()))),
        traced=lab.traced,
        workspace=lab.workspace is not None,
        used=_used(lab),
    )


def _imports(lab: Lab, moments: Moments, solved: bool) -> tuple[Python, ...]:
    """What the loop takes from the other modules of the repository, in the order of the formatter."""
    names = {"loop_exit": ["LoopExit"]}
    if solved:
        names["loop_exit"] += ["ExitReason", "append_exit"]
        if lab.traced:
            names["loop_trace"] = ["CLOSING_EVENTS", "Trace"]
    if lab.workspace is not None:
        names["model"] = ["Model"]
    if solved and lab.workspace is not None:
        names["model"] += ["ScriptedModel"]
        names["tools"] = ["Workspace", *(["ToolResult"] if moments.refuses else [])]
        names["tools"] += [moments.scripted_names] if lab.traced and moments.has_scripted else []
    return tuple(_import(module, found) for module, found in sorted(names.items()))


def _import(module: str, names: list[str]) -> Python:
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    return Python.of("from {} import {}", python_name(module), Python.joined(", ", map(python_name, ordered)))


def _constants(lab: Lab) -> tuple[Python, ...]:
    limits = tuple(_constant(budget.name, budget.limit) for budget in lab.budgets)
    if lab.workspace is None:
        return (*limits, tools_constant(lab))
    roots = Python.of("ROOTS = {}", value(lab.workspace.roots, before=len("ROOTS = ")))
    return (*limits, roots)


def tools_constant(lab: Lab) -> Python:
    """The statement that names the tools of the lab."""
    names = tuple(tool.name for tool in lab.tools)
    return Python.of("TOOLS = {}", value(names, before=len("TOOLS = ")))


def _used(lab: Lab) -> Python:
    """The statement that says what was used of each budget, for the body of a nested function."""
    pairs = [Python.of("{}: {}", python_text(budget.name), _use_of(budget.meters)) for budget in lab.budgets]
    flat = Python.of("        used = {{{}}}", Python.joined(", ", pairs))
    if len(flat) <= WIDTH:
        return flat
    lines = [Python.of("            {},", pair) for pair in pairs]
    return Python.joined("\n", [Python("        used = {"), *lines, Python("        }")])


def _use_of(meters: tuple[str, ...]) -> Python:
    uses = [Python("len(tool_names)") if name == "tool_calls" else variable_of(name) for name in meters]
    if not uses:
        return Python("0")
    return uses[0] if len(uses) == 1 else Python.of("max({})", Python.joined(", ", uses))


def constant_name(budget: str) -> Python:
    """The name of the constant that holds a budget's limit."""
    return python_name(f"MAX_{budget.upper()}")


def earned_comment(lab: Lab, kinds: Iterable[str], indent: int) -> Python:
    """A comment that says which gates have checks of these kinds, for a place that is `indent` columns in."""
    earned = [gate for gate in lab.rubric if {check.kind for check in gate.checks} & set(kinds)]
    lines = comment(python_words(earned_words(earned)), indent)
    return Python.joined("\n" + " " * indent, lines)


def _kinds_earned(lab: Lab) -> list[str]:
    """The checks that the loop earns: all, but for those about other parts that the student writes."""
    others = {*LINE_CHECKS, *APPEND_CHECKS} if lab.starter.ledger == "todo" else set()
    others |= {*REPORT_CHECKS} if lab.starter.report == "todo" else set()
    return [kind for kind in CHECKS if kind not in others]


def _constant(budget: str, limit: int) -> Python:
    return Python.of("{} = {}", constant_name(budget), limit)


def _limits(lab: Lab) -> Python:
    pairs = [Python.of("{}: {}", python_text(budget.name), constant_name(budget.name)) for budget in lab.budgets]
    pairs.append(Python('**fixture.get("budgets", {})'))
    flat = Python.of("    budgets = {{{}}}", Python.joined(", ", pairs))
    if len(flat) <= WIDTH:
        return flat
    lines = [Python.of("        {},", pair) for pair in pairs]
    return Python.joined("\n", [Python("    budgets = {"), *lines, Python("    }")])
