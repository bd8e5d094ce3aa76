"""The four moments of a turn as Python statements: what the body of the generated loop is made of.

Each moment charges its meters, then asks its rows in the order of the table. Where a row can stop the loop before the
act has happened, the turn is charged to `next_turns` and counted only afterwards; where a row can refuse a call, every
meter that the refusal gives back is kept in a variable named `..._before`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from labspec.conditions import names_in
from labspec.conditions.syntax import Compare, Constant, Expr, Logic, Name, Not
from labspec.conditions.tidy import tidy
from labspec.emit.charges import (
    add,
    charge,
    counts_failures,
    gives_failures_back,
    needed_meters,
    read_by,
    reported_meters,
)
from labspec.emit.encode import Python, python_text, python_words
from labspec.emit.layout import WIDTH, block, branch_line, call, comment, indented
from labspec.emit.scope import (
    FACTS_IN_PYTHON,
    Scope,
    before,
    is_always,
    is_never,
    variable_of,
)
from labspec.emit.wording import row_words

if TYPE_CHECKING:
    from labspec.conditions import Moment
    from labspec.lab.model import Lab, Meter, Row

LOOKED_AT = {
    "call.known": "call.known",
    "call.path": "call.path",
    "call.inside": "call.inside",
    "call.bytes": "call.size",
    "call.lines": "call.lines",
}
"""The attributes of a call that a workspace has looked at."""

_SCRIPTED_CALL = {"call.path": '""', "call.inside": "True", "call.bytes": "0", "call.lines": "0"}
"""What a scripted call says about the files it touches: none."""


class Moments:
    """The moments of one lab's loop. Each method gives the statements of a moment, indented and without a final
    newline; the other members say what these statements need to stand before the loop.
    """

    def __init__(self, lab: Lab) -> None:
        """Look through the table and the meters of `lab`."""
        self.lab = lab
        self.rows = tuple(row for row in lab.table if not is_never(row.when))
        self.meters = needed_meters(lab, self.rows)
        self.reported = reported_meters(lab)
        self.indent = 12 if lab.traced else 8
        """How far in the body of the generated `while` stands, in columns: a traced loop stands in a `try`."""

    @cached_property
    def read(self) -> frozenset[str]:
        """Every name that a row or a needed meter reads."""
        conditions = [row.when for row in self.rows if row.when is not None]
        return frozenset().union(*map(names_in, conditions), *map(read_by, self.meters))

    @property
    def last_error_kept(self) -> bool:
        """True when some row writes the code of the last failure into its record."""
        return any(row.verb == "exit" and row.last_error.source == "error" for row in self.rows)

    @property
    def result_used(self) -> bool:
        """True when anything depends on what a tool answers."""
        return self.lab.traced or self.last_error_kept or any(name.startswith("result.") for name in self.read)

    def counters(self) -> tuple[Python, ...]:
        """The statements before the loop that set the meters to zero."""
        counted = [meter for meter in self.meters if meter.name != "tool_calls"]
        return tuple(Python.of("{} = 0", variable_of(meter.name)) for meter in counted)

    # --- turn ---

    def turn(self) -> Python:
        """The loop is about to ask the model."""
        rows = self._rows_at("turn")
        lines = [Python("# turn: the loop is about to ask the model.")]
        if self._asks_if_ended:
            lines.append(Python.of("plan_ended = {}", self._has_ended()))
        scope = self._scope()
        for meter in self._meters_at("turn"):
            if meter.name != "turns":
                lines += [*self._keep(meter), *charge(meter, scope, self.indent)]
            elif rows:
                lines.append(Python(f"next_turns = {'turns if plan_ended else ' if self._can_end else ''}turns + 1"))
                scope = scope.having("turns", Python("next_turns"))
        lines += self._exits(rows, scope)
        if not self._ends("turn"):
            lines += [self._next_step(), Python("turns = next_turns" if rows else "turns += 1")]
            lines += [Python('events.push("turn", turn=turns)')] if self.lab.traced else []
        return block(indented(lines, self.indent))

    def _next_step(self) -> Python:
        """The statement that takes the model's decision."""
        if self.lab.workspace is not None:
            number = Python("next_turns" if self._rows_at("turn") else "turns + 1")
            return Python.of(
                "step = model.decide({}, goal, {})", number, Python("events.last" if self.lab.traced else "None")
            )
        return Python(
            "step = plan[turns]" if self._can_end else "step = plan[turns] if turns < len(plan) else SCRIPT_EXHAUSTED"
        )

    def _has_ended(self) -> Python:
        if not self._can_end:
            return Python("False")
        return Python("turns == len(plan)" if self.lab.workspace is None else 'getattr(model, "ended", False)')

    @property
    def _can_end(self) -> bool:
        return self.lab.plan_ends == "end"

    @property
    def _asks_if_ended(self) -> bool:
        """True when the plan can end under a row at `turn`, or something asks for it although it can't."""
        asked = any("plan.ended" in read_by(meter) for meter in self.meters if meter.name != "turns")
        asked = asked or any("plan.ended" in names_in(row.when) for row in self.rows if row.when is not None)
        return asked or (self._can_end and bool(self._rows_at("turn")))

    # --- decision ---

    def decision(self) -> Python:
        """The model answered."""
        if self._ends("turn"):
            return Python("")
        rows = self._rows_at("decision")
        passes = not self._ends("decision")
        lines = [Python("# decision: the model answered.")]
        if {"decision.type", "call.named"} & self.read or (passes and not self.only_calls_get_through):
            lines.append(Python("decision = decision_type(step)"))
        if "decision.reason" in self.read:
            lines.append(Python("reason = stop_reason(step)"))
        if {"call.name", "call.named"} & self.read or passes:
            lines.append(Python("name = tool_name(step)"))
        if "call.named" in self.read:
            lines.append(Python('named = decision == "stop" or name != ""'))
        lines += self._charges("decision")
        lines += self._exits(rows, self._scope())
        if passes and not self.only_calls_get_through:
            lines += [Python('if decision != "tool":'), Python("    continue")]
        return block([Python(""), *indented(lines, self.indent)])

    @cached_property
    def only_calls_get_through(self) -> bool:
        """True when rows end the loop on every decision that is not a call."""
        caught = (caught_by(row.when) for row in self._rows_at("decision"))
        return {"stop", "other"} <= frozenset[str]().union(*caught)

    # --- call ---

    def call(self) -> Python:
        """The loop is about to run the tool."""
        if self._ends("turn") or self._ends("decision"):
            return Python("")
        rows = self._rows_at("call")
        lines = [Python("# call: the loop is about to run the tool.")]
        lines += self._call_facts()
        scope = self._scope()
        for meter in self._meters_at("call"):
            if meter.name == "tool_calls":
                scope = scope.having("tool_calls", Python("len(tool_names) + 1"))
                continue
            lines += [*self._keep(meter), *charge(meter, scope, self.indent)]
        lines += self._refusals_and_exits(rows, scope)
        return block([Python(""), *indented(lines, self.indent)])

    def _call_facts(self) -> list[Python]:
        if self.lab.workspace is not None:
            return [Python("call = workspace.look(name, step)")]
        known = [Python("known = name in TOOLS")] if "call.known" in self.read else []
        files = [(fact, text) for fact, text in _SCRIPTED_CALL.items() if fact in self.read]
        return known + [Python.of("{} = {}", Python(FACTS_IN_PYTHON[fact]), Python(text)) for fact, text in files]

    def _keep(self, meter: Meter) -> list[Python]:
        """The statement before a charge that keeps what the meter was, if the charge can be taken back."""
        at_call = meter.at == "call" and (meter.refund_when is not None or self.refuses)
        kept = at_call or meter in self._taken_back(meter.at)
        return [Python.of("{} = {}", before(meter.name), variable_of(meter.name))] if kept else []

    def _taken_back(self, moment: Moment) -> list[Meter]:
        """The meters that a row which stops the loop at a moment sets back: the act has not happened."""
        stops = moment in ("turn", "call") and any(row.verb == "exit" for row in self._rows_at(moment))
        appended = ("turns", "tool_calls")  # these are only counted once the rows have let the act through
        found = [meter for meter in self._meters_at(moment) if meter.name in self.reported - {*appended}]
        return found if stops else []

    @property
    def refuses(self) -> bool:
        """True when some row refuses calls."""
        return any(row.verb == "refuse" for row in self._rows_at("call"))

    @property
    def _some_uncounted(self) -> bool:
        return any(row.verb == "refuse" and not row.counted for row in self._rows_at("call"))

    def _refusals_and_exits(self, rows: list[Row], scope: Scope) -> list[Python]:
        """The rows at `call` as one chain: the first that holds stops the loop or refuses the call."""
        lines = [Python('refusal = ""')] if self.refuses else []
        lines += [Python("counted = True")] if self._some_uncounted else []
        lines += self._chain(rows, scope) if self.refuses else self._exits(rows, scope)
        if self._ends("call"):
            return lines
        if self.refuses:
            lines += self._give_back()
        counting = self._counting()
        return [*lines, Python("if counted:"), *indented(counting, 4)] if self._some_uncounted else lines + counting

    def _counting(self) -> list[Python]:
        """The statements for a call that counts."""
        lines = [Python("tool_names.append(name)")]
        if not self.lab.traced:
            return lines
        if self.has_scripted:
            lines.append(Python.of('args = {{}} if name in {} else {{"args": step.get("args")}}', self.scripted_names))
        args = Python("**args" if self.has_scripted else 'args=step.get("args")')
        return [*lines, Python.of('events.push("tool", turn=turns, name=name, {})', args)]

    @property
    def has_scripted(self) -> bool:
        """True when the steps carry the results of some tool."""
        return any(tool.kind == "scripted" for tool in self.lab.tools)

    def _chain(self, rows: list[Row], scope: Scope) -> list[Python]:
        """One `if`, `elif`, `else` over the rows, up to the first that always holds."""
        lines: list[Python] = []
        for row in rows:
            body = [*self._row_comment(row), *self._act(row)]
            if row.when is None or is_always(row.when):
                return [*lines, Python("else:"), *indented(body, 4)] if lines else body
            head = branch_line("elif" if lines else "if", scope.python(row.when), self.indent)
            lines += [*head, *indented(body, 4)]
        return lines

    def _act(self, row: Row) -> list[Python]:
        if row.verb == "exit":
            return self._exit(row, self.indent + 4)
        uncounted = [] if row.counted else [Python("counted = False")]
        return [Python.of("refusal = {}", python_text(row.outcome)), *uncounted]

    def _give_back(self) -> list[Python]:
        """The statements that take the charges of a refused call back."""
        meters = [meter for meter in self._meters_at("call") if meter.name != "tool_calls"]
        return [Python("if refusal:"), *indented(map(_take_back, meters), 4)] if meters else []

    @property
    def scripted_names(self) -> Python:
        """The constant that holds the names of the scripted tools."""
        return Python("TOOLS" if all(tool.kind == "scripted" for tool in self.lab.tools) else "SCRIPTED")

    # --- result ---

    def result(self) -> Python:
        """The tool answered, or the call was refused."""
        if self._ends("turn") or self._ends("decision") or self._ends("call"):
            return Python("")
        lines = [Python("# result: the tool answered.")]
        lines += self._run_tool()
        lines += self._after_result()
        lines += self._exits(self._rows_at("result"), self._scope())
        return block([Python(""), *indented(lines, self.indent)])

    def _run_tool(self) -> list[Python]:
        run = Python("call_tool(name, step)" if self.lab.workspace is None else "workspace.run(call)")
        if not self.refuses:
            return [Python.of("result = {}", run) if self.result_used else run]
        refused = Python("ToolResult(ok=False, error=refusal)")
        line = Python.of("result = {} if refusal else {}", refused, run)
        if self.indent + len(line) <= WIDTH:
            return [line]
        return [Python("result = ("), Python.of("    {} if refusal else {}", refused, run), Python(")")]

    def _after_result(self) -> list[Python]:
        """What a result changes: charges given back, the last error, the meters, and the trace."""
        refunds = [meter for meter in self._meters_at("call") if meter.refund_when and not is_never(meter.refund_when)]
        plain = list(takewhile(gives_failures_back, refunds))
        others = refunds[len(plain) :]
        meters = self._meters_at("result")
        counting = [] if others else list(takewhile(counts_failures, meters))
        lines = self._branches(plain, counting)
        for meter in others:
            when = self._scope().python(meter.refund_when or Constant(True))
            lines += [*branch_line("if", when, self.indent), *indented([_take_back(meter)], 4)]
        for meter in meters[len(counting) :]:
            lines += charge(meter, self._scope(), self.indent)
        return lines

    def _branches(self, refunds: list[Meter], counting: list[Meter]) -> list[Python]:
        """What a success and a failure change, each in its branch."""
        kept = [Python("last_error = result.error")] if self.last_error_kept else []
        counts = [line for meter in counting for line in add(meter, self._scope(), self.indent + 4)]
        failed = [*kept, *map(_take_back, refunds), *counts]
        if not self.lab.traced:
            return [Python("if not result.ok:"), *indented(failed, 4)] if failed else []
        error = [Python('"tool_error"'), Python("turn=turns"), Python("name=name"), Python("error=result.error")]
        failed = [*call(Python("events.push"), error, self.indent + 4), *failed]
        return [Python("if result.ok:"), *indented(self._success(), 4), Python("else:"), *indented(failed, 4)]

    def _success(self) -> list[Python]:
        """The event of a result that is ok."""
        text = Python("result=result.text[:LONGEST_TEXT]")
        shown = Python("final=result.final") if self.scripted_names == "TOOLS" else text
        lines: list[Python] = []
        if self.has_scripted and self.scripted_names != "TOOLS":
            lines = [
                Python('shown: dict[str, Any] = {"result": result.text[:LONGEST_TEXT]}'),
                Python.of("if name in {}:", self.scripted_names),
                Python('    shown = {"final": result.final}'),
            ]
            shown = Python("**shown")
        event = [Python('"tool_result"'), Python("turn=turns"), Python("name=name"), shown]
        return [*lines, *call(Python("events.push"), event, self.indent + 4)]

    # --- shared ---

    def _scope(self) -> Scope:
        expressions = {meter.name: variable_of(meter.name) for meter in self.meters}
        expressions["tool_calls"] = Python("len(tool_names)")
        if self.lab.workspace is not None:
            expressions.update({fact: Python(text) for fact, text in LOOKED_AT.items()})
        return Scope(expressions)

    def _rows_at(self, moment: Moment) -> list[Row]:
        return [row for row in self.rows if row.at == moment]

    def _meters_at(self, moment: Moment) -> list[Meter]:
        return [meter for meter in self.meters if meter.at == moment]

    def _ends(self, moment: Moment) -> bool:
        """True when the loop never gets past a moment, because a row without a condition stops it there."""
        rows = takewhile(lambda row: row.verb == "exit", self._rows_at(moment))
        return any(is_always(row.when) for row in rows)

    def _charges(self, moment: Moment) -> list[Python]:
        return [line for meter in self._meters_at(moment) for line in charge(meter, self._scope(), self.indent)]

    def _exits(self, rows: list[Row], scope: Scope) -> list[Python]:
        """Rows that stop the loop, one after the other."""
        lines: list[Python] = []
        for row in rows:
            lines += self._row_comment(row)
            if row.when is None or is_always(row.when):
                return [*lines, *self._exit(row, self.indent)]
            lines += branch_line("if", scope.python(row.when), self.indent)
            lines += indented(self._exit(row, self.indent + 4), 4)
        return lines

    def _row_comment(self, row: Row) -> list[Python]:
        plain = row.id == row.outcome.replace(":", "_")
        name = f"Row {row.number}" if plain else f"Row {row.number}, {row.id}"
        return comment(python_words(f"{name}: {row_words(row)}"), self.indent)

    def _exit(self, row: Row, indent: int) -> list[Python]:
        error = row.last_error
        texts = {"none": Python("None"), "error": Python("last_error"), "text": python_text(error.text or "")}
        back = [Python.of("{} = {}", variable_of(meter.name), before(meter.name)) for meter in self._taken_back(row.at)]
        return [*back, *call(Python("return stop"), [python_text(row.outcome), texts[error.source]], indent)]


def _take_back(meter: Meter) -> Python:
    """The statement that takes the charge of a meter back."""
    return Python.of("{} = {}", variable_of(meter.name), before(meter.name))


def caught_by(when: Expr | None) -> frozenset[str]:
    """The types of decisions, `stop` and `other`, on which a condition at `decision` certainly holds."""
    if when is None or is_always(when):
        return frozenset({"stop", "other"})
    when = tidy(when)
    if isinstance(when, Logic) and when.operator == "or":
        return frozenset[str]().union(*map(caught_by, when.operands))
    if isinstance(when, Not) and isinstance(when.operand, Name) and when.operand.name == "call.named":
        return frozenset({"other"})
    if not isinstance(when, Compare) or not isinstance(when.left, Name) or not isinstance(when.right, Constant):
        return frozenset()
    if when.left.name != "decision.type" or when.operator not in ("==", "!="):
        return frozenset()
    return frozenset(type for type in ("stop", "other") if (type == when.right.value) == (when.operator == "=="))
