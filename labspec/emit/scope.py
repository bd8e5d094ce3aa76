"""Which Python expression stands for a fact, a meter or a budget inside the generated loop."""

from __future__ import annotations

import builtins
import keyword
from typing import NamedTuple

from labspec.conditions.facts import BUDGET_PREFIX
from labspec.conditions.python import to_python
from labspec.conditions.syntax import Constant, Expr
from labspec.emit.encode import Python, python_name, python_text

FACTS_IN_PYTHON = {
    "plan.ended": "plan_ended",
    "decision.type": "decision",
    "decision.reason": "reason",
    "call.named": "named",
    "call.name": "name",
    "call.known": "known",
    "call.path": "path",
    "call.inside": "inside",
    "call.bytes": "size",
    "call.lines": "lines",
    "result.ok": "result.ok",
    "result.error": "result.error",
    "result.final": "result.final",
}

_NAMES_OF_THE_TEMPLATE = """
    annotations dataclass Path Any ExitReason LoopExit append_exit ToolResult tool_name decision_type stop_reason
    error_code call_tool run_loop run_id fixture ledger plan budgets step result refusal counted stop event tool_names
    last_error error next_turns trace model goal events workspace call args shown close used kind limit Trace Model
    ScriptedModel Workspace CLOSING_EVENTS LONGEST_TEXT TOOLS SCRIPTED ROOTS
"""
_TAKEN = frozenset(
    {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *FACTS_IN_PYTHON.values(), *_NAMES_OF_THE_TEMPLATE.split()}
)


def variable_of(meter: str) -> Python:
    """The local variable that holds a meter; a name the loop needs for something else is made longer."""
    return python_name(f"{meter}_meter" if meter in _TAKEN or meter.endswith(("_before", "_meter")) else meter)


def before(meter: str) -> Python:
    """The local variable that holds what a meter was before the call."""
    return python_name(f"{variable_of(meter)}_before")


def is_always(when: Expr | None) -> bool:
    """True when a condition holds whatever happens."""
    return when is None or (isinstance(when, Constant) and when.value is True)


def is_never(when: Expr | None) -> bool:
    """True when a condition cannot hold whatever happens."""
    return isinstance(when, Constant) and when.value is False


class Scope(NamedTuple):
    """The names at one point of the loop: `expressions` has that of every meter, and of facts that differ."""

    expressions: dict[str, Python]

    def having(self, name: str, expression: Python) -> Scope:
        """The scope in which a name stands for another expression."""
        return Scope({**self.expressions, name: expression})

    def name_of(self, name: str) -> str:
        """The Python expression of a fact, a meter or a budget."""
        if name.startswith(BUDGET_PREFIX):
            return f"budgets[{python_text(name.removeprefix(BUDGET_PREFIX))}]"
        return self.expressions.get(name) or FACTS_IN_PYTHON[name]

    def python(self, expr: Expr) -> Python:
        """The condition or number as Python."""
        return Python(to_python(expr, self.name_of))
