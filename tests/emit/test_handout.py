"""The handout explains what a lab counts for itself, and what each of its goals adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit import Edition, plan, render
from labspec.lab.model import Reason

from .labs import exit_row, first_lab, meter
from .tool_labs import second_lab, stretched_lab, tool_loop

if TYPE_CHECKING:
    from labspec.lab.model import Goal, Lab, Meter

BILL = meter("bill", "call", "call.known", "call.bytes + 100", resets_when="turns == 3", refund_when="not result.ok")


def readme(lab: Lab) -> str:
    """The handout of the starter."""
    return render(plan(lab, Edition()))["README.md"].data.decode()


def with_goal(goal: Goal) -> str:
    """What the handout says of one goal."""
    lab = stretched_lab()
    assert lab.stretch is not None
    text = readme(lab._replace(stretch=lab.stretch._replace(goals=(goal,))))
    return text[text.index("### Diff cap") :]


def the_goal() -> Goal:
    """The goal of the stretched lab."""
    stretch = stretched_lab().stretch
    assert stretch is not None
    return stretch.goals[0]


def with_meters(*meters: Meter) -> str:
    """The handout of the second lab with meters of its own in place of those it has."""
    lab = second_lab()
    return readme(lab._replace(meters=(*lab.meters, *meters)))


def test_meter_of_the_labs_own_is_explained_in_words() -> None:
    assert (
        "| `bill` | What the provider asks for | at `call`: the bytes of the call plus 100, if the tool is known "
        "| turns equal 3 | the result is not ok |\n"
    ) in with_meters(BILL._replace(says="What the provider asks for"))


def test_meter_without_words_of_the_author_is_called_by_its_name() -> None:
    assert "| `red_tests` | red tests | at `result`: 1 | never | never |\n" in with_meters(meter("red_tests", "result"))


def test_budget_of_an_own_meter_names_it() -> None:
    lab = second_lab()
    budget = lab.budgets[0]._replace(meters=("bill",))
    text = readme(lab._replace(budgets=(budget,), meters=(*lab.meters, BILL)))
    assert "| `turns` | `MAX_TURNS` | 8 | `bill` |\n" in text


def test_lab_without_own_meters_does_not_speak_of_meters() -> None:
    assert "meter" not in readme(first_lab()).lower()


def test_row_that_a_goal_adds_has_a_place_among_the_rows() -> None:
    text = with_goal(the_goal())
    assert (
        "| before row 8 | `call` | the lines of the call exceed 2 | refuses the call: `diff_too_long` "
        "| `diff_too_long` |\n"
    ) in text
    assert text.count("\n| before row") == 1
    assert "| Reason |" not in text
    assert "| Meter |" not in text


def test_row_that_a_goal_changes_stands_instead_of_the_row() -> None:
    rows = list(second_lab().table)
    rows[3] = rows[3]._replace(outcome="tests_green")
    text = with_goal(the_goal()._replace(loop=tool_loop(*rows)))
    assert "| instead of row 4 | `decision` | the decision is a stop | `tests_green` |" in text


def test_reason_and_meter_that_a_goal_adds_stand_in_its_part() -> None:
    loop = tool_loop(*second_lab().table, exit_row(9, "budget:bill", "result", "bill > 200"))
    loop = loop._replace(
        taxonomy=(*loop.taxonomy, Reason("budget:bill", "budget", 2, "The bill is too high", None)),
        meters=(*loop.meters, BILL),
    )
    text = with_goal(the_goal()._replace(loop=loop))
    assert "| last at its moment | `result` | bill exceed 200 | `budget:bill` |" in text
    assert "| `budget:bill` | a budget is used up | 2 | The bill is too high |\n" in text
    assert "| `bill` | bill | at `call`: the bytes of the call plus 100, if the tool is known |" in text
