"""The page shows all of a lab, asks for nothing from anywhere, and shows an author's text as text."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from labspec.emit.encode import visible
from labspec.emit.templates import template_text
from labspec.lab.model import Lab
from labspec.machine.runner import Machine
from labspec.pipeline import Loaded, load
from labspec.preview import Follower
from labspec.preview.page import plan_lab, plan_preview, print_preview
from labspec.preview.runs import plan_runs
from labspec.timeline import watch
from tests.cli.users import small_lab
from tests.page.parsed import Parsed
from tests.preview.pages import CASES, ROOT, SPECS, page_of

SMALL = SPECS / "valid" / "_base.yaml"
HOSTILE = SPECS / "valid" / "markup-in-every-text.yaml"
SOUND = [*sorted((ROOT / "specs").glob("*.yaml")), SMALL, HOSTILE, CASES / "whole.yaml"]
BROKEN = [SPECS / "invalid" / name for name in ("budget-zero.yaml", "loop-never-ends.yaml", "condition-empty.yaml")]
WITH_ERRORS = [path for path in sorted((SPECS / "invalid").glob("*.yaml")) if not path.name.startswith("_")]

sound = pytest.mark.parametrize("spec", SOUND, ids=lambda path: path.stem)


def lab_of(spec: Path) -> Lab:
    lab = load(spec).lab
    assert lab is not None
    return lab


@sound
def test_everything_in_a_lab_is_named(spec: Path) -> None:
    lab = lab_of(spec)
    text = Parsed(page_of(spec)).text
    named = [lab.id, lab.version, visible(lab.title), *(row.outcome for row in lab.table)]
    named += [fixture.id for fixture in lab.fixtures] + [visible(fixture.title) for fixture in lab.fixtures]
    named += [gate.id for gate in lab.rubric] + [budget.name for budget in lab.budgets]
    named += [visible(mistake.says) for mistake in lab.mistakes]
    named += [visible(reason.says) for reason in lab.taxonomy]
    named += [visible(item.says) for item in lab.manual]
    named += [goal.id for goal in (lab.stretch.goals if lab.stretch else ())]
    plain = text.replace("`", "")
    assert [name for name in named if name.replace("`", "") not in plain] == []


@sound
def test_a_fixture_can_be_stepped_through_from_its_first_turn_to_its_exit(spec: Path) -> None:
    """As the reference runner goes: each turn with every meter, and the row that fires."""
    lab = lab_of(spec)
    runs = {run.id: run for run in plan_runs(lab)}
    for fixture in lab.fixtures:
        told, run = watch(Machine(lab.machine), fixture.simulated), runs[fixture.id]
        assert [turn.number for turn in run.turns] == [turn.number for turn in told.turns]
        for turn, view in zip(told.turns, run.turns, strict=True):
            fired = [row.number for moment in view.moments for row in moment.rows if row.answer == "yes"]
            assert fired == [lab.row(name).number for name in (turn.refused, turn.ended) if name]
            shown = {meter.meter: meter.value.partition(" ")[0] for meter in view.meters}
            assert shown == {name: str(turn.meters[name]) for name in shown}
        assert (run.reason, run.length) == (fixture.ending.reason, run.length)


def test_a_very_long_run_shows_how_it_begins_and_how_it_ends(tmp_path: Path) -> None:
    changes = (
        ("{turns: 3, ", "{turns: 200, "),
        ("times: 5", "times: 300"),
        ("turn_cap, turns: 3", "turn_cap, turns: 200"),
    )
    spec = small_lab(tmp_path / "lab.yaml", *changes)
    run = next(run for run in plan_runs(lab_of(spec)) if run.id == "never_final")
    assert [turn.number for turn in run.turns] == [*range(1, 41), *range(182, 202)]
    assert run.turns[-1].label == "exit"
    assert run.left_out == "Turns 41 to 181 are not shown."
    assert run.left_out in Parsed(page_of(spec)).text


@pytest.mark.parametrize("spec", [*SOUND, *BROKEN, *sorted(CASES.glob("*.yaml"))], ids=lambda path: path.stem)
def test_the_page_is_in_order(spec: Path) -> None:
    """Names are given once, links lead somewhere, and nothing needs what the security policy forbids."""
    page = page_of(spec)
    parsed = Parsed(page)
    assert max(Counter(parsed.values("id")).values()) == 1
    targets = {f"#{view}" for view in parsed.values("data-view")}
    targets |= {f"#fixtures/{run}" for run in parsed.values("data-run")}
    targets |= {f"#handout/{file}" for file in parsed.values("data-document")}
    targets |= {f"#spec/{line}" for line in parsed.values("data-line")}
    links = [link for link in parsed.values("href") if link.startswith("#")]
    assert [link for link in links if link not in targets and link.rpartition("/")[0] not in targets] == []
    assert {value for name, value in parsed.attributes if name == "src"} == {"/script.js"}
    others = [link for link in parsed.values("href") if not link.startswith(("#", "https://"))]
    assert sorted(others) == ["/icon.svg", "/style.css"]
    assert [name for name, _ in parsed.attributes if name == "style" or name.startswith("on")] == []
    assert parsed.code == {}


def test_hostile_text_is_shown_and_adds_nothing_to_the_page() -> None:
    tame = Parsed(page_of(CASES / "whole.yaml")).shapes | Parsed(page_of(ROOT / "specs" / "loop-budget.yaml")).shapes
    hostile = Parsed(page_of(HOSTILE))
    assert hostile.shapes <= tame
    lab = lab_of(HOSTILE)
    shown = [lab.title, lab.summary, *(reason.says for reason in lab.taxonomy), *(one.says for one in lab.mistakes)]
    plain = hostile.text.replace("`", "")
    assert [text for text in shown if visible(text).replace("`", "") not in plain] == []


@pytest.mark.parametrize("name", ["text-that-breaks-out", "unicode", "names-at-their-limits", "jinja-in-quotes"])
def test_odd_text_changes_no_shape(name: str) -> None:
    tame = Parsed(page_of(ROOT / "specs" / "loop-budget.yaml")).shapes | Parsed(page_of(CASES / "whole.yaml")).shapes
    assert Parsed(page_of(SPECS / "valid" / f"{name}.yaml")).shapes <= tame


def test_bytes_that_are_no_text_are_shown_as_what_they_are(tmp_path: Path) -> None:
    spec = tmp_path / "lab.yaml"
    spec.write_bytes(b"title: \xff<script>\x1b[31m\xe2\x80\xaegnp\n")
    page = page_of(spec)
    assert {character for character in page if not character.isprintable()} == {"\n"}
    assert "title: \\xff<script>\\x1b[31m\\u202egnp" in Parsed(page).text
    assert "<script>" not in page.replace('<script src="/script.js" defer></script>', "")


def test_the_same_spec_gives_the_same_page() -> None:
    assert Follower(SMALL).board.shown() == Follower(SMALL).board.shown()


def test_the_last_lab_stays_while_the_spec_means_none() -> None:
    sound, broken = load(SMALL), load(SPECS / "invalid" / "budget-negative.yaml")
    assert sound.lab is not None
    assert broken.resolved is None
    plan = plan_preview("lab.yaml", broken, plan_lab(sound.lab))
    text = Parsed(print_preview(plan).text).text
    assert plan.is_old
    assert "Below is an earlier version" in text
    assert sound.lab.title in text
    assert broken.report.sorted()[0].message.replace("`", "") in text


@pytest.mark.parametrize("spec", WITH_ERRORS, ids=lambda path: path.stem)
def test_a_lab_with_errors_is_shown_as_far_as_it_means_one(spec: Path) -> None:
    """Whatever is wrong with it, the page has the lab, or says that there is none, and has every finding."""
    loaded = load(spec)
    plan = plan_preview(spec.name, loaded, plan_lab(loaded.resolved) if loaded.resolved else None)
    text = Parsed(print_preview(plan).text).text
    assert ("The lab below has errors" in text) == (loaded.resolved is not None)
    assert ("There is nothing to show yet" in text) == (loaded.resolved is None)
    assert [note.code for note in plan.source.notes] == [finding.code for finding in loaded.report.sorted()]


def test_an_expectation_that_is_wrong_hides_nothing() -> None:
    """The fixture is shown as it really runs, beside the finding."""
    text = Parsed(page_of(CASES / "expectation.yaml")).text
    assert "expects reason gave_up and turns 5, but the table leads to reason no_calls and turns 4" in text
    assert "Row 2, no_calls, decides at call" in text


def test_pages_that_differ_have_different_revisions() -> None:
    empty, broken = Loaded(), load(SPECS / "invalid" / "budget-zero.yaml")
    plans = [plan_preview(name, loaded, None) for name, loaded in (("a", empty), ("a", broken), ("b", empty))]
    assert len({print_preview(plan).revision for plan in plans}) == 3


def test_a_fault_of_ours_is_told_apart_and_shown_in_full() -> None:
    fault = 'Traceback:\n  File "<x>"\nKeyError: 1'
    text = print_preview(plan_preview("a.yaml", Loaded(), None, fault)).text
    assert "This is a fault of labspec, not of your spec" in text
    assert "<pre>Traceback:\n  File &#34;&lt;x&gt;&#34;\nKeyError: 1</pre>" in text


def test_style_and_script_ask_for_nothing_from_elsewhere() -> None:
    style = template_text("page/base.css") + template_text("preview/style.css")
    script = template_text("preview/script.js")
    assert not re.search(r"https?:|url\(|@import|@font-face", style)
    assert not re.search(r"https?:|innerHTML\s*=|eval\(|Function\(|import\s*\(", script)
    assert re.findall(r"(?:fetch|EventSource)\(([^,)]*)", script) == ['"/"', '"/changes"']
