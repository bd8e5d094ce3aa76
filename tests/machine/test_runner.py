"""The loop, line by line: what is charged when, which row wins, and what the ending says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labspec.machine.runner import Ending, Machine, MachineError, run

from .machines import CAP, ENDED, OK, data, machine, machines, meter, plan, plans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEDGER = (
    "done at result = none: result.ok and result.final",
    "used_up at result: failures > budgets.retries",
    "broken at decision = no name: not call.named",
    CAP,
    ENDED,
)
"""The table of the first lab, more or less."""


def end(tried: Machine, steps: Sequence[Mapping[str, Any]], **budgets: int) -> Ending:
    """How a plan ends."""
    return run(tried, {"id": "f", "planned_calls": list(steps), "budgets": budgets}, "r")


@pytest.mark.parametrize(
    ("steps", "row", "at", "turn", "turns", "tools", "error"),
    [
        ("", 4, "turn", 1, 0, "", None),
        ("ok", 4, "turn", 2, 1, "a", None),
        ("final", 0, "result", 1, 1, "a", None),
        ("ok final final", 0, "result", 2, 2, "aa", None),
        ("fail final", 0, "result", 2, 2, "aa", None),
        ("fail_final ok", 4, "turn", 3, 2, "aa", "timeout"),
        ("fail busy", 1, "result", 2, 2, "aa", "busy"),
        ("fail ok busy", 1, "result", 3, 3, "aaa", "busy"),
        ("unnamed final", 2, "decision", 1, 1, "", "no name"),
        ("ok empty", 2, "decision", 2, 2, "a", "no name"),
        ("fail number", 2, "decision", 2, 2, "a", "no name"),
        ("other", 2, "decision", 1, 1, "", "no name"),
        ("stop stop", 4, "turn", 3, 2, "", None),
        ("unknown", 4, "turn", 2, 1, "x", "unknown_tool"),
        ("unknown unknown", 1, "result", 2, 2, "xx", "unknown_tool"),
        ("ok ok ok", 4, "turn", 4, 3, "aaa", None),
        ("ok ok ok ok", 3, "turn", 4, 3, "aaa", None),
        ("ok ok final", 0, "result", 3, 3, "aaa", None),
        ("ok ok ok final", 3, "turn", 4, 3, "aaa", None),
        ("fail b ok ok", 3, "turn", 4, 3, "aba", "timeout"),
    ],
)
def test_a_plan_ends_as_the_table_says(
    steps: str, row: int, at: str, turn: int, turns: int, tools: str, error: str | None
) -> None:
    ended = end(machine(*LEDGER), plan(steps))
    assert (ended.row, ended.at, ended.turn) == (f"row_{row}", at, turn)
    assert (ended.turns, ended.stopped_on_turn, "".join(ended.tool_names), ended.last_error) == (
        turns,
        turns,
        tools,
        error,
    )


@pytest.mark.parametrize(
    ("lines", "steps", "row"),
    [
        pytest.param(["done at result", "broken at result"], "ok", 0, id="the earlier of two rows at a moment"),
        pytest.param(["broken at result", "done at result"], "ok", 0, id="whatever they say"),
        pytest.param(
            ["done at result", "broken at call", "used_up at decision", ENDED], "ok", 2, id="earlier moments first"
        ),
        pytest.param(["done at result", "broken at call", ENDED], "ok", 1, id="a call before its result"),
        pytest.param(["used_up at result: failures == 1", "broken at turn"], "fail", 1, id="a turn before everything"),
        pytest.param(["done at decision: call.named", ENDED], "stop", 0, id="a stop needs no name"),
        pytest.param(['done at decision: call.name == ""', ENDED], "stop", 0, id="and has none"),
        pytest.param(
            ['done at decision: decision.type == "stop" and decision.reason == "done"', ENDED], "stop", 0, id="reason"
        ),
        pytest.param(['done at decision: decision.type == "other"', ENDED], "other", 0, id="an unknown type"),
        pytest.param(["done at call: call.known", ENDED], "unknown", 1, id="an unknown tool"),
        pytest.param(["done at call: not call.known", ENDED], "unknown", 0, id="a row can catch it first"),
        pytest.param(
            ["refuse no", "done at result: result.ok", "broken at result: not result.ok"], "ok", 2, id="refused"
        ),
        pytest.param(["refuse no", "done at call", ENDED], "ok", 2, id="a refused call is asked no further row"),
        pytest.param(["done at call", "refuse no"], "ok", 0, id="nor is a call that ended the run refused"),
        pytest.param(
            ["refuse one: failures == 0", "refuse two", 'done at result: result.error == "two"', ENDED],
            "ok ok",
            2,
            id="both",
        ),
        pytest.param(
            ["refuse no", "done at result: result.final", ENDED], "final", 2, id="a refused call is not final"
        ),
    ],
)
def test_the_first_row_that_holds_wins(lines: list[str], steps: str, row: int) -> None:
    assert end(machine(*lines), plan(steps)).row == f"row_{row}"


@pytest.mark.parametrize(
    ("own", "steps", "value"),
    [
        pytest.param(meter("turn"), "ok ok", 2, id="at turn, but not at the one that never was"),
        pytest.param(meter("turn", when="not plan.ended"), "ok ok", 2, id="at turn"),
        pytest.param(meter("decision"), "ok stop other unnamed", 4, id="at decision"),
        pytest.param(meter("call"), "ok stop other unnamed", 2, id="at call, which a stop is not"),
        pytest.param(meter("result"), "ok stop fail unknown", 3, id="at result"),
        pytest.param(meter("result", "3"), "ok ok", 6, id="adds a number"),
        pytest.param(meter("result", "turns - 1"), "ok ok ok", 3, id="adds a fact"),
        pytest.param(meter("result", when="not result.ok"), "ok fail busy ok", 2, id="when"),
        pytest.param(meter("result", when='call.name == "b" and result.ok'), "ok b b_fail", 1, id="when of two facts"),
        pytest.param(
            meter("result", when="not result.ok", resets_when="result.ok"), "fail fail ok fail", 1, id="resets"
        ),
        pytest.param(
            meter("result", resets_when="result.ok"), "fail fail ok", 1, id="is set back before it is charged"
        ),
        pytest.param(meter("call", refund_when="not result.ok"), "ok fail ok", 2, id="refunds"),
        pytest.param(
            meter("call", "2", refund_when="not result.ok"), "ok unknown ok fail", 4, id="refunds all of a charge"
        ),
        pytest.param(
            meter("call", when='call.name == "a"', refund_when="not result.ok"), "ok b_fail", 1, id="nothing to refund"
        ),
        pytest.param(meter("call", "turns", refund_when="turns == 2"), "ok ok ok", 4, id="refunds by any fact"),
    ],
)
def test_a_meter_counts_what_it_says(own: dict[str, Any], steps: str, value: int) -> None:
    tried = machine(ENDED, meters={"own": own})
    assert end(tried, plan(steps)).meters["own"] == value


@pytest.mark.parametrize(
    ("line", "steps", "meters", "tools"),
    [
        pytest.param(
            'refuse no: call.name == "b"', "ok b", (2, 2, 1, 1), "ab", id="counted, and every other charge lost"
        ),
        pytest.param('refuse no!: call.name == "b"', "ok b", (2, 1, 1, 1), "a", id="not counted"),
        pytest.param(
            "used_up at call: tool_calls > 1", "ok b", (2, 1, 0, 1), "a", id="an exit at call takes its charges back"
        ),
        pytest.param(
            "used_up at turn: turns > 1", "ok b", (1, 1, 0, 1), "a", id="an exit at turn takes its charge back"
        ),
        pytest.param(
            "used_up at decision: turns > 1", "ok b", (2, 1, 0, 1), "a", id="a decision that came stays counted"
        ),
        pytest.param(
            "used_up at result: tool_calls > 1", "ok b", (2, 2, 0, 2), "ab", id="a call that was made stays counted"
        ),
        pytest.param(
            "used_up at call: own > 1",
            "fail busy ok b",
            (4, 3, 2, 1),
            "aaa",
            id="charges taken back are of one act only",
        ),
    ],
)
def test_what_did_not_happen_is_not_charged(line: str, steps: str, meters: tuple[int, ...], tools: str) -> None:
    tried = machine(line, ENDED, meters={"own": meter("call", refund_when="not result.ok")})
    ended = end(tried, plan(steps))
    assert tuple(ended.meters[name] for name in ("turns", "tool_calls", "failures", "own")) == meters
    assert "".join(ended.tool_names) == tools
    assert ended.turns == meters[0]


@pytest.mark.parametrize(
    ("steps", "row", "turns"),
    [("", 0, 1), ("ok", 0, 2), ("ok ok", 0, 3), ("ok ok ok", 1, 3), ("stop", 0, 2), ("give_up", 0, 2)],
)
def test_an_ended_plan_can_be_a_stop_that_is_a_turn_of_its_own(steps: str, row: int, turns: int) -> None:
    lines = ('done at decision: decision.reason == "script_exhausted"', CAP, "broken at turn: plan.ended")
    ended = end(machine(*lines, plan_ends="stop"), plan(steps))
    assert (ended.row, ended.turns) == (f"row_{row}", turns)


@pytest.mark.parametrize("plan_ends", ["end", "stop"])
def test_a_loop_that_no_row_ends_is_an_error_in_bounded_time(plan_ends: str) -> None:
    with pytest.raises(MachineError, match="no row ends the loop"):
        end(machine("done at result: result.final", plan_ends=plan_ends), plan("ok ok"))


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("timeout", "timeout"),
        ("with spaces, ünd more", "with spaces, ünd more"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "tool_error"),
        ("two\nlines", "tool_error"),
        ("a line\n", "tool_error"),
        ("a\ttab", "tool_error"),
        ("a\x1b[0m", "tool_error"),
        ("two\u2028lines", "tool_error"),
        ("\ud800", "tool_error"),
        ("", "tool_error"),
        ("  ", "tool_error"),
        (None, "tool_error"),
        (7, "tool_error"),
        (["timeout"], "tool_error"),
    ],
)
def test_an_error_text_is_a_short_line_or_the_code_for_any_other(said: object, error: str) -> None:
    step = {"name": "a", "ok": False, "error": said}
    assert end(machine(ENDED), [step]).last_error == error


def test_a_failure_that_says_nothing_has_the_code_of_the_machine() -> None:
    errors = {"max_chars": 3, "otherwise": "bad"}
    steps = [{"name": "a", "ok": False}, {"name": "a", "ok": False, "error": "four"}]
    assert [end(machine(ENDED, errors=errors), [step]).last_error for step in steps] == ["bad", "bad"]
    limitless = machine(ENDED, errors={"max_chars": None, "otherwise": "bad"})
    assert [end(limitless, [step]).last_error for step in steps] == ["bad", "four"]


@pytest.mark.parametrize("ok", ["true", "false", 1, None, [], "absent"])
def test_only_true_is_ok_and_only_true_is_final(ok: object) -> None:
    lines = ("broken at result: not result.ok", "done at result: result.final", "used_up at turn: plan.ended")
    step = {key: value for key, value in {"name": "a", "ok": ok}.items() if value != "absent"}
    assert end(machine(*lines), [step]).reason == "broken"
    assert end(machine(*lines), [{**OK, "final": ok}]).reason == "used_up"


@pytest.mark.parametrize(
    ("step", "row"),
    [
        (None, 1), (7, 1), ("text", 1), ([], 1), ({"type": "other"}, 1), ({"type": 7}, 1), ({"type": None}, 1),
        ({"type": []}, 1),
        ({"type": "other", "name": "a"}, 1), ({"type": "stop"}, 2), ({"type": "stop", "reason": 7, "name": "a"}, 2),
        ({}, 3), ({"name": None}, 3), ({"name": ""}, 3), ({"name": " \n"}, 3), ({"name": 7}, 3), ({"name": ["a"]}, 3),
        ({"name": "A"}, 4), ({"name": "a "}, 4), ({"name": "constructor"}, 4), ({"name": "__class__"}, 4),
        ({"name": "a"}, 5), ({"type": "tool", "name": "a", "ok": True}, 6),
    ],
)  # fmt: skip
def test_every_malformed_decision_has_one_meaning(step: object, row: int) -> None:
    lines = (
        ENDED,
        'broken at decision: decision.type == "other" and not call.named',
        'done at decision: decision.type == "stop" and call.named and decision.reason == ""',
        'broken at decision: not call.named and call.name == "" and decision.type == "tool"',
        'broken at result: not call.known and result.error == "unknown_tool"',
        "broken at result: not result.ok",
        "done at result: not result.final",
    )
    assert end(machine(*lines), [step]).row == f"row_{row}"  # type: ignore[list-item]  # what is tested


def test_a_fixture_can_set_limits() -> None:
    tried = machine(*LEDGER)
    assert end(tried, plan("fail fail fail fail"), retries=9).row == "row_3"
    assert end(tried, plan("fail"), retries=0).row == "row_1"
    assert end(tried, plan("ok"), turns=0).turns == 0
    assert end(tried, plan("ok ok"), turns=1).limits == {"turns": 1, "retries": 1}
    assert tried.budgets == {"turns": 3, "retries": 1}


@pytest.mark.parametrize(
    "fixture",
    [
        None, [], "text", {}, {"id": "f"}, {"planned_calls": []}, {"id": 7, "planned_calls": []},
        {"id": "f", "planned_calls": {}}, {"id": "f", "planned_calls": [], "budgets": []},
        {"id": "f", "planned_calls": [], "budgets": None}, {"id": "f", "planned_calls": [], "budgets": {"nothing": 1}},
        *({"id": "f", "planned_calls": [], "budgets": {"turns": limit}} for limit in (-1, 1.0, True, "3", None)),
    ],
)  # fmt: skip
def test_a_malformed_fixture_is_refused(fixture: Any) -> None:
    with pytest.raises(MachineError, match=r"fixture"):
        run(machine(*LEDGER), fixture, "r")


@pytest.mark.parametrize(
    "changes",
    [
        *({key: None} for key in ("tools", "budgets", "errors", "meters", "rows", "recorder", "reasons")),
        {"rows": [{}]}, {"rows": 7}, {"recorder": {"nothing": 1}}, {"meters": {"own": {"at": "turn"}}},
        *({"meters": {"own": {"at": "turn", "add": add, "when": None, "resets_when": None, "refund_when": None}}}
          for add in (None, 1, [], ["name"], ["name", ""], ["value"], ["value", 1.5], ["xor", ["value", 1]], [["name"]],
                      ["in", ["value", 1]], ["==", ["value", 1]], ["not"], ["and", ["value", True]])),
    ],
)  # fmt: skip
def test_what_is_no_machine_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(MachineError, match="this is not a machine"):
        Machine({**data(*LEDGER), **changes})


def test_a_condition_cannot_be_nested_without_end() -> None:
    deep: Any = ["value", True]
    for _ in range(100):
        deep = ["not", deep]
    made = data(*LEDGER)
    made["rows"][0]["when"] = deep
    with pytest.raises(MachineError, match="nested too deeply"):
        Machine(made)


@settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
@given(made=machines(), steps=plans, budgets=st.fixed_dictionaries({"turns": st.integers(0, 3)}))
def test_every_ending_adds_up(made: dict[str, Any], steps: list[dict[str, Any]], budgets: dict[str, int]) -> None:
    """Nothing is used beyond its limit, the numbers of a record agree with each other, and a replay is the same."""
    tried = Machine(made)
    try:
        ended = end(tried, steps, **budgets)
    except MachineError:
        return  # no row for the end of the plan
    assert all(ended.used[name] <= limit for name, limit in ended.limits.items())
    assert ended.turns == ended.stopped_on_turn == ended.meters["turns"] <= budgets["turns"]
    assert len(ended.tool_names) == ended.meters["tool_calls"]
    assert ended.turn - ended.turns == (1 if ended.at == "turn" else 0)
    assert ended == end(tried, steps, **budgets) == end(Machine(made), steps, **budgets)
    row = next(row for row in tried.rows if row.id == ended.row)
    assert (row.verb, row.outcome, row.at) == ("exit", ended.reason, ended.at)
