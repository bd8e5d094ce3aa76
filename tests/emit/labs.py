"""Labs made by hand, so that these tests depend on neither the reader nor `resolve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from labspec.conditions import parse
from labspec.lab.model import (
    AgendaItem,
    Budget,
    Check,
    ErrorText,
    Exercise,
    Fixture,
    Gate,
    Lab,
    LastError,
    Loop,
    Meter,
    Mistake,
    Reason,
    Row,
    Starter,
    SubmissionItem,
    Tool,
)
from labspec.machine.build import to_machine
from labspec.machine.runner import Ending
from labspec.machine.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labspec.conditions import Moment

TIMEOUT = {"name": "get_weather", "ok": False, "error": "timeout", "final": False}
GOOD = {"name": "get_weather", "ok": True, "payload": {"city": "Lisbon", "celsius": 22}, "final": False}
FINAL = {**GOOD, "final": True}
UNNAMED = {"ok": True, "payload": {"city": "Lisbon"}, "final": True}
STACK = {"name": "get_weather", "ok": False, "error": "Traceback (most recent call last)\n  boom", "final": False}


def meter(
    name: str,
    at: Moment,
    when: str | None = None,
    add: str = "1",
    *,
    resets_when: str | None = None,
    refund_when: str | None = None,
    builtin: bool = False,
) -> Meter:
    """A meter, its conditions as text."""
    optional = [None if text is None else parse(text) for text in (when, resets_when, refund_when)]
    return Meter(name, at, parse(add), optional[0], optional[1], optional[2], builtin)


BUILTIN = (
    meter("turns", "turn", "not plan.ended", builtin=True),
    meter("tool_calls", "call", builtin=True),
    meter("write_bytes", "call", add="call.bytes", refund_when="not result.ok", builtin=True),
    meter("failures", "result", "not result.ok", builtin=True),
)


def exit_row(
    number: int,
    outcome: str,
    at: Moment,
    when: str | None,
    error: str = "error",
    name: str | None = None,
    says: str | None = None,
) -> Row:
    """A row that ends the loop; `error` is as in a spec."""
    source: Literal["none", "error", "text"] = "none" if error == "none" else "error" if error == "error" else "text"
    last_error = LastError(source, error if source == "text" else None)
    condition = None if when is None else parse(when)
    return Row(name or outcome.replace(":", "_"), "exit", outcome, at, condition, last_error, True, says, number)


def refuse_row(number: int, code: str, when: str | None, *, counted: bool = True, says: str | None = None) -> Row:
    """A row that refuses a call."""
    condition = None if when is None else parse(when)
    return Row(code, "refuse", code, "call", condition, LastError("error"), counted, says, number)


TABLE = (
    exit_row(1, "completed", "result", "result.ok and result.final", "none"),
    exit_row(2, "retry_exhausted", "result", "failures > budgets.retries"),
    exit_row(3, "schema_mismatch", "decision", "not call.named", "missing tool name"),
    exit_row(4, "turn_cap", "turn", "turns > budgets.turns"),
    exit_row(5, "turn_cap", "turn", "plan.ended and failures == 0", name="ran_out"),
    exit_row(6, "tool_error", "turn", "plan.ended"),
)

TAXONOMY = (
    Reason("completed", "done", 0, "Tool payload accepted and final is true", None),
    Reason("retry_exhausted", "budget", 2, "Failures exceed the retries", None),
    Reason("schema_mismatch", "error", 1, "The call has no usable tool name", None),
    Reason("turn_cap", "budget", 2, "The turns are used up, or the plan ran out", None),
    Reason("tool_error", "error", 1, "The plan ended while a failure stood", None),
)


def fixture(
    name: str,
    title: str,
    steps: Sequence[Any],
    ending: Ending,
    *,
    hidden: bool = False,
    budgets: dict[str, int] | None = None,
) -> Fixture:
    """A fixture, its data laid out as the runners read it."""
    data: dict[str, Any] = {"id": name, "planned_calls": list(steps)}
    if budgets:
        data["budgets"] = budgets
    return Fixture(name, title, None, hidden, data, data, budgets or {}, ending)


def ending(reason: str, turns: int, calls: int, error: str | None, code: int, row: str, at: Moment) -> Ending:
    """The ending of a run with so many calls of the weather tool."""
    names = ("get_weather",) * calls
    turn = turns + 1 if at == "turn" else turns
    return Ending(reason, turns, names, error, turns, code, row, at, turn, meters={}, limits={}, used={})


FIXTURES = (
    fixture(
        "weather_timeout_v1",
        "The first call times out, the retry succeeds",
        [TIMEOUT, FINAL, FINAL],
        ending("completed", 2, 2, None, 0, "completed", "result"),
    ),
    fixture(
        "double_timeout_v1",
        "Two timeouts use the retry up",
        [TIMEOUT, TIMEOUT],
        ending("retry_exhausted", 2, 2, "timeout", 2, "retry_exhausted", "result"),
    ),
    fixture(
        "second_call_unnamed_v1",
        "The second call has no name",
        [GOOD, UNNAMED],
        ending("schema_mismatch", 2, 1, "missing tool name", 1, "schema_mismatch", "decision"),
    ),
    fixture(
        "five_timeouts_v1",
        "Five timeouts, and a retry budget that lets them happen",
        [TIMEOUT] * 5,
        ending("turn_cap", 4, 4, "timeout", 2, "turn_cap", "turn"),
        budgets={"retries": 4},
    ),
    fixture(
        "stack_trace_v1",
        "A failure reports a whole stack trace",
        [STACK],
        ending("tool_error", 1, 1, "tool_error", 1, "tool_error", "turn"),
    ),
    fixture(
        "ran_out_v1",
        "The plan ends without a failure",
        [GOOD],
        ending("turn_cap", 1, 1, None, 2, "ran_out", "turn"),
        hidden=True,
    ),
)
ALL = tuple(one.id for one in FIXTURES)


BUDGETS = (Budget("turns", 4, ("turns",)), Budget("retries", 1, ("failures",)))
TOOLS = (Tool("get_weather", "scripted", "Looks up the weather"),)
ERRORS = ErrorText(80, "tool_error")


def loop_of(budgets: dict[str, int] | None = None) -> Loop:
    """The loop of the first lab, with other limits."""
    limits = tuple(budget._replace(limit=(budgets or {}).get(budget.name, budget.limit)) for budget in BUDGETS)
    return Loop(limits, BUILTIN, TOOLS, None, "end", ERRORS, TAXONOMY, TABLE)


def machine_of(budgets: dict[str, int] | None = None, recorder: dict[str, Any] | None = None) -> dict[str, Any]:
    """The machine of the first lab, with other limits or a slip of its recorder."""
    return to_machine(loop_of(budgets), recorder)


def first_lab() -> Lab:
    """The loop-exit-ledger lab, whole."""
    return Lab(
        id="loop-exit-ledger",
        version="1.0.0",
        title="Record every loop exit as a structured event",
        summary="An agent loop that stops must say why, in data.",
        goal="Every run leaves one line that a program can compare.\n\nNo line says more than it knows.",
        target="python",
        minutes=80,
        objectives=("Tell five reasons apart", "Keep a record small"),
        agenda=(
            AgendaItem(0, 10, "Failure review", "What can you not prove about these two runs?"),
            AgendaItem(10, 80, "Work", None),
        ),
        budgets=BUDGETS,
        meters=BUILTIN,
        tools=TOOLS,
        workspace=None,
        traced=False,
        plan_ends="end",
        errors=ERRORS,
        taxonomy=TAXONOMY,
        table=TABLE,
        fixtures=FIXTURES,
        mistakes=(
            Mistake(
                "timeout_is_terminal",
                "Treating the first timeout as the end",
                "Look at row 2 again: what does it compare?",
                "retry_exhausted",
                ("exits",),
                Runs(machine_of(budgets={"retries": 0})),
                loop_of(budgets={"retries": 0}),
            ),
            Mistake(
                "two_lines",
                "Writing a line when the loop starts",
                None,
                None,
                ("ledger",),
                Runs(machine_of(recorder={"lines": 2})),
                loop_of(),
            ),
        ),
        rubric=(
            Gate("exits", 60, "Every run ends as the table says", (Check("exit", ALL), Check("exit_code", ALL))),
            Gate(
                "ledger",
                30,
                "One line for each run",
                tuple(Check(kind, ALL[:2]) for kind in ("one_line", "append", "fields", "sorted_keys")),
            ),
            Gate(
                "hygiene",
                10,
                "Errors stay short, runs repeat",
                (Check("error_text", ALL[1:]), Check("repeat", ALL[:1])),
            ),
        ),
        exercises=(
            Exercise(
                "cap", "Turn cap", "Five failing calls.\n\nWhich budget has to grow?", ("five_timeouts_v1",), ("exits",)
            ),
            Exercise("twice", "Double run", "Run it twice.", (), ()),
        ),
        submission=(
            SubmissionItem("file", "artifacts/exits.jsonl", "One line a run", None),
            SubmissionItem("command", "python lab.py signature artifacts/exits.jsonl", None, None),
            SubmissionItem("text", "notes.md", "What surprised you", 40),
        ),
        zero_if=(),
        manual=(),
        stretch=None,
        starter=Starter("todo", "given", "todo", "given"),
        limitations=("A ledger is not a trace",),
        skip_if=("You grade spans already",),
        machine=machine_of(),
        digest="0" * 64,
    )


def lab_with(**changes: Any) -> Lab:
    """The first lab with some fields changed."""
    return first_lab()._replace(**changes)
