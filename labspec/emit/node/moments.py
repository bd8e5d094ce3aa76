"""The four moments of a turn as JavaScript statements: what the body of the generated loop is made of.

Each moment charges its meters (see `meters.py`), then asks its rows in the order of the table. A row that ends the
loop returns its reason; the template closes the trace and settles the run.
"""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from labspec.conditions import names_in
from labspec.conditions.syntax import Compare, Constant, Expr, Logic, Name
from labspec.conditions.tidy import tidy
from labspec.emit.charges import read_by
from labspec.emit.node.conditions import NameOf, branch
from labspec.emit.node.encode import JavaScript, javascript_text, javascript_words
from labspec.emit.node.layout import EMPTY, HARD, LINE, Comment, Doc, Group, Indent, block, lines, text
from labspec.emit.node.meters import charge, needed_meters, propose, without_end
from labspec.emit.node.names import before, following, name_of, variables_of
from labspec.emit.scope import is_always, is_never
from labspec.emit.wording import row_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labspec.conditions import Moment
    from labspec.lab.model import Lab, Meter, Row


class Moments:
    """The moments of one lab's loop. `statements` gives those of all moments that the loop reaches; the other members
    say what these statements need to stand before the loop.
    """

    def __init__(self, lab: Lab) -> None:
        """Look through the table and the meters of `lab`."""
        self.lab = lab
        self.can_end = lab.plan_ends == "end"
        self.rows = tuple(row for row in lab.table if not is_never(row.when))
        meters = needed_meters(lab, self.rows)
        self.meters = meters if self.can_end else tuple(map(without_end, meters))
        self.variables = variables_of(meter.name for meter in self.meters)

    @cached_property
    def read(self) -> frozenset[str]:
        """Every name that a row or a meter reads."""
        conditions = [row.when for row in self.rows if row.when is not None]
        return frozenset[str]().union(*map(names_in, conditions), *map(read_by, self.meters))

    @cached_property
    def last_error_told(self) -> bool:
        """True when some row leaves another last error than the code of the last failure, or none if it is done."""
        kinds = {reason.name: reason.kind for reason in self.lab.taxonomy}
        exits = [row for row in self.rows if row.verb == "exit"]
        return any(row.last_error.source != ("none" if kinds[row.outcome] == "done" else "error") for row in exits)

    @property
    def reads_files(self) -> bool:
        """True when some tool works on the files of a workspace."""
        return self.lab.workspace is not None

    @property
    def has_scripted(self) -> bool:
        """True when the steps carry the results of some tool."""
        return self.lab.workspace is None or any(tool.kind == "scripted" for tool in self.lab.tools)

    def counters(self) -> list[JavaScript]:
        """The statements before the loop that set the meters to zero."""
        return [JavaScript.of("let {} = 0;", self.variables[meter.name]) for meter in self.meters]

    def statements(self) -> list[Doc]:
        """The body of the loop, with an empty line between two moments."""
        moments = [self._turn()]
        moments += [] if self._ends("turn") else [self._decision()]
        moments += [] if self._ends("turn", "decision") else [self._call()]
        moments += [] if self._ends("turn", "decision", "call") else [self._result()]
        return [part for number, moment in enumerate(moments) for part in ([EMPTY] if number else []) + moment]

    # --- turn ---

    def _turn(self) -> list[Doc]:
        """The loop is about to ask the model."""
        statements: list[Doc] = [text("// turn: the loop is about to ask the model.")]
        if self._asks_if_ended:
            statements.append(text(f"const planEnded = {'model.ended === true' if self.can_end else 'false'};"))
        proposed, names = self._proposals("turn")
        statements += [*proposed, *self._exits("turn", names)]
        if self._ends("turn"):
            return statements
        return [
            *statements,
            *self._commit(self._meters_at("turn") if self._rows_at("turn") else []),
            text("const last = tracer.events.at(-1);"),
            JavaScript.of('tracer.push({{ type: "turn", turn: {} }});', self.variables["turns"]),
            JavaScript.of("const step = await model.decide({{ turn: {}, goal, last }});", self.variables["turns"]),
        ]

    @property
    def _asks_if_ended(self) -> bool:
        return "plan.ended" in self.read

    # --- decision ---

    def _decision(self) -> list[Doc]:
        """The model answered."""
        passes = not self._ends("decision")
        statements: list[Doc] = [text("// decision: the model answered.")]
        if passes or {"decision.type", "decision.reason", "call.named", "call.name"} & self.read:
            statements.append(text("const decision = decisionOf(step);"))
        for meter in self._meters_at("decision"):
            statements += charge(meter, self.variables[meter.name], self._names)
        statements += self._exits("decision", self._names)
        if passes and not self._only_calls_get_through:
            statements.append(block(text('if (decision.type !== "tool")'), [text("continue;")]))
        return statements

    @property
    def _only_calls_get_through(self) -> bool:
        """True when a row ends the loop on every decision that is not a call."""
        return any(_holds_unless_call(row.when) for row in self._rows_at("decision"))

    # --- call ---

    def _call(self) -> list[Doc]:
        """The loop is about to run the tool."""
        arguments = "decision.name, step, workspace" if self.reads_files else "decision.name"
        statements: list[Doc] = [text("// call: the loop is about to run the tool.")]
        statements.append(text(f"const call = lookAt({arguments});"))
        proposed, names = self._proposals("call")
        statements += self._kept() if not self._rows_at("call") else []
        statements += [*proposed, *(self._refusals(names) if self._refuses else self._exits("call", names))]
        if self._ends("call"):
            return statements
        return (
            [*statements, *self._kept(), *self._counted()] if self._rows_at("call") else [*statements, *self._shown()]
        )

    @property
    def _refuses(self) -> bool:
        return any(row.verb == "refuse" for row in self._rows_at("call"))

    @property
    def _some_uncounted(self) -> bool:
        return any(row.verb == "refuse" and not row.counted for row in self._rows_at("call"))

    def _refusals(self, names: NameOf) -> list[Doc]:
        """The rows at `call` as one chain: the first that holds stops the loop or refuses the call."""
        flags: list[Doc] = [text('let refusal = "";')]
        flags += [text("let counted = true;")] if self._some_uncounted else []
        return [*flags, *self._chain(names)]

    def _chain(self, names: NameOf) -> list[Doc]:
        """One `if`, `else if`, `else` over the rows, up to the first that always holds."""
        chain: list[Doc] = []
        for row in self._rows_at("call"):
            body = [_row_comment(row), *self._act(row)]
            link = [text(" else ")] if chain else []
            if row.when is None or is_always(row.when):
                return [(*chain, block(text(" else"), body))] if chain else body
            chain += [*link, block(branch(row.when, names), body)]
        return [tuple(chain)]

    def _act(self, row: Row) -> list[Doc]:
        if row.verb == "exit":
            return self._exit(row)
        uncounted = [] if row.counted else [text("counted = false;")]
        return [JavaScript.of("refusal = {};", javascript_text(row.outcome)), *uncounted]

    def _kept(self) -> list[Doc]:
        """What the meters were that a failed act gives back."""
        refundable = [meter for meter in self._meters_at("call") if _is_refundable(meter)]
        variables = [self.variables[meter.name] for meter in refundable]
        return [JavaScript.of("const {} = {};", before(variable), variable) for variable in variables]

    def _counted(self) -> list[Doc]:
        """The charges of a call that is counted, and those of one that is not refused as well."""
        meters = self._meters_at("call")
        call = [*self._commit([meter for meter in meters if meter.name == "tool_calls"]), *self._shown()]
        rest = self._commit([meter for meter in meters if meter.name != "tool_calls"])
        statements = [block(text("if (counted)"), call)] if self._some_uncounted else call
        return [*statements, *([block(text("if (!refusal)"), rest)] if self._refuses and rest else rest)]

    def _shown(self) -> list[Doc]:
        """The event of a call that is counted."""
        arguments = "args: step.args ?? null,"
        if self.has_scripted:
            arguments = "...(call.scripted ? {} : { args: step.args ?? null }),"
        turn = JavaScript.of("turn: {},", self.variables["turns"])
        body = [text('type: "tool",'), turn, text("name: call.name,"), text(arguments)]
        return [(text("tracer.push({"), Indent((HARD, lines(body))), HARD, text("});"))]

    # --- result ---

    def _result(self) -> list[Doc]:
        """The tool answered, or the call was refused."""
        call = text(f"await callTool(call, step{', workspace' if self.reads_files else ''})")
        statements: list[Doc] = [text("// result: the tool answered, or the call failed.")]
        if self._refuses:
            otherwise = (LINE, text("? failure(refusal)"), LINE, text(": "), call)
            statements.append(Group((text("const result = refusal"), Indent(otherwise), text(";"))))
        else:
            statements.append((text("const result = "), call, text(";")))
        statements.append(JavaScript.of("tracer.push(resultEvent({}, call, result));", self.variables["turns"]))
        if self.last_error_told:
            statements.append(block(text("if (!result.ok)"), [text("lastError = result.error;")]))
        statements += self._refunds()
        for meter in self._meters_at("result"):
            statements += charge(meter, self.variables[meter.name], self._names)
        return [*statements, *self._exits("result", self._names)]

    def _refunds(self) -> list[Doc]:
        statements: list[Doc] = []
        for meter in self._meters_at("call"):
            if meter.refund_when is not None and _is_refundable(meter):
                variable = self.variables[meter.name]
                back = JavaScript.of("{} = {};", variable, before(variable))
                statements.append(block(branch(meter.refund_when, self._names), [back]))
        return statements

    # --- shared ---

    def _names(self, name: str) -> JavaScript:
        return name_of(name, self.variables)

    def _rows_at(self, moment: Moment) -> list[Row]:
        return [row for row in self.rows if row.at == moment]

    def _meters_at(self, moment: Moment) -> list[Meter]:
        return [meter for meter in self.meters if meter.at == moment]

    def _ends(self, *moments: Moment) -> bool:
        """True when the loop never gets past one of these moments, because a row without a condition stops it."""
        return any(self._stops(moment) for moment in moments)

    def _stops(self, moment: Moment) -> bool:
        rows = takewhile(lambda row: row.verb == "exit", self._rows_at(moment))
        return any(is_always(row.when) for row in rows)

    def _proposals(self, moment: Moment) -> tuple[list[Doc], NameOf]:
        """The charges of a moment whose act may not happen, and the names that its rows see."""
        statements: list[Doc] = []
        variables = dict(self.variables)
        for meter in self._meters_at(moment):
            names = _names_in(dict(variables))
            variable = self.variables[meter.name]
            if self._rows_at(moment):
                statements += propose(meter, variable, following(variable), names)
                variables[meter.name] = following(variable)
            else:
                statements += charge(meter, variable, names)
        return statements, _names_in(variables)

    def _commit(self, meters: list[Meter]) -> list[Doc]:
        """The act happens: its charges count."""
        variables = [self.variables[meter.name] for meter in meters]
        return [JavaScript.of("{} = {};", variable, following(variable)) for variable in variables]

    def _exits(self, moment: Moment, names: NameOf) -> list[Doc]:
        """Rows that stop the loop, one after the other."""
        statements: list[Doc] = []
        for row in self._rows_at(moment):
            statements.append(_row_comment(row))
            if row.when is None or is_always(row.when):
                return [*statements, *self._exit(row)]
            statements.append(block(branch(row.when, names), self._exit(row)))
        return statements

    def _exit(self, row: Row) -> list[Doc]:
        returned = JavaScript.of("return {};", javascript_text(row.outcome))
        if not self.last_error_told or row.last_error.source == "error":
            return [returned]
        error = text("null") if row.last_error.source == "none" else javascript_text(row.last_error.text or "")
        return [JavaScript.of("lastError = {};", error), returned]


def _names_in(variables: Mapping[str, JavaScript]) -> NameOf:
    return lambda name: name_of(name, variables)


def _row_comment(row: Row) -> Doc:
    plain = row.id == row.outcome.replace(":", "_")
    name = f"Row {row.number}" if plain else f"Row {row.number}, {row.id}"
    return Comment(tuple(javascript_words(f"{name}: {row_words(row)}")))


def _is_refundable(meter: Meter) -> bool:
    return meter.refund_when is not None and not is_never(meter.refund_when)


def _holds_unless_call(when: Expr | None) -> bool:
    if when is None or is_always(when):
        return True
    when = tidy(when)
    if isinstance(when, Logic) and when.operator == "or":
        return any(map(_holds_unless_call, when.operands))
    if not isinstance(when, Compare) or when.operator != "!=":
        return False
    return isinstance(when.left, Name) and when.left.name == "decision.type" and _is_tool(when.right)


def _is_tool(expr: Expr) -> bool:
    return isinstance(expr, Constant) and expr.value == "tool"
