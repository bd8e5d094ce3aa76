"""The gauges say how much of each budget every fixture uses."""

from __future__ import annotations

import pytest

from labspec.lab.model import Lab
from labspec.page.gauges import plan_gauges
from tests.page.labs import LABS


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
def test_a_gauge_is_full_exactly_for_those_who_have_used_it_up(lab: Lab) -> None:
    for gauge in plan_gauges(lab):
        assert len(gauge.uses) == len(lab.fixtures)
        full = [use for use in gauge.uses if use.used == use.limit]
        assert [dot.x for dot in gauge.dots].count("100.0%") == len(full)
        most = max(use.used for use in gauge.uses if not use.own)
        assert gauge.fill == f"{most / gauge.limit:.1%}"
        assert len(gauge.dots) + gauge.unused == len(gauge.uses)
        assert len({(dot.x, dot.y) for dot in gauge.dots}) == len(gauge.dots), "no dot hides another"
        assert all(0 < dot.y < gauge.bar_y for dot in gauge.dots)


def test_a_fixture_with_a_budget_of_its_own_is_held_to_that() -> None:
    lab = next(lab for lab in LABS if lab.id == "loop-guardrails")
    repeats = next(gauge for gauge in plan_gauges(lab) if gauge.budget == "repeats")
    dots = [dot for dot in repeats.dots if dot.own]
    assert [(dot.x, dot.binds, dot.says) for dot in dots] == [
        ("100.0%", True, "less_patience_v1 uses 1 of 1 (its own limit), and ends with stuck_loop")
    ]
