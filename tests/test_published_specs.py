"""What the articles behind the labs got wrong is found: specs that repeat it have exactly the findings they should.

The whole output for each of them stands beside it: the contradiction of an exercise, the budget that never binds, and
the slips that the published fixtures let through, with the fixtures that close them.
"""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from labspec.checks.mistakes import Judge
from labspec.cli import main
from labspec.diagnostics import Span
from labspec.machine.runs import Runs
from labspec.mutants.verdicts import judge_mutants
from labspec.pipeline import load
from tests.regen import check, published

PUBLISHED = Path(__file__).parent / "specs" / "published"
MORE_TURNS = PUBLISHED / "loop-budget-thirteen-turns.yaml"
SHIPPED = Path(__file__).parents[1] / "specs"


class Found(NamedTuple):
    """A finding by its code, the line it stands at and the lines it is related to, as they are written."""

    code: str
    line: str
    related: tuple[str, ...]


def findings(spec: Path) -> list[Found]:
    """What `labspec check` finds in `spec`."""
    lines = spec.read_text(encoding="utf-8").splitlines()

    def line_of(span: Span | None) -> str:
        return "" if span is None else lines[span.line - 1].strip()

    report = load(spec).report
    return [
        Found(one.code, line_of(one.span), tuple(line_of(other.span) for other in one.related))
        for one in report.diagnostics
    ]


@pytest.mark.parametrize("spec", published(), ids=lambda path: path.stem)
def test_a_published_form_gets_the_findings_that_were_reviewed(spec: Path) -> None:
    assert check(spec)[1] == spec.with_suffix(".txt").read_text("utf-8"), "run `python -m tests.regen`, read the diff"


@pytest.mark.parametrize("name", ["loop-exit-ledger-published", "loop-budget-published-thirteen-turns"])
def test_the_suggested_fixtures_leave_no_slip_and_are_nothing_but_added_lines(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(PUBLISHED, tmp_path / "specs")
    spec = tmp_path / "specs" / f"{name}.yaml"
    before = spec.read_text("utf-8").splitlines(keepends=True)
    assert main(["check", "--fix", str(spec)]) == 0
    assert "mutant-survives" not in capsys.readouterr().out
    changes = difflib.ndiff(before, spec.read_text("utf-8").splitlines(keepends=True))
    assert {line[0] for line in changes} == {" ", "+"}
    lab = load(spec).lab
    assert lab is not None
    judge = Judge(lab)
    for one in judge_mutants(lab):
        caught = judge.failed_gates(Runs(one.mutant.machine))
        assert bool(caught) == (one.difference.verdict == "differs"), one.mutant.says


def test_twelve_calls_that_eight_turns_cannot_use_up_are_a_finding_at_the_budget_and_its_row() -> None:
    assert findings(PUBLISHED / "loop-budget-defaults.yaml") == [
        Found(
            "budget-never-binds",
            "tool_calls: 12",
            ("- {exit: budget:tool_calls, at: call, when: tool_calls > budgets.tool_calls}",),
        )
    ]


def test_one_turn_more_than_there_are_calls_is_enough() -> None:
    assert findings(MORE_TURNS) == []


def test_the_shipped_lab_has_that_loop_and_more_turns() -> None:
    shipped, thirteen = (load(spec).lab for spec in (SHIPPED / "loop-budget.yaml", MORE_TURNS))
    assert shipped is not None
    assert thirteen is not None
    assert [row._replace(says=None) for row in shipped.table] == list(thirteen.table)
    assert [meter._replace(says=None) for meter in shipped.meters] == list(thirteen.meters)
    assert {budget.name: budget.limit for budget in shipped.budgets} == {
        "turns": 16,
        "tool_calls": 12,
        "write_bytes": 8192,
    }
