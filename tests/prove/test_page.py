"""The page of a proof says everything, stands alone, and shows an author's text as text."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.emit.encode import visible
from labspec.lab.model import Lab
from labspec.machine.explorer import explore
from labspec.machine.runner import Machine
from labspec.mutants import mutants_of
from labspec.page.words import plain
from labspec.prove.page import page, plan_page
from labspec.prove.page.matrix import plan_matrix
from labspec.prove.page.plans import plan_outcomes
from labspec.prove.proof import Caught, Fate, Proof, Result, Verdict
from tests.page.labs import HOSTILE, LABS, SMALL
from tests.page.parsed import Parsed
from tests.prove.pages import SPECS, STORED, proof_of, small_mutants, small_page

BREAKING_OUT = (
    "</script></style></td></svg><script>alert(1)</script>\"'><img src=//example.org> \u202egnp.exe\u2066 {{ 7*7 }}"
)


def page_of(proof: Proof) -> Parsed:
    return Parsed(page(proof, SMALL))


# --- the whole page ---


def test_the_page_of_a_small_proof_is_as_it_was_reviewed() -> None:
    assert small_page().encode() == STORED.read_bytes(), "run `python -m tests.regen` and look at the page"


def test_the_same_proof_gives_the_same_bytes_wherever_it_was_made() -> None:
    mutants = small_mutants()
    assert page(proof_of(SMALL, *mutants), SMALL) == small_page()
    program = "import sys; from tests.prove.pages import small_page; sys.stdout.buffer.write(small_page().encode())"
    for seed in ("1", "2"):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env={"PYTHONHASHSEED": seed}, cwd=SPECS.parents[1], stdout=-1, check=True)
        assert done.stdout == STORED.read_bytes()


@pytest.mark.parametrize("lab", [SMALL, HOSTILE, *LABS], ids=lambda lab: lab.id)
def test_everything_that_was_proved_is_named(lab: Lab) -> None:
    """Every gate, mutant, mistake, budget, meter reading, row, reason and fixture."""
    mutants = tuple(
        Caught(one.id, one.family, one.says, "caught", {lab.rubric[0].id: f"{one.id} was noticed"}, f"note of {one.id}")
        for one in mutants_of(lab)
    )
    text = Parsed(page(proof_of(lab, *mutants), lab)).text
    named = [gate.id for gate in lab.rubric] + [mistake.id for mistake in lab.mistakes]
    named += [budget.name for budget in lab.budgets] + [fixture.id for fixture in lab.fixtures]
    named += [row.id for row in lab.table] + [reason.name for reason in lab.taxonomy] + [lab.digest, lab.version]
    named += [mutant.id for mutant in mutants] + [mutant.note for mutant in mutants]
    named += [sentence for mutant in mutants for sentence in mutant.missed.values()]
    assert [name for name in named if name not in text] == []


@pytest.mark.parametrize("lab", [SMALL, HOSTILE, *LABS], ids=lambda lab: lab.id)
def test_every_link_and_label_leads_to_one_place(lab: Lab) -> None:
    parsed = Parsed(page(proof_of(lab, *small_mutants()), lab))
    ids = Counter(parsed.values("id"))
    links = parsed.values("href")
    labels = [label for labels in parsed.values("aria-labelledby") for label in labels.split()]
    assert len(links) > 5
    assert max(ids.values()) == 1
    assert [link for link in links if not link.startswith("#") or link[1:] not in ids] == []
    assert [label for label in labels if label not in ids] == []


def test_nothing_is_asked_for_from_anywhere() -> None:
    """No address stands in a tag, in the style or in the script, and the page forbids to load anything."""
    text = small_page()
    assert not re.search(r"https?:|src=|url\(|@import|<link|<img|<iframe|fetch\(|XMLHttp", text)
    assert Parsed(text).values("content")[1].startswith("default-src 'none'; ")


# --- text of others ---


def test_hostile_text_is_shown_and_adds_nothing_to_the_page() -> None:
    """Neither the spec's texts nor what tests said of a student's code become a tag, an attribute, style or script."""
    slips = (
        Caught("slip.a", "table", BREAKING_OUT, "survives", {}, BREAKING_OUT),
        Caught("slip.b", "table", "`code` " + BREAKING_OUT, "caught", {"exits": BREAKING_OUT}, ""),
        Caught("slip.c", "table", "plain", "equivalent", {}, "plain"),
        Caught("slip.d", "meters", "plain", "not decided", {}, "plain"),
    )
    tame = Parsed(small_page())
    hostile = Parsed(page(proof_of(HOSTILE, *slips), HOSTILE))
    assert hostile.shapes <= tame.shapes | {("tspan", "class"), ("svg", "aria-label", "height", "role", "width")}
    assert hostile.code == tame.code == {"script": 1, "style": 1}
    shown = [HOSTILE.title, *(reason.says for reason in HOSTILE.taxonomy), *(one.says for one in HOSTILE.mistakes)]
    shown += [meter.says for meter in HOSTILE.meters if meter.says] + [visible(BREAKING_OUT)]
    assert [text for text in shown if text not in hostile.text] == []
    assert hostile.text.count(visible(BREAKING_OUT)) == 5, "a survivor is named twice"


def test_nothing_that_nobody_sees_gets_into_a_page() -> None:
    """Marks that turn the direction of a text around are shown as what they are."""
    text = page(proof_of(SMALL, Caught("slip", "table", BREAKING_OUT, "caught", {"exits": BREAKING_OUT}, "")), SMALL)
    assert {character for character in text if not character.isprintable()} == {"\n"}
    assert "\\u202egnp.exe\\u2066" in text


def test_what_is_no_text_and_no_number_is_an_error_and_not_printed() -> None:
    with pytest.raises(TypeError, match="a page does not print a NoneType"):
        page(proof_of(SMALL)._replace(title=None), SMALL)  # type: ignore[arg-type]  # the fault that is tried


# --- the verdict ---


@pytest.mark.parametrize(
    ("fates", "verdict"),
    [
        ([], "Proved: every promise is kept"),
        (["caught", "equivalent"], "Proved: no slip goes unnoticed"),
        (["caught", "survives"], "NOT proved: 1 slip survives"),
        (["survives", "survives", "not decided"], "NOT proved: 2 slips survive, 1 slip is not decided"),
    ],
)
def test_the_verdict_says_what_stands_against_the_lab(fates: list[Fate], verdict: str) -> None:
    slips = [Caught(f"slip{number}", "table", "", fate, {}, "") for number, fate in enumerate(fates)]
    proof = proof_of(SMALL, *slips)
    plan = plan_page(proof, SMALL)
    assert plan.verdict == verdict
    assert plan.proved == proof.holds
    assert verdict in page_of(proof).text


def test_a_broken_promise_and_other_bytes_are_said_first_of_all() -> None:
    kept = proof_of(SMALL)
    every = frozenset(gate.id for gate in SMALL.rubric)
    free = Verdict("mistake", "no_retries", "costs exits", frozenset({"record"}), Result(every, {}))
    stuck = Verdict("mistake", "stuck", "costs exits", frozenset(), Result(frozenset(), {}, fault="the tests hung"))
    proof = kept._replace(same_bytes=False, verdicts=(*kept.verdicts, free, stuck))
    plan = plan_page(proof, SMALL)
    assert plan.verdict == "NOT proved: 2 promises are broken, a second build gives other bytes"
    assert [line.name for line in plan.attention] == ["no_retries", "stuck"]
    assert [[cell.state for cell in line.cells] for line in plan.attention] == [["gained", "earned"], ["unknown"] * 2]
    text = page_of(proof).text
    assert "A second build gave other bytes." in text
    assert "the tests hung" in text
    assert "The promise was: costs exits." in text


# --- the matrix ---


def test_what_needs_attention_stands_first_in_its_family() -> None:
    fates: tuple[Fate, ...] = ("equivalent", "caught", "not decided", "survives")
    slips = [Caught(fate, "budgets", "", fate, {}, "why") for fate in fates]
    (group,) = (one for one in plan_matrix(proof_of(SMALL, *slips), SMALL).groups if one.title.startswith("Slips"))
    assert [line.name for line in group.lines] == ["survives", "not decided", "caught", "equivalent"]
    assert [line.mark for line in group.lines] == ["survives", "not decided", "", "equivalent"]
    assert group.sums_up == "1 of 3 caught, 1 survives, 1 not decided, 1 changes nothing"
    assert group.wants_attention


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_a_gate_alone_catches_what_no_other_gate_does(caught: list[tuple[bool, bool]]) -> None:
    """Taken away, it would let just these through."""
    names = [gate.id for gate in SMALL.rubric]
    missed = [{name: "noticed" for name, is_missed in zip(names, one, strict=True) if is_missed} for one in caught]
    slips = [
        Caught(f"slip{number}", "table", "", "caught" if one else "survives", one, "")
        for number, one in enumerate(missed)
    ]
    proof = proof_of(SMALL, *slips)._replace(verdicts=())
    for column in plan_matrix(proof, SMALL).columns:
        let_through = [one for one in missed if one and not one.keys() - {column.gate}]
        assert column.alone == len(let_through)
        assert column.catches == sum(column.gate in one for one in missed)


def test_a_note_of_several_lines_keeps_them() -> None:
    """A fixture to add can be copied from the page."""
    fixture = "  - id: five_calls\n    steps:\n      - {call: search, times: 5}"
    text = page(proof_of(SMALL, Caught("slip", "table", "", "survives", {}, f"Add this fixture:\n{fixture}")), SMALL)
    assert "<bdi>Add this fixture:</bdi>" in text
    assert f"<pre>{fixture}\n</pre>" in text


# --- the shortest plans ---


def told(lab: Lab) -> dict[str, list[str]]:
    """What the page tells of the plan to each row."""
    return {
        plan.row: [
            *(f"{beat.times} x {plain(beat.says)} -> {plain(beat.outcome)}" for beat in plan.beats),
            f"{plan.ends} {plan.outcome}",
        ]
        for outcome in plan_outcomes(lab)
        for plan in outcome.plans
    }


def test_plans_are_told_as_a_teacher_would() -> None:
    ledger = told(next(lab for lab in LABS if lab.id == "loop-exit-ledger"))
    assert ledger == {
        "completed": ["1 x call get_weather -> ok, final", "in turn 1 the run ends with completed"],
        "retry_exhausted": ["2 x call get_weather -> fails", "in turn 2 the run ends with retry_exhausted"],
        "schema_mismatch": ["1 x a call without a name -> ", "in turn 1 the run ends with schema_mismatch"],
        "plan_ran_out": ["1 x the plan ends -> ", "before turn 1 the run ends with turn_cap"],
        "turn_cap": ["4 x call get_weather -> ok", "before turn 5 the run ends with turn_cap"],
        "tool_error": [
            "1 x call get_weather -> fails",
            "1 x the plan ends -> ",
            "before turn 2 the run ends with tool_error",
        ],
    }
    budget = told(next(lab for lab in LABS if lab.id == "loop-budget"))
    assert budget["script_exhausted"][0] == "1 x the plan has ended, which counts as a stop -> "
    assert budget["path_escape"] == [
        "1 x call read_file outside the allowed folders -> refused: path_escape",
        "in turn 1 the call is refused with path_escape",
    ]
    assert budget["budget_write_bytes"][0] == "1 x call write_file with 8193 bytes in 1 line -> not made"
    assert budget["budget_turns"][1] == "4 x call of an unknown tool, no_such_tool -> refused: unknown_tool"


@pytest.mark.parametrize("lab", [SMALL, HOSTILE, *LABS], ids=lambda lab: lab.id)
def test_every_row_has_its_plan_and_the_shortest_of_a_reason_comes_first(lab: Lab) -> None:
    fires = explore(Machine(lab.machine)).fires
    outcomes = plan_outcomes(lab)
    assert sorted(plan.row for outcome in outcomes for plan in outcome.plans) == sorted(row.id for row in lab.table)
    assert not [plan for outcome in outcomes for plan in outcome.plans if plan.missing]
    for outcome in outcomes:
        lengths = [len(fires[plan.row]) for plan in outcome.plans]
        assert lengths == sorted(lengths)


def test_a_row_that_no_plan_leads_to_says_so() -> None:
    dead = SMALL.table[0]._replace(id="dead", number=9)
    machine = {**SMALL.machine, "rows": [*SMALL.machine["rows"], {**SMALL.machine["rows"][0], "id": "dead"}]}
    lab = SMALL._replace(table=(*SMALL.table, dead), machine=machine)
    assert told(lab)["dead"] == ["in turn 0 the run ends with completed"]
    assert "No plan leads here." in Parsed(page(proof_of(lab), lab)).text
