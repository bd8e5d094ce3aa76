"""The reference runner: interprets a machine, and leaves a ledger line and a trace.

One module of the standard library only, in three uses: in process (`run`), behind `labspec run`, and as a lone script
beside a `machine.json`:

    python runner.py run FIXTURE --ledger LEDGER --run-id ID [--trace TRACE] [--machine MACHINE]

A machine is plain JSON data: budgets, meters, tools, reasons and the rows of the decision table. `Machine` compiles it
once; `Loop` holds the four moments of a turn and touches nothing outside itself, so that the explorer can walk its
states; `run` drives a loop through a fixture; `Recorder` writes what came of it.
"""

from __future__ import annotations

import json
import operator
import os
import sys
from collections.abc import Callable, Mapping, Sequence
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


class Result(NamedTuple):
    """What a call came to. `error` is the code of a failure and empty when `ok`."""

    ok: bool
    error: str = ""
    final: bool = False


class Machine:
    """A machine ready to run. Reads the plain data once; never changes afterwards."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Compile `data`, the content of a machine.json. Raises MachineError if it is not a machine."""
        try:
            self.data = data
            self.plan_stops: bool = data["plan_ends"] == "stop"
            self.tools: dict[str, Mapping[str, Any]] = dict(data["tools"])
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

    def call(self, known: bool, path: str = "", inside: bool = True, size: int = 0, lines: int = 0) -> Row | None:
        """The loop is about to run the tool; `size` is in bytes."""
        facts = self.facts
        facts["call.known"] = known
        facts["call.path"] = path
        facts["call.inside"] = inside
        facts["call.bytes"] = size
        facts["call.lines"] = lines
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


def run(
    machine: Machine,
    fixture: Mapping[str, Any],
    run_id: str,
    ledger: Path | None = None,
    trace: Path | None = None,
) -> Ending:
    """Run `fixture` and record it as `run_id`: a line in `ledger`, the events in `trace`, where they are given.

    Raises MachineError if the fixture is malformed or no row ever ends the loop, and OSError if a record can't be
    written.
    """
    fixture_id, steps, budgets = read_fixture(machine, fixture)
    loop = Loop(machine, budgets)
    events = None if trace is None else Trace()
    ending = _ending(loop, drive(loop, steps, events))
    if trace is not None and events is not None:
        _close(events, machine, ending)
        machine.recorder.write_trace(machine, ending, events, trace)
    if ledger is not None:
        machine.recorder.write_lines(machine, ending, run_id, fixture_id, ledger)
    return ending


def _close(trace: Trace, machine: Machine, ending: Ending) -> None:
    event = CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]]
    trace.push(event, turn=ending.turns, reason=ending.reason, budgets=ending.limits, used=ending.used)


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


def drive(loop: Loop, steps: Sequence[Any], trace: Trace | None = None) -> Row:
    """Take turn after turn until a row ends the loop, and return that row.

    Raises MachineError if the plan has ended and no row ever ends the loop.
    """
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
        row = take(loop, step, trace)
        if row is not None:
            return row


_ENDED = object()
SCRIPT_EXHAUSTED = {"type": "stop", "reason": "script_exhausted"}


def take(loop: Loop, step: Any, trace: Trace | None = None, fired: Callable[[Row], None] | None = None) -> Row | None:
    """Take one decision of the model through `decision`, `call` and `result`; returns the exit row that fired, if any.

    A refuse row that fires is told to `fired`.
    """
    step = step if isinstance(step, Mapping) else {"type": "other"}
    type = step.get("type", "tool")
    type = type if type in ("tool", "stop") else "other"
    reason = step.get("reason")
    name = step.get("name") if type == "tool" else None
    row = loop.decision(type, reason if isinstance(reason, str) else "", name)
    if row is not None or type != "tool":
        return row
    known = loop.facts["call.name"] in loop.machine.tools
    row = loop.call(known)
    if row is not None and row.verb == "exit":
        return row
    if row is not None:
        if fired is not None:
            fired(row)
        result = Result(ok=False, error=row.outcome)
    elif not known:
        result = Result(ok=False, error="unknown_tool")
    else:
        result = _scripted(loop.machine, step)
    if trace is not None:
        _trace_call(loop, result, trace)
    return loop.result(result)


def _scripted(machine: Machine, step: Mapping[str, Any]) -> Result:
    ok = step.get("ok") is True
    return Result(ok, "" if ok else machine.code_of(step.get("error")), step.get("final") is True)


def _trace_call(loop: Loop, result: Result, trace: Trace) -> None:
    turn, name = loop.facts["turns"], loop.facts["call.name"]
    trace.push("tool", turn=turn, name=name)
    if result.ok:
        trace.push("tool_result", turn=turn, name=name, final=result.final)
    else:
        trace.push("tool_error", turn=turn, name=name, error=result.error)


def _ending(loop: Loop, row: Row) -> Ending:
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
        done = machine.reasons[ending.reason]["kind"] == "done"
        if self.trace == "always" or (self.trace == "done" and done):
            write_trace(path, trace.events if self.closing_event else trace.events[:-1])

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

    Creates missing folders. Raises OSError if not all could be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | (os.O_TRUNC if overwrite else 0)
    descriptor = os.open(path, flags, 0o644)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        os.lseek(descriptor, max(size - 1, 0), os.SEEK_SET)
        data = repair_for(os.read(descriptor, 1)) + lines
        if os.write(descriptor, data) != len(data):
            raise OSError(f"the line was not written whole: {path}")
    finally:
        os.close(descriptor)


def repair_for(last_byte: bytes) -> bytes:
    """What has to stand between a ledger that ends in `last_byte` and the next line: a torn line is ended first."""
    return b"" if last_byte in (b"", b"\n") else b"\n"


def write_trace(path: Path, events: Sequence[Mapping[str, Any]]) -> None:
    """Write the events to a temporary file beside `path` and rename it, so that a trace is whole or not there."""
    import tempfile  # only traces need it, and it is slow to import

    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(events, indent=1) + "\n"
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(text.encode("ascii"))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


# --- the command line ---


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    import argparse  # only the lone script needs it, and it is slow to import

    parser = argparse.ArgumentParser(description="Run a fixture through a machine and record how the loop ends.")
    run_parser = parser.add_subparsers(dest="command", required=True).add_parser("run", help="run one fixture")
    run_parser.add_argument("fixture", type=Path, help="a fixture file (JSON)")
    run_parser.add_argument("--ledger", type=Path, required=True, help="the JSONL file to append to")
    run_parser.add_argument("--trace", type=Path, help="the JSON file to write the events to")
    run_parser.add_argument("--run-id", required=True, help="the name of this run")
    run_parser.add_argument("--machine", type=Path, default=Path(__file__).with_name("machine.json"))
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line of the lone script; returns the exit code of the run."""
    try:
        options = _options(arguments)
    except SystemExit as asked:
        return EXIT_USAGE if asked.code else 0
    try:
        machine = Machine(json.loads(options.machine.read_text(encoding="utf-8")))
        fixture = json.loads(options.fixture.read_text(encoding="utf-8"))
        ending = run(machine, fixture, options.run_id, options.ledger, options.trace)
    except (OSError, ValueError, MachineError) as error:
        sys.stderr.write(f"error: {error}\n")
        return EXIT_CRASH
    except Exception as error:  # a machine made by hand can hold anything, and a traceback would exit with a reason's 1
        sys.stderr.write(f"error: the machine or the fixture makes no sense: {type(error).__name__}: {error}\n")
        return EXIT_CRASH
    return machine.recorder.exit_code_of(ending)


if __name__ == "__main__":
    sys.exit(main())
