"""The drawing of the loop has every row in its place, and nothing on top of anything."""

from __future__ import annotations

from itertools import pairwise

import pytest

from labspec.lab.model import Lab
from labspec.page.diagram import ASKS_COLUMNS, PILL_COLUMNS, plan_diagram
from labspec.page.words import columns, plain
from tests.page.labs import HOSTILE, LABS, SMALL


@pytest.mark.parametrize("lab", [SMALL, HOSTILE, *LABS], ids=lambda lab: lab.id)
def test_the_drawing_has_each_row_once_in_the_order_in_which_it_is_asked(lab: Lab) -> None:
    diagram = plan_diagram(lab)
    asked = [row for moment in ("turn", "decision", "call", "result") for row in lab.table if row.at == moment]
    assert [plain(question.number.words) for question in diagram.questions] == [str(row.number) for row in asked]
    assert [question.look == "refuse" for question in diagram.questions] == [row.verb == "refuse" for row in asked]
    assert [bool(question.loops_back) for question in diagram.questions] == [row.verb == "refuse" for row in asked]
    boxes = sorted(
        [one.asks for one in diagram.questions] + [one.box for one in diagram.headers], key=lambda box: box.y
    )
    assert all(upper.bottom < lower.y for upper, lower in pairwise(boxes)), "no box touches another"
    assert boxes[-1].bottom < diagram.height
    for question in diagram.questions:
        assert all(question.asks.y < text.y < question.asks.bottom for text in question.texts)
        assert all(question.pill.y < text.y < question.pill.bottom for text in (*question.outcome, question.then))
        assert all(columns(plain(text.words)) <= ASKS_COLUMNS for text in question.texts)
        assert all(columns(plain(text.words)) <= PILL_COLUMNS for text in question.outcome)
