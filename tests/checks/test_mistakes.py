"""What `labspec check` says that a mistake costs is what its runner misses under the generated tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labspec.pipeline import load
from labspec.prove.children import Children
from labspec.prove.judge import judge
from labspec.prove.subjects import alone, build, subjects

if TYPE_CHECKING:
    from labspec.lab.model import Lab

BASE = Path(__file__).resolve().parents[1] / "specs" / "valid" / "_base.yaml"

GATES = """
rubric:
  - {gate: exits, points: 3, says: It ends, checks: [{fixtures: [recovers, fails_twice, nameless, never_final]}]}
  - {gate: one_line, points: 1, says: One line, checks: [{check: one_line, fixtures: [recovers, nameless]}]}
  - {gate: append, points: 1, says: Appended, checks: [{check: append, fixtures: [recovers]}]}
  - {gate: fields, points: 1, says: Seven fields, checks: [{check: fields, fixtures: [recovers]}]}
  - {gate: sorted_keys, points: 1, says: In order, checks: [{check: sorted_keys, fixtures: [recovers]}]}
  - {gate: error_text, points: 1, says: Short, checks: [{check: error_text, fixtures: [fails_twice]}]}
  - {gate: repeat, points: 1, says: Twice, checks: [{check: repeat, fixtures: [never_final]}]}
  - {gate: exit_code, points: 1, says: Its code, checks: [{check: exit_code, fixtures: [fails_twice]}]}
"""
FIXTURE = """
  - id: stack_trace
    title: A tool that tells a story
    steps: [{call: search, error: "line one\\nline two", times: 2}]
    expect: {reason: retry_exhausted, last_error: tool_error}
"""
CHANGES = {
    "never_ends": "{table: [{remove: [turn_cap]}]}",
    "tells_stories": "{errors: {max_chars: null}}",
    "two_lines": "{recorder: {lines: 2}}",
    "fixed_run": "{recorder: {run_id: mine, exit_code: 0, sort_keys: false}}",
    "only_successes": "{recorder: {only_on: done}}",
}
COSTS = {
    "never_ends": ("exits", "repeat"),
    "tells_stories": ("error_text",),
    "two_lines": ("one_line", "append", "repeat"),
    "fixed_run": ("fields", "sorted_keys", "exit_code"),
    "only_successes": ("exits", "one_line", "error_text", "repeat", "exit_code"),
}
"""What each mistake costs, thought out by hand."""


def spec_of(costs: dict[str, tuple[str, ...]]) -> str:
    """The small lab with a gate for each check, and these claims."""
    text = BASE.read_text(encoding="utf-8")
    before, fixtures = text[: text.index("rubric:")], FIXTURE
    mistakes = "".join(
        f"  - {{id: {name}, says: Wrong, change: {change}, costs: [{', '.join(costs[name])}]}}\n"
        for name, change in CHANGES.items()
    )
    gates = GATES.replace("error_text, fixtures: [fails_twice]", "error_text, fixtures: [stack_trace]")
    return f"{before.rstrip()}{fixtures}{gates}\nmistakes:\n{mistakes}{text[text.index('agenda:') :]}"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    spec = tmp_path_factory.mktemp("spec") / "lab.yaml"
    spec.write_text(spec_of(COSTS), encoding="utf-8")
    loaded = load(spec)
    assert [(one.code, one.message) for one in loaded.report.diagnostics] == []
    assert loaded.lab is not None
    return loaded.lab


def test_a_wrong_claim_is_told_with_the_right_one(tmp_path: Path) -> None:
    spec = tmp_path / "lab.yaml"
    spec.write_text(spec_of(dict.fromkeys(CHANGES, ("append", "exit_code"))), encoding="utf-8")
    report = load(spec).report
    assert [(one.code, one.help) for one in report.diagnostics] == [
        ("mistake-costs-other-gates", f"write `costs: [{', '.join(costs)}]`") for costs in COSTS.values()
    ]


@pytest.mark.xdist_group("prove")
def test_what_a_mistake_costs_is_what_its_runner_misses(lab: Lab, tmp_path: Path) -> None:
    """As lone scripts, under the generated tests."""
    chosen = ("never_ends", "tells_stories", "fixed_run")
    some = lab._replace(mistakes=tuple(one for one in lab.mistakes if one.id in chosen))
    gates = [gate.id for gate in lab.rubric]
    missed = {}
    with Children() as children:
        for subject in subjects(some, build(some, tmp_path), tmp_path):
            if subject.kind == "mistake":
                script = alone(subject, tmp_path / f"runner of {subject.name}")
                result = judge(script, tmp_path / f"tests of {subject.name}", children)
                assert result.fault is None
                missed[subject.name] = tuple(gate for gate in gates if gate not in result.earned)
    assert missed == {name: COSTS[name] for name in chosen}
