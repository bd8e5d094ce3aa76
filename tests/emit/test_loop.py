"""The emitted loop does what the decision table says, for any table."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labspec.conditions import FACTS, MOMENTS, Constant, Expr, Name, parse
from labspec.conditions.syntax import Arithmetic, Compare, In, Logic, Not
from labspec.lab.model import Budget, ErrorText, LastError, Loop, Meter, Reason, Row, Tool
from labspec.machine.build import to_machine
from labspec.machine.runner import Machine, run

from ..conditions import strategies
from .labs import BUILTIN, exit_row, first_lab, lab_with, meter, refuse_row
from .loops import emitted_loop, record_of, source_of

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.conditions import Moment
    from labspec.lab.model import Lab

FAIL = {"name": "get_weather", "ok": False, "error": "timeout", "final": False}
SEVEN_KINDS: list[dict[str, Any]] = [
    FAIL,
    {**FAIL, "final": True},
    {"name": "get_weather", "ok": True, "payload": {}, "final": False},
    {"name": "get_weather", "ok": True, "payload": {}, "final": True},
    {"ok": True, "final": True},
    {"name": "", "ok": True, "final": True},
    {"name": 7, "ok": True, "final": True},
]
STRANGE: list[Any] = [
    *SEVEN_KINDS,
    None,
    [],
    {"type": "stop", "reason": "tests_green"},
    {"type": "stop"},
    {"type": ["tool"], "name": "get_weather", "ok": True},
    {"type": "tool", "name": " ", "ok": True},
    {"name": "constructor", "ok": True, "final": True},
    {"name": "run_tests", "ok": "false", "final": 1},
    {"name": "run_tests", "ok": False, "error": "a\nb", "final": True},
    {"name": "run_tests", "ok": False, "error": "x" * 81},
    {"name": "run_tests", "ok": False, "error": ""},
    {"name": "run_tests", "ok": True},
    {"reason": 3},
]


def oracle(plan: list[dict[str, Any]], max_turns: int = 4, max_retries: int = 1) -> tuple[Any, ...]:
    """The first lab's table in its own words, independent of machine and emitter."""
    names: list[str] = []
    failures = 0
    error: str | None = None
    for turn, step in enumerate(plan, start=1):
        if turn > max_turns:
            return ("turn_cap", turn - 1, tuple(names), error, turn - 1)
        name = step.get("name")
        if not isinstance(name, str) or not name:
            return ("schema_mismatch", turn, tuple(names), "missing tool name", turn)
        names.append(name)
        if step["ok"] and step["final"]:
            return ("completed", turn, tuple(names), None, turn)
        if not step["ok"]:
            failures += 1
            error = step["error"]
        if failures > max_retries:
            return ("retry_exhausted", turn, tuple(names), error, turn)
    turns = len(plan)
    return ("tool_error" if failures else "turn_cap", turns, tuple(names), error, turns)


def test_first_lab_agrees_with_its_table_on_every_short_plan(tmp_path: Path) -> None:
    ledger = tmp_path / "exits.jsonl"
    plans = [list(plan) for length in range(5) for plan in itertools.product(SEVEN_KINDS, repeat=length)]
    with emitted_loop(first_lab()) as run_loop:
        for plan in plans:
            event = run_loop("run-1", {"id": "f", "planned_calls": plan}, ledger)
            assert record_of(event) == oracle(plan), plan
    assert len(ledger.read_text("utf-8").splitlines()) == len(plans)


def test_budgets_of_a_fixture_replace_the_constants(tmp_path: Path) -> None:
    plan = [FAIL] * 5
    with emitted_loop(first_lab()) as run_loop:
        event = run_loop("r", {"id": "f", "planned_calls": plan, "budgets": {"retries": 4}}, tmp_path / "l")
        assert record_of(event) == oracle(plan, max_retries=4)
        assert event.reason == "turn_cap"


def test_first_solution_holds_only_what_its_table_needs() -> None:
    source = source_of(first_lab())
    body = source[source.index("    while True:") :]
    for word in (
        "refusal",
        "counted",
        "stop_reason",
        "known =",
        "SCRIPT_EXHAUSTED",
        "_before",
        "size",
    ):
        assert word not in source
    assert len(body.splitlines()) <= 45


# --- other tables ---

TOOLS = (Tool("get_weather", "scripted", None), Tool("run_tests", "scripted", None))
REASONS = tuple(
    Reason(name, "error", 1, name, None) for name in ("done", "budget:tool_calls", "give_up", "cap", "ran_out", "odd")
)
CAP = exit_row(90, "cap", "turn", "turns > budgets.turns")
RAN_OUT = exit_row(91, "ran_out", "turn", "plan.ended", "the plan ran out")


def other_lab(*rows: Row, meters: tuple[Meter, ...] = (), **changes: Any) -> Lab:
    """A lab of other rows, with two tools and the limits 4 and 1, which always ends."""
    table = (*rows, CAP, RAN_OUT) if changes.get("plan_ends") != "stop" else (*rows, CAP)
    numbered = tuple(row._replace(number=number, id=f"row{number}") for number, row in enumerate(table, start=1))
    budgets = (Budget("turns", 4, ("turns",)), Budget("retries", 1, ()))
    chosen = {"budgets": budgets, "tools": TOOLS, "taxonomy": REASONS, "mistakes": (), "rubric": (), "fixtures": ()}
    fixtures = first_lab().fixtures
    return lab_with(**{**chosen, "fixtures": fixtures, "table": numbered, "meters": (*BUILTIN, *meters), **changes})


OTHERS = {
    "no row before the cap": other_lab(),
    "stop decisions end it": other_lab(
        exit_row(1, "done", "decision", 'decision.type == "stop" and decision.reason in ["tests_green"]', "none"),
        exit_row(2, "give_up", "decision", 'decision.type == "stop"'),
        exit_row(3, "odd", "decision", 'decision.type != "tool"', "none"),
    ),
    "only calls get through, said otherwise": other_lab(
        exit_row(1, "odd", "decision", "call.named == false or decision.type == 'stop'"),
        exit_row(2, "done", "result", "result.final"),
    ),
    "refusals": other_lab(
        exit_row(1, "budget:tool_calls", "call", "tool_calls > 2"),
        refuse_row(2, "unknown", "not call.known", counted=False),
        refuse_row(3, "no_tests_first", 'call.name == "run_tests" and tool_calls == 1'),
        exit_row(4, "give_up", "result", 'result.error == "no_tests_first" and failures > 1'),
        exit_row(5, "give_up", "result", "failures > 2"),
    ),
    "every call is refused": other_lab(refuse_row(1, "never", None), exit_row(2, "give_up", "result", "failures > 2")),
    "refused, then exits between": other_lab(
        refuse_row(1, "unknown", "not call.known"),
        exit_row(2, "give_up", "call", "tool_calls == 2", "gave up"),
        refuse_row(3, "third", "tool_calls > 1", counted=False),
    ),
    "an exit at call without a condition": other_lab(
        refuse_row(1, "unknown", "not call.known"), exit_row(2, "done", "call", None)
    ),
    "one turn only": other_lab(exit_row(1, "done", "result", None)),
    "stopped by the first decision": other_lab(exit_row(1, "done", "decision", None)),
    "never starts": other_lab(exit_row(1, "done", "turn", None)),
    "red tests in a row": other_lab(
        exit_row(1, "give_up", "result", "red_tests > 1"),
        meters=(meter("red_tests", "result", 'call.name == "run_tests" and not result.ok', resets_when="result.ok"),),
    ),
    "a meter of calls with a refund and a refusal": other_lab(
        refuse_row(1, "too_heavy", "weight > 4"),
        exit_row(2, "budget:tool_calls", "turn", "weight + size == 4"),
        meters=(
            meter("weight", "call", 'call.name == "run_tests"', "2", refund_when="not result.ok and failures < 1"),
            meter("size", "call", add="tool_calls", resets_when="not call.known"),
        ),
    ),
    "meters at turn and decision": other_lab(
        exit_row(1, "give_up", "turn", "asked > 3"),
        exit_row(2, "odd", "decision", "unnamed == 2"),
        meters=(
            meter("asked", "turn", "turns != 2"),
            meter("unnamed", "decision", "not call.named", resets_when='decision.type == "stop"'),
        ),
    ),
    "names that the loop needs itself": other_lab(
        exit_row(1, "give_up", "result", "plan + result + list + class > budgets.turns"),
        meters=(
            meter("plan", "turn"),
            meter("result", "result", "result.ok"),
            meter("list", "call", "call.known"),
            meter("class", "decision", "call.named"),
        ),
    ),
    "an ended plan is a stop": other_lab(
        exit_row(1, "done", "decision", 'decision.reason == "script_exhausted" and turns > 2'),
        exit_row(2, "give_up", "result", "failures > budgets.retries"),
        plan_ends="stop",
    ),
    "files, which scripted calls do not touch": other_lab(
        refuse_row(1, "outside", "not call.inside"),
        exit_row(2, "give_up", "call", 'call.path == "" and call.bytes + call.lines + write_bytes > 0'),
    ),
    "no limit for errors": other_lab(
        exit_row(1, "give_up", "result", "failures > 1"), errors=ErrorText(None, "no_text")
    ),
    "a truth value among truth values": other_lab(exit_row(1, "odd", "decision", "call.named == (turns == 1)")),
}


@pytest.mark.parametrize("lab", OTHERS.values(), ids=OTHERS.keys())
def test_other_tables_agree_with_the_reference_runner(lab: Lab, tmp_path: Path) -> None:
    plans = [list(plan) for length in range(3) for plan in itertools.product(STRANGE, repeat=length)]
    plans += [
        [STRANGE[(start + stride * index) % len(STRANGE)] for index in range(6)]
        for start in range(20)
        for stride in (1, 3, 7)
    ]
    agree(lab, plans, tmp_path)


def agree(lab: Lab, plans: list[list[Any]], folder: Path) -> None:
    """The emitted loop and the reference runner record the same on every plan."""
    machine = Machine(
        to_machine(
            Loop(lab.budgets, lab.meters, lab.tools, lab.workspace, lab.plan_ends, lab.errors, lab.taxonomy, lab.table)
        )
    )
    with emitted_loop(lab) as run_loop:
        for plan in plans:
            fixture = {"id": "f", "planned_calls": plan}
            assert record_of(run_loop("r", fixture, folder / "exits.jsonl")) == record_of(run(machine, fixture, "r")), (
                plan
            )


# --- random tables ---


NOTHING = {"boolean": Constant(False), "number": Constant(0), "text": Constant("")}


def at_moment(expr: Expr, moment: Moment) -> Expr:
    """The condition with every fact that does not exist at a moment replaced by a literal of its type."""
    match expr:
        case Name(name=name):
            fact = FACTS.get(name)
            return expr if fact is None or fact.exists_at(moment) else NOTHING[fact.type]
        case Not(operand=operand):
            return Not(at_moment(operand, moment))
        case Logic(operator=operator, operands=operands):
            return Logic(operator, tuple(at_moment(operand, moment) for operand in operands))
        case Compare(operator=comparison, left=left, right=right):
            return Compare(comparison, at_moment(left, moment), at_moment(right, moment))
        case Arithmetic(operator=sign, left=left, right=right):
            return Arithmetic(sign, at_moment(left, moment), at_moment(right, moment))
        case In(value=value, options=options, negated=negated):
            return In(at_moment(value, moment), options, negated)
        case Constant():
            return expr


@st.composite
def random_rows(draw: st.DrawFn) -> Row:
    moment = draw(st.sampled_from(MOMENTS))
    when = at_moment(draw(strategies.conditions), moment)
    error = draw(st.sampled_from([LastError("none"), LastError("error"), LastError("text", 'a "fixed" text')]))
    if moment == "call" and draw(st.booleans()):
        return Row("x", "refuse", "refused", "call", when, LastError("error"), draw(st.booleans()), None, 1)
    return Row("x", "exit", draw(st.sampled_from(["done", "give_up"])), moment, when, error, True, None, 1)


@st.composite
def random_labs(draw: st.DrawFn) -> Lab:
    moment = draw(st.sampled_from(MOMENTS))
    optional = st.none() | strategies.conditions
    when, resets_when = (part and at_moment(part, moment) for part in draw(st.tuples(optional, optional)))
    add = parse(draw(st.sampled_from(["1", "2", "turns"])))
    red_tests = Meter("red_tests", moment, add, when, resets_when, draw(optional), builtin=False)
    rows = draw(st.lists(random_rows(), max_size=4))
    return other_lab(*rows, meters=(red_tests,), plan_ends=draw(st.sampled_from(["end", "stop"])))


PLANS = st.lists(st.lists(st.sampled_from(STRANGE), max_size=5), min_size=1, max_size=20)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(random_labs(), PLANS)
def test_random_tables_agree_with_the_reference_runner(tmp_path: Path, lab: Lab, plans: list[list[Any]]) -> None:
    agree(lab, plans, tmp_path)
