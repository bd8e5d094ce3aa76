"""Which JavaScript expression stands for a fact, a meter or a budget inside the generated loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.conditions.facts import BUDGET_PREFIX
from labspec.emit.node.encode import JavaScript, camel_case, javascript_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FACTS_IN_JAVASCRIPT = {
    "plan.ended": "planEnded",
    "decision.type": "decision.type",
    "decision.reason": "decision.reason",
    "call.named": "decision.named",
    "call.name": "decision.name",
    "call.known": "call.known",
    "call.path": "call.path",
    "call.inside": "call.inside",
    "call.bytes": "call.bytes",
    "call.lines": "call.lines",
    "result.ok": "result.ok",
    "result.error": "result.error",
    "result.final": "result.final",
}

_RESERVED = """
    arguments await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface let new null package private protected
    public return static super switch this throw true try typeof undefined var void while with yield
"""
_NAMES_OF_THE_TEMPLATE = """
    Error Infinity Math NaN Number Object RangeError Workspace process fs fetch globalThis runFirstFixture
    startedDirectly callTool failure lookAt createTracer scriptedModel runLoop decisionOf isObject limitsOf resultEvent
    budget call counted decision event goal lastError limits model planEnded reason refusal result settings step tracer
    untilARowHolds used workspace last
"""
_TAKEN = frozenset({*_RESERVED.split(), *_NAMES_OF_THE_TEMPLATE.split()})


def variables_of(meters: Iterable[str]) -> dict[str, JavaScript]:
    """The variable of each meter. A name that is needed for something else is made longer."""
    taken = set(_TAKEN)
    variables = {}
    for meter in meters:
        name = camel_case(meter)
        while taken & {name, following(name), before(name)}:
            name += "Meter"
        taken |= {name, following(name), before(name)}
        variables[meter] = javascript_name(name)
    return variables


def following(variable: str) -> JavaScript:
    """The variable that holds what a meter will be if the act is done."""
    return javascript_name(f"next{variable[0].upper()}{variable[1:]}")


def before(variable: str) -> JavaScript:
    """The variable that holds what a meter was before the call."""
    return javascript_name(f"{variable}Before")


def settings_of(budgets: Iterable[str]) -> dict[str, JavaScript]:
    """The property of `DEFAULT_BUDGET` that holds the limit of each budget: `maxToolCalls` of `tool_calls`."""
    settings: dict[str, JavaScript] = {}
    for budget in budgets:
        name = camel_case(f"max_{budget}")
        settings[budget] = javascript_name(f"max_{budget}" if name in settings.values() else name)
    return settings


def name_of(name: str, variables: Mapping[str, JavaScript]) -> JavaScript:
    """The expression of a fact, a meter or a budget, where the meters are held by `variables`."""
    if name.startswith(BUDGET_PREFIX):
        return JavaScript.of("limits.{}", javascript_name(name.removeprefix(BUDGET_PREFIX)))
    return variables.get(name) or JavaScript(FACTS_IN_JAVASCRIPT[name])
