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
from labspec.emit.encode import Python, python_text, python_words
from labspec.emit.layout import block, branch_line, call, comment, indented, statement
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

INDENT = 8
"""How far in the body of the generated `while` stands, in columns."""

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
        self.meters = _needed_meters(lab.meters, self.rows)

    @cached_property
    def read(self) -> frozenset[str]:
        """Every name that a row or a needed meter reads."""
        conditions = [row.when for row in self.rows if row.when is not None]
        return frozenset().union(*map(names_in, conditions), *map(_read_by, self.meters))

    @property
    def last_error_kept(self) -> bool:
        """True when some row writes the code of the last failure into its record."""
        return any(row.verb == "exit" and row.last_error.source == "error" for row in self.rows)

    @property
    def result_used(self) -> bool:
        """True when anything depends on what a tool answers."""
        return self.last_error_kept or any(name.startswith("result.") for name in self.read)

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
            lines.append(Python("plan_ended = turns == len(plan)" if self._can_end else "plan_ended = False"))
        scope = self._scope()
        for meter in self._meters_at("turn"):
            if meter.name != "turns":
                lines += _charge(meter, scope)
            elif rows:
                lines.append(Python(f"next_turns = {'turns if plan_ended else ' if self._can_end else ''}turns + 1"))
                scope = scope.having("turns", Python("next_turns"))
        lines += self._exits(rows, scope)
        if not self._ends("turn"):
            end = "" if self._can_end else " if turns < len(plan) else SCRIPT_EXHAUSTED"
            lines += [Python(f"step = plan[turns]{end}"), Python("turns = next_turns" if rows else "turns += 1")]
        return block(indented(lines, INDENT))

    @property
    def _can_end(self) -> bool:
        return self.lab.plan_ends == "end"

    @property
    def _asks_if_ended(self) -> bool:
        """True when the plan can end under a row at `turn`, or something asks for it although it can't."""
        asked = any("plan.ended" in _read_by(meter) for meter in self.meters if meter.name != "turns")
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
        return block([Python(""), *indented(lines, INDENT)])

    @cached_property
    def only_calls_get_through(self) -> bool:
        """True when a row ends the loop on every decision that is not a call."""
        return any(_holds_unless_call(row.when) for row in self._rows_at("decision"))

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
            if self._is_given_back(meter):
                lines.append(Python.of("{} = {}", before(meter.name), variable_of(meter.name)))
            lines += _charge(meter, scope)
        lines += self._refusals_and_exits(rows, scope)
        return block([Python(""), *indented(lines, INDENT)])

    def _call_facts(self) -> list[Python]:
        known = [Python("known = name in TOOLS")] if "call.known" in self.read else []
        files = [(fact, text) for fact, text in _SCRIPTED_CALL.items() if fact in self.read]
        return known + [Python.of("{} = {}", Python(FACTS_IN_PYTHON[fact]), Python(text)) for fact, text in files]

    def _is_given_back(self, meter: Meter) -> bool:
        return meter.refund_when is not None or self.refuses

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
        append = Python("tool_names.append(name)")
        return (
            [*lines, Python("if counted:"), Python.of("    {}", append)] if self._some_uncounted else [*lines, append]
        )

    def _chain(self, rows: list[Row], scope: Scope) -> list[Python]:
        """One `if`, `elif`, `else` over the rows, up to the first that always holds."""
        lines: list[Python] = []
        for row in rows:
            body = [*_row_comment(row), *self._act(row)]
            if row.when is None or is_always(row.when):
                return [*lines, Python("else:"), *indented(body, 4)] if lines else body
            lines += [*branch_line("elif" if lines else "if", scope.python(row.when), INDENT), *indented(body, 4)]
        return lines

    def _act(self, row: Row) -> list[Python]:
        if row.verb == "exit":
            return _exit(row, INDENT + 4)
        uncounted = [] if row.counted else [Python("counted = False")]
        return [Python.of("refusal = {}", python_text(row.outcome)), *uncounted]

    def _give_back(self) -> list[Python]:
        """The statements that take the charges of a refused call back."""
        meters = [meter for meter in self._meters_at("call") if meter.name != "tool_calls"]
        lines = [Python.of("    {} = {}", variable_of(meter.name), before(meter.name)) for meter in meters]
        return [Python("if refusal:"), *lines] if lines else []

    # --- result ---

    def result(self) -> Python:
        """The tool answered, or the call was refused."""
        if self._ends("turn") or self._ends("decision") or self._ends("call"):
            return Python("")
        lines = [Python("# result: the tool answered.")]
        if self.refuses:
            choice = Python("    ToolResult(ok=False, error=refusal) if refusal else call_tool(name, step)")
            lines += [Python("result = ("), choice, Python(")")]
        else:
            lines.append(Python("result = call_tool(name, step)" if self.result_used else "call_tool(name, step)"))
        lines += self._refunds()
        lines += self._failure()
        lines += self._exits(self._rows_at("result"), self._scope())
        return block([Python(""), *indented(lines, INDENT)])

    def _refunds(self) -> list[Python]:
        lines: list[Python] = []
        for meter in self._meters_at("call"):
            if meter.refund_when is not None and not is_never(meter.refund_when):
                name = variable_of(meter.name)
                lines += branch_line("if", self._scope().python(meter.refund_when), INDENT)
                lines.append(Python.of("    {} = {}", name, before(meter.name)))
        return lines

    def _failure(self) -> list[Python]:
        """What a failed result changes: the last error, and the meters that count exactly the failures."""
        meters = self._meters_at("result")
        kept = [Python("last_error = result.error")] if self.last_error_kept else []
        counting = []
        while meters and _counts_failures(meters[0]) and meters[0].resets_when is None:
            counting += _add(meters[0], self._scope(), variable_of(meters[0].name))
            meters = meters[1:]
        inside = [*kept, *counting]
        lines = [Python("if not result.ok:"), *indented(inside, 4)] if inside else []
        for meter in meters:
            lines += _charge(meter, self._scope())
        return lines

    # --- shared ---

    def _scope(self) -> Scope:
        expressions = {meter.name: variable_of(meter.name) for meter in self.meters}
        expressions["tool_calls"] = Python("len(tool_names)")
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
        return [line for meter in self._meters_at(moment) for line in _charge(meter, self._scope())]

    def _exits(self, rows: list[Row], scope: Scope) -> list[Python]:
        """Rows that stop the loop, one after the other."""
        lines: list[Python] = []
        for row in rows:
            lines += _row_comment(row)
            if row.when is None or is_always(row.when):
                return [*lines, *_exit(row, INDENT)]
            lines += branch_line("if", scope.python(row.when), INDENT)
            lines += indented(_exit(row, INDENT + 4), 4)
        return lines


def _row_comment(row: Row) -> list[Python]:
    plain = row.id == row.outcome.replace(":", "_")
    name = f"Row {row.number}" if plain else f"Row {row.number}, {row.id}"
    return comment(python_words(f"{name}: {row_words(row)}"), INDENT)


def _exit(row: Row, indent: int) -> list[Python]:
    error = row.last_error
    text = {"none": Python("None"), "error": Python("last_error"), "text": python_text(error.text or "")}[error.source]
    return call(Python("return stop"), [python_text(row.outcome), text], indent)


def _charge(meter: Meter, scope: Scope) -> list[Python]:
    """Statements that set a meter back and charge it."""
    variable = variable_of(meter.name)
    lines: list[Python] = []
    if meter.resets_when is not None and not is_never(meter.resets_when):
        lines += [*branch_line("if", scope.python(meter.resets_when), INDENT), Python.of("    {} = 0", variable)]
    if is_never(meter.when):
        return lines
    if meter.when is None or is_always(meter.when):
        return [*lines, *_add(meter, scope, variable)]
    return [*lines, *branch_line("if", scope.python(meter.when), INDENT), *indented(_add(meter, scope, variable), 4)]


def _add(meter: Meter, scope: Scope, variable: Python) -> list[Python]:
    return [statement(Python.of("{} += {}", variable, scope.python(meter.add)), INDENT + 4)]


def _counts_failures(meter: Meter) -> bool:
    when = None if meter.when is None else tidy(meter.when)
    return isinstance(when, Not) and isinstance(when.operand, Name) and when.operand.name == "result.ok"


def _holds_unless_call(when: Expr | None) -> bool:
    if when is None or is_always(when):
        return True
    when = tidy(when)
    if isinstance(when, Logic) and when.operator == "or":
        return any(map(_holds_unless_call, when.operands))
    if not isinstance(when, Compare) or when.operator != "!=":
        return False
    sides = (when.left, when.right)
    return isinstance(sides[0], Name) and sides[0].name == "decision.type" and _is_tool(sides[1])


def _is_tool(expr: Expr) -> bool:
    return isinstance(expr, Constant) and expr.value == "tool"


def _parts(meter: Meter) -> list[Expr]:
    parts = (meter.add, meter.when, meter.resets_when, meter.refund_when)
    return [part for part in parts if part is not None]


def _read_by(meter: Meter) -> frozenset[str]:
    return frozenset[str]().union(*map(names_in, _parts(meter)))


def _needed_meters(meters: tuple[Meter, ...], rows: tuple[Row, ...]) -> tuple[Meter, ...]:
    """`turns`, which every record holds, and the meters that rows read, directly or through other meters."""
    needed = {"turns"}.union(*(names_in(row.when) for row in rows if row.when is not None))
    while True:
        more = needed.union(*(_read_by(meter) for meter in meters if meter.name in needed))
        if more == needed:
            return tuple(meter for meter in meters if meter.name in needed)
        needed = more
