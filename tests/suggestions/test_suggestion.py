"""What is suggested does what the plan does, and reads like what the author of the lab writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from labspec.checks.mistakes import Judge
from labspec.machine.alphabet import Step
from labspec.machine.runner import Call, Machine, run_in_workspace
from labspec.machine.runs import Runs
from labspec.machine.simulation import BAD_CALL, SimulatedTools
from labspec.mutants import mutants_of
from labspec.pipeline import load
from labspec.suggestions import Author, SuggestionError, Wanted
from labspec.suggestions.add import add_fixtures

from .labs import SMALL, SPECS, lab_of, wanted_for

BUDGET, GUARDRAILS, LEDGER = (
    next(spec for spec in SPECS if spec.stem == name)
    for name in ("loop-budget-python", "loop-guardrails", "loop-exit-ledger")
)
ALL = pytest.mark.parametrize("spec", [*SPECS, SMALL], ids=lambda spec: spec.stem)


def fixture_for(spec: Path, *plan: Step, **budgets: int) -> dict[str, Any]:
    lab = lab_of(spec)
    wanted = Wanted(plan, tuple(gate.id for gate in lab.rubric), (), budgets)
    return Author(lab).suggest(wanted, "a-code").fixture


def steps_for(spec: Path, *plan: Step) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = fixture_for(spec, *plan)["steps"]
    return steps


@ALL
def test_every_plan_of_the_explorer_becomes_a_fixture(spec: Path) -> None:
    """It catches all that it is wanted for, but what no gate looks for, and where something blocks it."""
    author = Author(lab_of(spec))
    for wanted in wanted_for(spec):
        made = author.suggest(wanted, "a-code")
        loop = [mutant.says for mutant in wanted.mutants if mutant.family != "recorder"]
        assert made.slips
        assert made.blocked or set(loop) <= set(made.slips)
        assert made.code == "a-code"


@ALL
def test_in_the_spec_the_suggestions_do_what_they_are_for(spec: Path) -> None:
    """No expectation is contradicted, no name taken twice, no goal or mistake disturbed, and every slip is caught."""
    author = Author(lab_of(spec))
    made = [(author.suggest(wanted, "a-code"), wanted.mutants) for wanted in wanted_for(spec)]
    quiet = [(one, mutants) for one, mutants in made if one.blocked is None]
    assert len(quiet) > len(made) * 3 / 4
    data, added = add_fixtures(spec.read_bytes(), spec.as_posix(), [one for one, _ in quiet])
    loaded = load(spec, data)
    assert [one.code for one in loaded.report.diagnostics if one.severity == "error"] == []
    assert loaded.lab is not None
    lines = data.decode().split("\n")
    assert [lines[one.line - 1].strip() for one in added] == [f"- id: {one.suggestion.fixture['id']}" for one in added]
    judge = Judge(loaded.lab)
    for one, mutants in quiet:
        caught = [mutant for mutant in mutants if mutant.says in one.slips]
        assert caught
        assert all(judge.failed_gates(Runs(mutant.machine)) for mutant in caught)


@pytest.mark.parametrize("spec", [BUDGET, GUARDRAILS], ids=lambda spec: spec.stem)
def test_commands_come_to_what_a_suggestion_without_a_note_says(spec: Path) -> None:
    """They are really run, on real files."""
    author = Author(lab_of(spec))
    made = [author.suggest(wanted, "a-code") for wanted in wanted_for(spec)]
    claims = [
        one
        for one in made
        if not one.note and not one.blocked and any("result" in step for step in one.fixture["steps"])
    ]
    assert len(claims) >= 3
    data, _ = add_fixtures(spec.read_bytes(), spec.as_posix(), claims)
    lab = load(spec, data).lab
    assert lab is not None
    for claim in claims:
        fixture = lab.fixture(claim.fixture["id"])
        assert run_in_workspace(Machine(lab.machine), fixture.data, "a run", None, None) == fixture.ending


FAILED: Step = {"name": "get_weather", "ok": False, "error": "failed", "final": False}
FOUND: Step = {"name": "get_weather", "ok": True, "payload": {}, "final": True}
STOP: Step = {"type": "stop", "reason": "model_stop"}


def test_calls_fail_and_succeed_as_they_do_in_the_fixtures_of_the_lab() -> None:
    assert steps_for(LEDGER, FAILED, FOUND) == [
        {"call": "get_weather", "error": "timeout"},
        {"call": "get_weather", "payload": {"city": "Lisbon", "celsius": 22}, "final": True},
    ]


def test_a_text_that_may_not_stand_in_a_record_stays_what_it_is() -> None:
    """It is what the slip is about."""
    trace = "first line\nsecond line"
    assert steps_for(LEDGER, {**FAILED, "error": trace})[0]["error"] == trace


def test_what_is_no_call_of_a_tool_is_written_as_such() -> None:
    unknown: Step = {"name": "no_such_tool", "ok": True, "payload": {}, "final": False}
    assert steps_for(BUDGET, unknown, {"type": "other"}) == [
        {"call": "no_such_tool", "unknown": True},
        {"malformed": "not_a_call"},
    ]
    assert steps_for(LEDGER, unknown, {"ok": True, "payload": {}, "final": False}) == [
        {"call": "no_such_tool", "payload": {}, "unknown": True},
        {"malformed": "no_name"},
    ]
    assert steps_for(BUDGET, {"name": "write_file", "call": BAD_CALL}, STOP)[0] == {"call": "write_file", "args": {}}


@pytest.mark.parametrize("ok", [True, False])
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("name", ["read_file", "write_file"])
def test_paths_look_and_end_as_the_plan_says(name: str, inside: bool, ok: bool) -> None:
    error = {} if ok else {"error": "not_writable" if name == "write_file" else "not_readable"}
    call = Call("a file", inside=inside, size=3 if name == "write_file" else 0, lines=1)
    (step,) = steps_for(BUDGET, {"name": name, "call": call, "ok": ok, **error})
    tools = SimulatedTools(Machine(lab_of(BUDGET).machine), {})
    assert step["call"] == name
    assert tools.is_inside(step["args"]["file"]) == inside
    assert tools.run(name, step).ok == ok


@pytest.mark.parametrize(
    ("size", "lines"), [(0, 0), (1, 1), (2, 2), (5, 1), (80, 1), (81, 1), (599, 5), (600, 6), (601, 7)]
)
def test_texts_have_exactly_the_bytes_and_lines_that_matter(size: int, lines: int) -> None:
    plan: Step = {"name": "write_file", "call": Call("a file", size=size, lines=lines), "ok": True}
    contents = steps_for(GUARDRAILS, plan)[0]["args"]["contents"]
    assert len(contents.encode()) == size
    assert lines < 5 or contents.count("\n") == lines, "five lines is where the lab draws its line"
    assert max(map(len, contents.split("\n"))) <= 80 or size > 500


@pytest.mark.parametrize(
    ("plan", "budgets", "name", "title"),
    [
        ([], {}, "plan_ran_out_after_nothing_v1", "A plan without steps"),
        ([FAILED], {}, "tool_error_after_failure_v1", "A failing call"),
        ([FAILED] * 2, {"retries": 2}, "tool_error_after_2_failures_v1", "Two failing calls, with retries: 2"),
        (
            [FAILED, {**FOUND, "final": False}, FAILED],
            {},
            "retry_exhausted_after_3_steps_v1",
            "A failing call, a call that succeeds, then a failing call",
        ),
        (
            [{**FOUND, "ok": False, "error": "failed"}, FAILED, STOP, FAILED, STOP],
            {"retries": 9},
            "turn_cap_after_5_steps_v1",
            "A failing call that claims to be final, a failing call, a stop, then two more steps, with retries: 9",
        ),
    ],
)
def test_names_and_titles_say_what_happens(plan: list[Step], budgets: dict[str, int], name: str, title: str) -> None:
    made = fixture_for(LEDGER, *plan, **budgets)
    assert (made["id"], made["title"]) == (name, title)


def test_two_fixtures_never_get_one_name() -> None:
    author = Author(lab_of(LEDGER))
    names = [author.suggest(Wanted((FAILED,), ("retries",)), "a-code").fixture["id"] for _ in range(3)]
    assert names == [f"tool_error_after_failure_v{number}" for number in (1, 2, 3)]


def test_the_gate_is_the_first_in_which_no_mistake_is_a_surprise() -> None:
    """Two failures in a row are what the mistakes of the gate `retries` are about."""
    lab = lab_of(LEDGER)
    wanted = Wanted((FAILED, FAILED), tuple(gate.id for gate in lab.rubric))
    assert Author(lab).suggest(wanted, "a-code").fixture["gates"] == ["retries"]
    only = Author(lab).suggest(wanted._replace(gates=("completes",)), "a-code")
    assert only.fixture["gates"] == ["completes"]
    assert re.fullmatch(r"with it the mistake `\w+` costs the gate `completes` too, .*", only.blocked or "")


@pytest.mark.parametrize(
    ("spec", "plan", "why"),
    [
        (BUDGET, [{"name": "read_file", "call": Call("a file", inside=False), "ok": True}] * 3, "stretch goal"),
        (LEDGER, [{**FOUND, "name": "two\nlines"}], "must be one line"),
    ],
)
def test_what_no_fixture_can_do_is_said(spec: Path, plan: list[Step], why: str) -> None:
    with pytest.raises(SuggestionError, match=why):
        steps_for(spec, *plan)


def test_a_command_that_no_fixture_shows_is_left_to_proof() -> None:
    lab = lab_of(GUARDRAILS)
    write: Step = {"name": "write_file", "call": Call("a file", size=7, lines=1), "ok": True}
    red: Step = {"name": "run_tests", "call": Call(), "ok": False, "error": "test_failed", "final": False}
    made = Author(lab).suggest(Wanted((write, red, STOP), (lab.rubric[0].id,)), "a-code")
    assert made.note == "whether `run_tests` really comes to that is for `labspec prove` to show"


def test_a_slip_that_no_gate_looks_for_gets_no_fixture() -> None:
    """It would be added and change nothing: what is missing is a check."""
    lab = lab_of(SMALL)
    (mutant,) = (one for one in mutants_of(lab) if one.says == "the exit code is always 0")
    wanted = Wanted((), tuple(gate.id for gate in lab.rubric), (mutant,))
    with pytest.raises(SuggestionError, match="no gate makes a check on it that sees the slip"):
        Author(lab).suggest(wanted, "a-code")


def test_a_fixture_joins_as_few_gates_as_catch_everything() -> None:
    lab = lab_of(SMALL)
    slips = ("row `turn_cap` gives the reason ", "a line has a field that nobody agreed on")
    mutants = tuple(one for one in mutants_of(lab) if one.says.startswith(slips))
    made = Author(lab).suggest(Wanted((), ("exits", "record"), mutants), "a-code")
    assert made.fixture["gates"] == ["exits", "record"]
    assert made.slips == tuple(mutant.says for mutant in mutants)


def test_a_command_finds_the_files_that_it_is_known_to_pass_with() -> None:
    """Here one fixture writes them, and then runs the tests: the new one begins with them."""
    lab = lab_of(BUDGET)
    happy = lab.fixture("happy_path_v1")
    green: Step = {"name": "run_tests", "call": Call(), "ok": True, "payload": {}, "final": False}
    made = Author(lab._replace(fixtures=(happy,))).suggest(Wanted((green, STOP), ("happy_path",)), "a-code")
    assert made.note is None
    assert made.fixture["workspace"] == {"files": {"fixtures/app.py": happy.files["fixtures/app.py"]}}
