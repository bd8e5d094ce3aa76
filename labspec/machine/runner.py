"""The reference runner: interprets a machine, and leaves a ledger line and a trace.

One module of the standard library only, in three uses: in process (`run`), behind `labspec run`, and as a lone script
beside a `machine.json`:

    python runner.py run FIXTURE --ledger LEDGER --run-id ID [--trace TRACE] [--workspace FOLDER]
    python runner.py report TRACE

A machine is plain JSON data: budgets, meters, tools, reasons and the rows of the decision table. `Machine` compiles it
once; `Loop` holds the four moments of a turn and touches nothing outside itself, so that the explorer can walk its
states; `run` drives a loop through a fixture; `Recorder` writes what came of it.
"""

from __future__ import annotations

import contextlib
import json
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import argparse

Facts = dict[str, Any]
Condition = Callable[[Mapping[str, Any]], Any]

RUNAWAY_TURNS = 10_000
"""How many turns a loop may take after its plan has ended before it counts as never ending."""

EXIT_USAGE = 64
EXIT_CRASH = 70
"""Exit codes of the command line that no reason uses (named after sysexits.h)."""


class MachineError(Exception):
    """The machine or the fixture makes no sense, or no row ever ends the loop."""


# --- conditions ---
#
# Compiled once and asked at every turn of a run and at every state the explorer visits: operators are looked up while
# compiling, and the shapes that nearly every row has (`failures > budgets.retries`) get a closure without inner calls.

MAX_DEPTH = 64
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
}


def compile_expression(data: object, depth: int = 0) -> Condition:
    """The condition `data` (nested lists such as `["==", ["name", "failures"], ["value", 0]]`) as a function.

    The function takes the facts by name (`result.ok`, `failures`, `budgets.retries`) and returns what the condition
    says; a name that is missing there is a KeyError. Raises ValueError with a sentence if `data` is malformed.
    """
    if not isinstance(data, list) or not data or not isinstance(data[0], str):
        raise ValueError(f"an expression is a list that begins with an operator, not {_shown(data)}")
    if depth > MAX_DEPTH:
        raise ValueError("an expression is nested too deeply")
    kind, *arguments = data
    if kind == "name":
        return operator.itemgetter(_name(arguments))
    if kind == "value":
        return _always(_value(arguments))
    if kind in ("in", "not in"):
        return _compile_membership(kind, arguments, depth)
    return _compile_operation(kind, arguments, [compile_expression(argument, depth + 1) for argument in arguments])


def _always(value: object) -> Condition:
    return lambda _: value


def _compile_membership(kind: str, arguments: list[Any], depth: int) -> Condition:
    if len(arguments) != 2 or not isinstance(arguments[1], list):
        raise ValueError(f"`{kind}` takes a value and a list of options, not {_shown(arguments)}")
    value = compile_expression(arguments[0], depth + 1)
    options = frozenset(_value([option]) for option in arguments[1])
    if kind == "in":
        return lambda facts: value(facts) in options
    return lambda facts: value(facts) not in options


def _compile_operation(kind: str, arguments: list[Any], operands: list[Condition]) -> Condition:
    if kind in ("and", "or") and len(operands) >= 2:
        return _until(kind == "or", operands)
    if kind == "not" and len(operands) == 1:
        (operand,) = operands
        return lambda facts: not operand(facts)
    if kind in _BINARY and len(operands) == 2:
        return _applied(_BINARY[kind], arguments, operands)
    raise ValueError(f"an expression has no operator {_shown(kind)} with {len(operands)} operands")


def _until(decisive: bool, operands: list[Condition]) -> Condition:
    """Asks from the left until an operand is `decisive`: true for `or`, false for `and`."""
    if len(operands) == 2:
        first, second = operands
        if decisive:
            return lambda facts: first(facts) or second(facts)
        return lambda facts: first(facts) and second(facts)

    def decide(facts: Mapping[str, Any]) -> bool:
        for operand in operands:
            if bool(operand(facts)) == decisive:
                return decisive
        return not decisive

    return decide


def _applied(apply: Callable[[Any, Any], Any], arguments: list[Any], operands: list[Condition]) -> Condition:
    """`apply` to both operands; names and values are read in place instead of through their closures."""
    (left_kind, left), (right_kind, right) = (argument[:2] for argument in arguments)
    if left_kind == "name" and right_kind == "name":
        return lambda facts: apply(facts[left], facts[right])
    if left_kind == "name" and right_kind == "value":
        return lambda facts: apply(facts[left], right)
    first, second = operands
    return lambda facts: apply(first(facts), second(facts))


def _name(arguments: list[Any]) -> str:
    if len(arguments) == 1 and isinstance(arguments[0], str) and arguments[0]:
        return arguments[0]
    raise ValueError(f"`name` takes the name of a fact, not {_shown(arguments)}")


def _value(arguments: list[Any]) -> int | str | bool:
    if len(arguments) == 1 and isinstance(arguments[0], (int, str)):
        return arguments[0]
    raise ValueError(f"a value is a whole number, a text, true or false, not {_shown(arguments)}")


def _shown(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:60]}..."


# --- the machine ---


class Row(NamedTuple):
    """A compiled row of the decision table."""

    id: str
    verb: str
    outcome: str
    at: str
    when: Condition
    error_from: str
    error_text: str | None
    counted: bool


class Meter(NamedTuple):
    """A compiled meter: how much is charged, when it is charged, set back to zero, and refunded."""

    name: str
    at: str
    add: Condition
    when: Condition | None
    resets_when: Condition | None
    refund_when: Condition | None


class Call(NamedTuple):
    """What can be seen of a call before it runs. `size` is in bytes; `problem` is a code if nothing can execute it."""

    path: str = ""
    inside: bool = True
    size: int = 0
    lines: int = 0
    problem: str = ""


PLAIN = Call()
"""A call of a tool that takes no path and writes nothing."""


class Result(NamedTuple):
    """What a call came to. `error` is the code of a failure and empty when `ok`; `text` is what the trace shows."""

    ok: bool
    error: str = ""
    final: bool = False
    text: str = ""


class Machine:
    """A machine ready to run. Reads the plain data once; never changes afterwards."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Compile `data`, the content of a machine.json. Raises MachineError if it is not a machine."""
        try:
            self.data = data
            self.plan_stops: bool = data["plan_ends"] == "stop"
            self.tools: dict[str, Mapping[str, Any]] = dict(data["tools"])
            self.kinds: dict[str, str] = {name: tool["kind"] for name, tool in self.tools.items()}
            self.workspace: Mapping[str, Any] | None = data.get("workspace")
            self.budgets: dict[str, int] = dict(data["budgets"])
            self.measures: dict[str, list[str]] = dict(data["measures"])
            self.reasons: dict[str, Mapping[str, Any]] = dict(data["reasons"])
            self.error_max_chars: int | None = data["errors"]["max_chars"]
            self.error_otherwise: str = data["errors"]["otherwise"]
            self.meters = tuple(_meter(name, meter) for name, meter in data["meters"].items())
            self.rows = tuple(_row(row) for row in data["rows"])
            self.recorder = Recorder(**data["recorder"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise MachineError(f"this is not a machine: {error!r}") from error
        self.rows_at = {at: tuple(row for row in self.rows if row.at == at) for at in MOMENTS}
        self.charges_at = {
            at: tuple((one.name, one.add, one.when, one.resets_when) for one in self.meters if one.at == at)
            for at in MOMENTS
        }
        self.refunds = tuple((one.name, one.refund_when) for one in self.meters if one.at == "call" and one.refund_when)

    def code_of(self, error: object) -> str:
        """The code of a failure: the text itself if it may stand in a record, otherwise the machine's own code."""
        if not isinstance(error, str) or not error.strip():
            return self.error_otherwise
        if self.error_max_chars is None:
            return error
        fits = error.isprintable() and len(error) <= self.error_max_chars
        return error if fits else self.error_otherwise


MOMENTS = ("turn", "decision", "call", "result")


def _condition(data: Any) -> Condition | None:
    return None if data is None else compile_expression(data)


def _meter(name: str, data: Mapping[str, Any]) -> Meter:
    return Meter(
        name=name,
        at=data["at"],
        add=compile_expression(data["add"]),
        when=_condition(data["when"]),
        resets_when=_condition(data["resets_when"]),
        refund_when=_condition(data["refund_when"]),
    )


def _row(data: Mapping[str, Any]) -> Row:
    return Row(
        id=data["id"],
        verb=data["verb"],
        outcome=data["outcome"],
        at=data["at"],
        when=_always(True) if data["when"] is None else compile_expression(data["when"]),
        error_from=data["last_error"]["from"],
        error_text=data["last_error"].get("text"),
        counted=data["counted"],
    )


# --- the loop ---


class Loop:
    """The state of one run and the four moments of a turn, in order: `turn`, `decision`, `call`, `result`.

    Each moment charges its meters, asks its rows in the order of the table, and returns the first that holds. An exit
    at `turn` or `call` takes the charges of that moment back: the act did not happen. A refused call keeps only its
    `tool_calls` charge, and not even that if the row is not counted.
    """

    def __init__(self, machine: Machine, budgets: Mapping[str, int] | None = None) -> None:
        """Start a run of `machine`; `budgets` replaces some of its limits."""
        self.machine = machine
        self.limits = {**machine.budgets, **(budgets or {})}
        self.facts: Facts = dict.fromkeys((meter.name for meter in machine.meters), 0)
        self.facts.update({f"budgets.{name}": limit for name, limit in self.limits.items()})
        self.tool_names: list[str] = []
        self.last_error: str | None = None
        self._charged: dict[str, int] = {}

    def turn(self, plan_ended: bool) -> Row | None:
        """The loop is about to ask the model."""
        self.facts["plan.ended"] = plan_ended
        before = self._charge("turn")
        row = self._first("turn")
        if row is not None:
            self.facts.update(before)
        return row

    def decision(self, type: str, reason: str = "", name: object = None) -> Row | None:
        """The model answered with a decision of `type` tool, stop or other."""
        named = type == "stop" or (isinstance(name, str) and bool(name.strip()))
        self.facts["decision.type"] = type
        self.facts["decision.reason"] = reason
        self.facts["call.named"] = named
        self.facts["call.name"] = name if named and isinstance(name, str) else ""
        self._charge("decision")
        return self._first("decision")

    def call(self, call: Call) -> Row | None:
        """The loop is about to run the tool."""
        facts = self.facts
        facts["call.known"] = call.problem != UNKNOWN_TOOL
        facts["call.path"] = call.path
        facts["call.inside"] = call.inside
        facts["call.bytes"] = call.size
        facts["call.lines"] = call.lines
        before = self._charge("call")
        row = self._first("call")
        counted = True
        if row is not None:
            counted = row.verb == "refuse" and row.counted
            kept = {"tool_calls": facts["tool_calls"]} if counted else {}
            facts.update({**before, **kept})
        self._charged = {name: facts[name] - value for name, value in before.items()}
        if counted:
            self.tool_names.append(facts["call.name"])
        return row

    def result(self, result: Result) -> Row | None:
        """The tool answered, or the call was refused or could not run."""
        facts = self.facts
        facts["result.ok"] = result.ok
        facts["result.error"] = result.error
        facts["result.final"] = result.final
        if not result.ok:
            self.last_error = result.error
        for name, refund_when in self.machine.refunds:
            if refund_when(facts):
                facts[name] -= self._charged[name]
        self._charge("result")
        return self._first("result")

    def used(self) -> dict[str, int]:
        """How much of each budget was used. What crossed a limit was not granted, so it is not use."""
        return {
            name: min(limit, max((self.facts[meter] for meter in self.machine.measures.get(name, ())), default=0))
            for name, limit in self.limits.items()
        }

    def _charge(self, at: str) -> dict[str, int]:
        """Charge the meters of a moment, and return what they stood at before."""
        facts = self.facts
        before = {}
        for name, add, when, resets_when in self.machine.charges_at[at]:
            before[name] = facts[name]
            if resets_when is not None and resets_when(facts):
                facts[name] = 0
            if when is None or when(facts):
                facts[name] += add(facts)
        return before

    def _first(self, at: str) -> Row | None:
        facts = self.facts
        for row in self.machine.rows_at[at]:
            if row.when(facts):
                return row
        return None


# --- a run ---


class Ending(NamedTuple):
    """How a run ended: the record, the exit code, and the row that decided it, with its moment and turn."""

    reason: str
    turns: int
    tool_names: tuple[str, ...]
    last_error: str | None
    stopped_on_turn: int
    exit_code: int
    row: str
    at: str
    turn: int
    meters: dict[str, int]
    limits: dict[str, int]
    used: dict[str, int]

    def seen(self) -> tuple[object, ...]:
        """What a ledger line and the exit code show of the ending."""
        return self[: Ending._fields.index("row")]


class Trace:
    """The events of one run, numbered by `seq`."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def push(self, type: str, **fields: Any) -> None:
        """Add an event."""
        self.events.append({"seq": len(self.events) + 1, "type": type, **fields})

    def close(self, loop: Loop, type: str, reason: str) -> None:
        """Add the closing event, with the limits the run was under and what it used of them."""
        self.push(type, turn=loop.facts["turns"], reason=reason, budgets=loop.limits, used=loop.used())


def run(
    machine: Machine,
    fixture: Mapping[str, Any],
    run_id: str,
    ledger: Path | None = None,
    trace: Path | None = None,
    tools: Tools | None = None,
    loop: Loop | None = None,
) -> Ending:
    """Run `fixture` and record it as `run_id`: a line in `ledger`, the events in `trace`, where they are given.

    `tools` are those that the plan calls; by default the scripted ones, whose results the steps carry. `loop` is a new
    loop for this run, if it is to be watched. Raises MachineError if the fixture is malformed or no row ever ends the
    loop, and OSError if a record can't be written. A run that raises leaves no ledger line, and a trace that is closed
    with an error event.
    """
    fixture_id, steps, budgets = read_fixture(machine, fixture)
    loop = loop or Loop(machine, budgets)
    events = None if trace is None else Trace()
    try:
        ending = ending_of(loop, drive(loop, steps, events, tools))
    except Exception:
        if trace is not None and events is not None:
            events.close(loop, "error", CRASH)
            write_trace(trace, events.events)
        raise
    if trace is not None and events is not None:
        events.close(loop, CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]], ending.reason)
        machine.recorder.write_trace(machine, ending, events, trace)
    if ledger is not None:
        machine.recorder.write_lines(machine, ending, run_id, fixture_id, ledger)
    return ending


CRASH = "crash"
"""The reason of a trace whose run did not come to an exit of the taxonomy."""


CLOSING_EVENTS = {"done": "stop", "budget": "budget", "error": "error"}


def read_fixture(machine: Machine, fixture: Any) -> tuple[str, list[Any], dict[str, int]]:
    """The id, the steps and the budgets of a fixture as data. Raises MachineError if it is not a fixture."""
    if not isinstance(fixture, Mapping):
        raise MachineError("a fixture is a mapping")
    fixture_id, steps, budgets = fixture.get("id"), fixture.get("planned_calls"), fixture.get("budgets", {})
    if not isinstance(fixture_id, str) or not isinstance(steps, list) or not isinstance(budgets, dict):
        raise MachineError("a fixture has a text `id`, a list `planned_calls` and, if any, a mapping `budgets`")
    for name, limit in budgets.items():
        if name not in machine.budgets:
            raise MachineError(f"the fixture sets a budget {name!r} that the machine does not have")
        if type(limit) is not int or limit < 0:
            raise MachineError(f"the budget {name!r} of the fixture is not a whole number of at least 0")
    return fixture_id, steps, budgets


def drive(loop: Loop, steps: Iterable[Any], trace: Trace | None = None, tools: Tools | None = None) -> Row:
    """Take turn after turn until a row ends the loop, and return that row.

    Whether the plan has ended is asked before a turn begins, so the next step is taken from `steps` one moment early.
    Raises MachineError if the plan has ended and no row ever ends the loop.
    """
    tools = tools or Tools(loop.machine)
    plan = iter(steps)
    beyond = 0
    while True:
        step = next(plan, _ENDED)
        ended = step is _ENDED
        row = loop.turn(plan_ended=ended and not loop.machine.plan_stops)
        if row is not None:
            return row
        if ended:
            beyond += 1
            step = SCRIPT_EXHAUSTED
            if not loop.machine.plan_stops or beyond > RUNAWAY_TURNS:
                raise MachineError("the plan has ended and no row ends the loop")
        if trace is not None:
            trace.push("turn", turn=loop.facts["turns"])
        row = take(loop, step, tools, trace)
        if row is not None:
            return row


_ENDED = object()
SCRIPT_EXHAUSTED = {"type": "stop", "reason": "script_exhausted"}


def take(
    loop: Loop, step: Any, tools: Tools, trace: Trace | None = None, fired: Callable[[Row], None] | None = None
) -> Row | None:
    """Take one decision of the model through `decision`, `call` and `result`; returns the exit row that fired, if any.

    A refuse row that fires is told to `fired`.
    """
    if step.__class__ is not dict and not isinstance(step, Mapping):
        step = {"type": "other"}
    type = step.get("type", "tool")
    type = type if type in ("tool", "stop") else "other"
    reason = step.get("reason")
    name = step.get("name") if type == "tool" else None
    row = loop.decision(type, reason if isinstance(reason, str) else "", name)
    if row is not None or type != "tool":
        return row
    name = loop.facts["call.name"]
    call = tools.look(name, step)
    row = loop.call(call)
    if row is not None and row.verb == "exit":
        return row
    if trace is not None and (row is None or row.counted):
        arguments = {} if tools.is_scripted(name) else {"args": step.get("args")}
        trace.push("tool", turn=loop.facts["turns"], name=name, **arguments)
    if row is not None:
        if fired is not None:
            fired(row)
        result = Result(ok=False, error=row.outcome)
    elif call.problem:
        result = Result(ok=False, error=call.problem)
    else:
        result = tools.run(name, step)
    if trace is not None:
        _trace_result(loop, tools, result, trace)
    return loop.result(result)


def _trace_result(loop: Loop, tools: Tools, result: Result, trace: Trace) -> None:
    turn, name = loop.facts["turns"], loop.facts["call.name"]
    if not result.ok:
        trace.push("tool_error", turn=turn, name=name, error=result.error)
    elif tools.is_scripted(name):
        trace.push("tool_result", turn=turn, name=name, final=result.final)
    else:
        trace.push("tool_result", turn=turn, name=name, result=result.text[:TRACED_CHARS])


TRACED_CHARS = 200
"""How much of a result a trace shows, in code points."""


def ending_of(loop: Loop, row: Row) -> Ending:
    """How a run ended that `row` has ended."""
    turns = loop.facts["turns"]
    last_error = {"none": None, "error": loop.last_error, "text": row.error_text}[row.error_from]
    return Ending(
        reason=row.outcome,
        turns=turns,
        tool_names=tuple(loop.tool_names),
        last_error=last_error,
        stopped_on_turn=turns,
        exit_code=loop.machine.reasons[row.outcome]["exit_code"],
        row=row.id,
        at=row.at,
        turn=turns + 1 if row.at == "turn" else turns,
        meters={meter.name: loop.facts[meter.name] for meter in loop.machine.meters},
        limits=loop.limits,
        used=loop.used(),
    )


# --- the tools ---

UNKNOWN_TOOL = "unknown_tool"
BAD_ARGUMENTS = "bad_arguments"
NOT_READABLE = "not_readable"
NOT_WRITABLE = "not_writable"
"""Codes of failures that do not depend on the table."""


UNKNOWN = Call(problem=UNKNOWN_TOOL)
"""A call of a tool that the machine does not have."""


class Tools:
    """The tools of a machine. Here are the scripted ones, whose results the steps carry; subclasses add real ones."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def is_scripted(self, name: str) -> bool:
        """Whether the steps carry the results of the tool."""
        return self.machine.kinds.get(name) == "scripted"

    def look(self, name: str, step: Mapping[str, Any]) -> Call:
        """What can be seen of a call before it runs."""
        kind = self.machine.kinds.get(name)
        if kind is None:
            return UNKNOWN
        return self._look_at_builtin(name, step.get("args")) if kind == "builtin" else PLAIN

    def run(self, name: str, step: Mapping[str, Any]) -> Result:  # noqa: ARG002  # subclasses run tools by name
        """Run a call that has no problem."""
        ok = step.get("ok") is True
        return Result(ok, "" if ok else self.machine.code_of(step.get("error")), step.get("final") is True)

    def is_inside(self, path: str) -> bool:  # noqa: ARG002  # subclasses look at it
        """Whether a path lies in an allowed root. Without a workspace there is nothing outside."""
        return True

    def _look_at_builtin(self, name: str, arguments: Any) -> Call:
        path = arguments.get("file") if isinstance(arguments, Mapping) else None
        contents = arguments.get("contents") if isinstance(arguments, Mapping) else None
        if not isinstance(path, str) or not path or "\0" in path or not _is_unicode(path):
            return Call(problem=BAD_ARGUMENTS)
        if name != "write_file":
            return Call(path, self.is_inside(path))
        if not isinstance(contents, str) or not _is_unicode(contents):
            return Call(problem=BAD_ARGUMENTS)
        lines = contents.count("\n") + (contents != "" and not contents.endswith("\n"))
        return Call(path, self.is_inside(path), len(contents.encode("utf-8")), lines)


def _is_unicode(text: str) -> bool:
    """Whether a text can be encoded: JSON can hold halves of surrogate pairs, which no file can."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


class WorkspaceTools(Tools):
    """Tools that really run, in the folder `root`.

    A path is inside when its real path lies in the real path of an allowed root, compared by components: prefix twins
    and symbolic links do not help. Hard links can't be told from files. Whatever the table allows, nothing outside the
    folder that holds the workspace is read or written.
    """

    def __init__(self, machine: Machine, root: Path) -> None:
        super().__init__(machine)
        self.root = Path(os.path.realpath(root))
        allowed = machine.workspace["roots"] if machine.workspace else []
        self.roots = [self._real(path) for path in allowed]

    def is_inside(self, path: str) -> bool:
        """Whether the real path lies in an allowed root."""
        real = self._real(path)
        return any(real.is_relative_to(root) for root in self.roots)

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        """Run a call that has no problem, and say what came of it."""
        tool = self.machine.tools[name]
        if tool["kind"] == "command":
            return run_command(tool["argv"], self.root, tool["seconds"], tool["error"])
        if tool["kind"] == "builtin":
            path = self._real(step["args"]["file"])
            in_reach = path.is_relative_to(self.root.parent)
            if name == "read_file":
                return read_file(path) if in_reach else Result(ok=False, error=NOT_READABLE)
            return write_file(path, step["args"]["contents"]) if in_reach else Result(ok=False, error=NOT_WRITABLE)
        return super().run(name, step)

    def _real(self, path: str) -> Path:
        return real_path(self.root / path)


def real_path(path: Path) -> Path:
    """Where a path really leads, also if its end does not exist. A link that leads to itself is a plain name.

    Where links go in circles, one `realpath` leaves the rest of the path unresolved, and with it links that lead out.
    """
    real = os.path.realpath(path)
    while (again := os.path.realpath(real)) != real:
        real = again
    return Path(real)


def read_file(path: Path) -> Result:
    """Read a text file."""
    try:
        return Result(ok=True, text=path.read_bytes().decode("utf-8")) if path.is_file() else _NOT_READABLE
    except (OSError, ValueError):
        return _NOT_READABLE


_NOT_READABLE = Result(ok=False, error=NOT_READABLE)


def write_file(path: Path, contents: str) -> Result:
    """Write a text file as a whole: on failure the old content stands, and no reader ever sees half of the new."""
    import tempfile

    data = contents.encode("utf-8")
    temporary = None
    try:
        if path.exists() and not path.is_file():
            return Result(ok=False, error=NOT_WRITABLE)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".write-", suffix=".tmp")
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except OSError:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        return Result(ok=False, error=NOT_WRITABLE)
    return Result(ok=True, text=f"wrote {len(data)} bytes")


def run_command(argv: Sequence[str], folder: Path, seconds: float, error: str) -> Result:
    """Run a program in a process group of its own, which is ended with it. Only exit code 0 in time is ok."""
    import signal
    import subprocess

    program = sys.executable if argv[0] == "python" else argv[0]
    try:
        process = subprocess.Popen(  # noqa: S603  # the commands of the lab are what is run
            [program, *argv[1:]],
            cwd=folder,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return Result(ok=False, error=error)
    try:
        code: int | None = process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        if os.name == "nt":
            process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Result(ok=True, text="pass") if code == 0 else Result(ok=False, error=error)


@contextlib.contextmanager
def fresh_workspace(machine: Machine, fixture: Mapping[str, Any]) -> Iterator[Path]:
    """A temporary workspace with the machine's files and the fixture's changes; its parent is thrown away as well."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="workspace-") as folder:
        root = Path(folder) / "workspace"
        root.mkdir()
        changes = fixture.get("workspace") or {}
        files = {**(machine.workspace or {}).get("files", {}), **changes.get("files", {})}
        for path, text in files.items():
            if text is not None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(text.encode("utf-8"))
        for path, target in changes.get("links", {}).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).symlink_to(target)
        yield root


# --- the records ---


class Recorder(NamedTuple):
    """How a run is recorded. The defaults are the promise; any other value is a slip, so that a mistake in recording
    is a change to the machine like every other mistake.
    """

    lines: int = 1
    mode: str = "append"
    only_on: str = "always"
    sort_keys: bool = True
    extra: Mapping[str, Any] = MappingProxyType({})
    run_id: str | None = None
    fixture_id: str | None = None
    turns_offset: int = 0
    stopped_on_turn: int | None = None
    drop_names_on: Sequence[str] = ()
    exit_code: int | None = None
    trace: str = "always"
    closing_event: bool = True

    def write_trace(self, machine: Machine, ending: Ending, trace: Trace, path: Path) -> None:
        """Write the trace of a run. Raises OSError if it can't be written."""
        events = self.events_of(machine, ending, trace.events)
        if events is not None:
            write_trace(path, events)

    def events_of(self, machine: Machine, ending: Ending, events: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """What stands in the trace of a run; None where, as a slip, there is none."""
        done = machine.reasons[ending.reason]["kind"] == "done"
        if self.trace == "never" or (self.trace == "done" and not done):
            return None
        return events if self.closing_event else events[:-1]

    def write_lines(self, machine: Machine, ending: Ending, run_id: str, fixture_id: str, path: Path) -> None:
        """Add the line of a run to the ledger. Raises OSError if it can't be written."""
        lines = self.lines_of(machine, ending, run_id, fixture_id)
        if lines:
            append_lines(path, lines, overwrite=self.mode == "overwrite")

    def lines_of(self, machine: Machine, ending: Ending, run_id: str, fixture_id: str) -> bytes:
        """What a run adds to the ledger: one line, and nothing or more only where that is the slip."""
        if self.only_on == "done" and machine.reasons[ending.reason]["kind"] != "done":
            return b""
        record = self.record(ending, run_id, fixture_id)
        return self.lines * (json.dumps(record, sort_keys=self.sort_keys).encode("ascii") + b"\n")

    def ledger_after(self, earlier: bytes | None, lines: bytes) -> bytes | None:
        """What stands in a ledger that held `earlier` (None: there was no file) once `lines` are written."""
        if not lines:
            return earlier
        kept = b"" if earlier is None or self.mode == "overwrite" else earlier
        return kept + repair_for(kept[-1:]) + lines

    def record(self, ending: Ending, run_id: str, fixture_id: str) -> dict[str, Any]:
        """The ledger record of a run."""
        stopped = ending.stopped_on_turn if self.stopped_on_turn is None else self.stopped_on_turn
        return {
            "run_id": self.run_id or run_id,
            "fixture_id": self.fixture_id or fixture_id,
            "reason": ending.reason,
            "turns": ending.turns + self.turns_offset,
            "tool_names": [] if ending.reason in self.drop_names_on else list(ending.tool_names),
            "last_error": ending.last_error,
            "stopped_on_turn": stopped + self.turns_offset,
            **self.extra,
        }

    def exit_code_of(self, ending: Ending) -> int:
        """The exit code of the process."""
        return ending.exit_code if self.exit_code is None else self.exit_code


def append_lines(path: Path, lines: bytes, *, overwrite: bool = False) -> None:
    """Append `lines` with one write, and not to the end of a torn line.

    Several processes take turns where the system has locks: half of a long line looks like a torn one while another
    process writes it. Creates missing folders. Raises OSError if not all could be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | (os.O_TRUNC if overwrite else 0)
    descriptor = os.open(path, flags, 0o644)
    try:
        _lock(descriptor)
        size = os.lseek(descriptor, 0, os.SEEK_END)
        os.lseek(descriptor, max(size - 1, 0), os.SEEK_SET)
        data = repair_for(os.read(descriptor, 1)) + lines
        if os.write(descriptor, data) != len(data):
            raise OSError(f"the line was not written whole: {path}")
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Keep other processes out until the file is closed. Some systems and some file systems have no such locks."""
    try:
        import fcntl
    except ImportError:
        return
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def repair_for(last_byte: bytes) -> bytes:
    """What has to stand between a ledger that ends in `last_byte` and the next line: a torn line is ended first."""
    return b"" if last_byte in (b"", b"\n") else b"\n"


def write_trace(path: Path, events: Sequence[Mapping[str, Any]]) -> None:
    """Write the events to a temporary file beside `path` and rename it, so that a trace is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")  # the module tempfile is slow to import
    try:
        temporary.write_bytes(trace_bytes(events))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def trace_bytes(events: Sequence[Mapping[str, Any]]) -> bytes:
    """What stands in a trace file."""
    return f"{json.dumps(events, indent=1)}\n".encode("ascii")


# --- the command line ---


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    import argparse  # only the lone script needs it, and it is slow to import

    parser = argparse.ArgumentParser(description="Run a fixture through a machine and record how the loop ends.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="run one fixture")
    one.add_argument("fixture", type=Path, help="a fixture file (JSON)")
    one.add_argument("--ledger", type=Path, required=True, help="the JSONL file to append to")
    one.add_argument("--trace", type=Path, help="the JSON file to write the events to")
    one.add_argument("--run-id", required=True, help="the name of this run")
    one.add_argument("--workspace", type=Path, help="the folder the tools work in; by default a fresh copy")
    one.add_argument("--machine", type=Path, default=Path(__file__).with_name("machine.json"))
    fuel = commands.add_parser("report", help="print the fuel report of a trace")
    fuel.add_argument("trace", type=Path, help="a trace file (JSON)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None, tools: Callable[[Machine, Path], Tools] = WorkspaceTools) -> int:
    """The command line of the lone script; returns the exit code of the run. `tools` are those of a workspace."""
    try:
        options = _options(arguments)
    except SystemExit as asked:
        return EXIT_USAGE if asked.code else 0
    try:
        return _print_report(options.trace) if options.command == "report" else _run(options, tools)
    except (OSError, ValueError, MachineError) as error:
        sys.stderr.write(f"error: {error}\n")
        return EXIT_CRASH
    except Exception as error:  # a machine made by hand can hold anything, and a traceback would exit with a reason's 1
        sys.stderr.write(f"error: the machine or the fixture makes no sense: {type(error).__name__}: {error}\n")
        return EXIT_CRASH


def _run(options: argparse.Namespace, tools: Callable[[Machine, Path], Tools]) -> int:
    machine = Machine(json.loads(options.machine.read_text(encoding="utf-8")))
    fixture = json.loads(options.fixture.read_text(encoding="utf-8"))
    ending = run_in_workspace(machine, fixture, options.run_id, options.ledger, options.trace, options.workspace, tools)
    return machine.recorder.exit_code_of(ending)


def run_in_workspace(
    machine: Machine,
    fixture: Mapping[str, Any],
    run_id: str,
    ledger: Path | None,
    trace: Path | None,
    workspace: Path | None = None,
    tools: Callable[[Machine, Path], Tools] = WorkspaceTools,
    loop: Loop | None = None,
) -> Ending:
    """`run` with tools that really run: in `workspace`, which is prepared, or in a fresh one."""
    if machine.workspace is None:
        return run(machine, fixture, run_id, ledger, trace, loop=loop)
    prepared = fresh_workspace(machine, fixture) if workspace is None else contextlib.nullcontext(workspace)
    with prepared as root:
        return run(machine, fixture, run_id, ledger, trace, tools(machine, root), loop)


def _print_report(path: Path) -> int:
    events = json.loads(path.read_text(encoding="utf-8"))
    closing = closing_event(events)
    sys.stdout.write("".join(f"{line}\n" for line in fuel_report(closing)))
    return 0 if closing is not None else 1


def closing_event(events: Any) -> Mapping[str, Any] | None:
    """The event that closes a trace, or None if it is not closed."""
    last = events[-1] if isinstance(events, list) and events else None
    closes = isinstance(last, Mapping) and last.get("type") in CLOSING_EVENTS.values()
    return last if closes else None


def fuel_report(closing: Mapping[str, Any] | None) -> list[str]:
    """How much of each budget was used and how the run ended, a line each, from the closing event alone."""
    if closing is None:
        return ["ended: no closing event"]
    used = closing["used"]
    lines = [f"{name.replace('_', ' ')}: {used[name]} of {limit}" for name, limit in closing["budgets"].items()]
    return [*lines, f"ended: {closing['type']} ({closing['reason']})"]


if __name__ == "__main__":
    sys.exit(main())
