"""A run for people fits a terminal, shows nothing that acts instead of being seen, and its gauges don't lie."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from labspec.cli.timeline_text import CELLS, WIDTH, bar_of, timeline_text
from labspec.diagnostics.display import measure
from labspec.lab.model import Lab, Loop
from labspec.machine.build import to_machine
from labspec.machine.runner import Machine, MachineError
from labspec.pipeline import load
from labspec.timeline import watch

from ..emit.test_loop import random_labs

SPECS = sorted((Path(__file__).resolve().parents[2] / "specs").glob("*.yaml"))
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=90)
STEPS = st.lists(
    st.one_of(
        st.none(),
        st.fixed_dictionaries({"type": st.just("stop")}, optional={"reason": WORDS}),
        st.fixed_dictionaries({"name": WORDS | st.integers()}, optional={"ok": st.booleans(), "error": WORDS}),
        st.fixed_dictionaries({"name": st.just("get_weather"), "ok": st.booleans(), "error": WORDS}),
    ),
    max_size=12,
)


def assert_is_fit_to_be_shown(text: str) -> None:
    for line in text.split("\n"):
        assert measure(line) <= WIDTH, line
        assert line == line.rstrip()
        assert line.replace("\u200c", "").replace("\u200d", "").isprintable()


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_every_fixture_of_our_labs_fits_a_terminal(spec: Path) -> None:
    lab = load(spec).lab
    assert lab is not None
    for fixture in lab.fixtures:
        timeline = watch(Machine(lab.machine), fixture.simulated)
        text = timeline_text(timeline, lab, colour=False)
        assert_is_fit_to_be_shown(text)
        assert text.count("\nturn ") == len(timeline.turns)
        assert ESCAPES.sub("", timeline_text(timeline, lab, colour=True)) == text


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(random_labs(), STEPS)
def test_any_plan_of_any_lab_fits_a_terminal(lab: Lab, steps: list[Any]) -> None:
    machine = to_machine(Loop(*(getattr(lab, field) for field in Loop._fields)))
    try:
        timeline = watch(Machine(machine), {"id": "f\u202e\x1b[31m" * 20, "planned_calls": steps})
    except MachineError:
        assume(False)
        return
    assert_is_fit_to_be_shown(timeline_text(timeline, lab, colour=False))


def test_full_budgets_and_rows_stand_out_where_colour_is_wanted() -> None:
    lab = load(SPECS[2]).lab
    assert lab is not None
    fixture = lab.fixture("weather_timeout_v1")
    text = timeline_text(watch(Machine(lab.machine), fixture.data), lab, colour=True)
    assert "\x1b[1mturn 1\x1b[0m  get_weather -> failed: timeout\n" in text
    assert "turns [#---] 1/4   retries \x1b[1;33m[#]\x1b[0m 1/1\n" in text
    assert "\x1b[32mrow 1 `completed` ends the run at `result`: the result is ok and final\x1b[0m\n" in text


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_bar_is_full_only_when_nothing_is_left_and_empty_only_when_nothing_is_used(value: int, limit: int) -> None:
    bar = bar_of(value, limit)[1:-1]
    assert len(bar) == min(limit, CELLS)
    assert bar == "#" * bar.count("#") + "-" * bar.count("-")
    assert ("-" not in bar) == (value >= limit)
    if limit:
        assert ("#" not in bar) == (value == 0)


@given(st.integers(0, CELLS), st.integers(1, CELLS))
def test_a_small_budget_has_a_cell_for_each_unit(value: int, limit: int) -> None:
    assert bar_of(value, limit).count("#") == min(value, limit)
