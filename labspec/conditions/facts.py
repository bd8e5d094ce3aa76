"""The table of facts: what a condition can ask, of which type each answer is, and when it is known.

Read by the type checker, by the printers and by the reference documentation. Meters (`failures`) and budgets
(`budgets.retries`) are not in the table: a lab declares them, they are numbers, and they exist at every moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Moment: TypeAlias = Literal["turn", "decision", "call", "result"]
MOMENTS: tuple[Moment, ...] = ("turn", "decision", "call", "result")
"""The moments of a turn, in the order in which the loop passes them."""

ValueType: TypeAlias = Literal["boolean", "number", "text"]

BUDGET_PREFIX = "budgets."


class Fact(NamedTuple):
    """Something the loop knows. It exists from `moment` to the end of the turn, or at `moment` only if `only_there`.

    `values` lists all texts it can be, where that is a closed set.
    """

    type: ValueType
    moment: Moment
    says: str
    only_there: bool = False
    values: tuple[str, ...] = ()

    def exists_at(self, moment: Moment) -> bool:
        """True when a condition that stands at `moment` can use the fact."""
        if self.only_there:
            return moment == self.moment
        return MOMENTS.index(moment) >= MOMENTS.index(self.moment)


FACTS: Mapping[str, Fact] = {
    # After `turn` a plan that has ended has ended the run as well, so a later row that asks could never fire.
    "plan.ended": Fact("boolean", "turn", "the plan has no step left for this turn", only_there=True),
    "decision.type": Fact("text", "decision", "what the model decided", values=("tool", "stop", "other")),
    "decision.reason": Fact("text", "decision", 'the reason the model gave for stopping, "" if it gave none'),
    "call.named": Fact("boolean", "decision", "the decision names a tool in text that is not blank, or is a stop"),
    "call.name": Fact("text", "decision", 'the name of the tool to call, "" if the call has no usable name'),
    "call.known": Fact("boolean", "call", "the lab has a tool of that name"),
    "call.path": Fact("text", "call", 'the path the call names, "" if it names none'),
    "call.inside": Fact("boolean", "call", "the path lies in an allowed root"),
    "call.bytes": Fact("number", "call", "how many bytes the call wants to write"),
    "call.lines": Fact("number", "call", "how many lines the call wants to write"),
    "result.ok": Fact("boolean", "result", "the tool did what it was asked to do"),
    "result.error": Fact("text", "result", 'the code of the failure, "" when the result is ok'),
    "result.final": Fact("boolean", "result", "the result says that the task is finished"),
}
