"""The loop emitted for Node does what the reference does: record, exit code, trace and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from labspec.lab.model import Budget, Loop
from labspec.machine.build import to_machine
from labspec.machine.runner import Machine, WorkspaceTools, fresh_workspace, run

from ..emit.labs import BUILTIN, exit_row, first_lab, meter
from ..emit.test_loop import OTHERS as SCRIPTED
from ..emit.test_loop import SEVEN_KINDS, STRANGE, random_labs
from ..emit.test_tools import CHANGES, OTHERS, left_by, steps_of
from ..emit.tool_labs import call_of, lab_of, second_lab, tool_loop
from .played import Job, code_of, played

if TYPE_CHECKING:
    from collections.abc import Iterable

    from labspec.lab.model import Lab

COLLECTING = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""Hypothesis only draws examples; they are played together, because a process for each would take too long."""


class Case(NamedTuple):
    """A fixture to be played by both, and what the reference left."""

    job: Job
    expected: dict[str, Any]
    files: dict[str, str | bytes]


def collected(examples: int, strategy: st.SearchStrategy[Any]) -> list[Any]:
    """So many examples of a strategy, the same every time."""
    found: list[Any] = []

    @settings(COLLECTING, max_examples=examples)
    @given(strategy)
    def collect(example: Any) -> None:
        found.append(example)

    collect()
    return found


class Plans:
    """Collects the fixtures that labs are to be held to; `hold` plays them all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cases: list[Case] = []
        self.labs = 0

    def of(self, lab: Lab, fixtures: Iterable[dict[str, Any]]) -> None:
        """Add fixtures of a lab."""
        self.labs += 1
        code = code_of(lab, self.folder / f"lab {self.labs}")
        machine = Machine(lab.machine)
        for fixture in fixtures:
            self.cases.append(self._case(machine, code, fixture))

    def _case(self, machine: Machine, code: Path, fixture: dict[str, Any]) -> Case:
        place = self.folder / f"run {len(self.cases)}"
        place.mkdir()
        trace = place / "trace.json"
        if machine.workspace is None:
            ending = run(machine, fixture, "r", None, trace)
            return Case(Job(code, fixture), _expected(machine, ending, trace), {})
        with fresh_workspace(machine, fixture) as root:
            ending = run(machine, fixture, "r", None, trace, WorkspaceTools(machine, root))
            files = left_by(root.parent)
        with fresh_workspace(machine, fixture) as root:
            workspace = place / "sandbox" / "workspace"
            workspace.parent.mkdir()
            root.rename(workspace)
            root.mkdir()
        return Case(Job(code, fixture, workspace), _expected(machine, ending, trace), files)

    def hold(self) -> None:
        """Play everything, and compare."""
        answers = played([case.job for case in self.cases])
        for case, answer in zip(self.cases, answers, strict=True):
            assert "crash" not in answer, (answer, case.job)
            events = [{key: event[key] for key in event if key != "last_error"} for event in answer["events"]]
            came = {"record": answer["record"], "exit_code": answer["exitCode"], "events": events}
            assert came == case.expected, case.job
            if case.job.workspace is not None:
                assert left_by(case.job.workspace.parent) == case.files, case.job


def _expected(machine: Machine, ending: Any, trace: Path) -> dict[str, Any]:
    record = machine.recorder.record(ending, "r", "f")
    return {
        "record": {name: record[name] for name in record if name not in ("run_id", "fixture_id")},
        "exit_code": ending.exit_code,
        "events": json.loads(trace.read_text("ascii")),
    }


def fixture_of(plan: list[Any], **more: Any) -> dict[str, Any]:
    return {"id": "f", "planned_calls": plan, **more}


def test_random_plans_come_to_what_the_reference_says(tmp_path: Path) -> None:
    lab = second_lab()
    limits = st.sampled_from([{}, {"tool_calls": 9}, {"turns": 3}, {"write_bytes": 0}])
    examples = collected(300, st.tuples(st.lists(steps_of(lab), max_size=9), limits))
    plans = Plans(tmp_path)
    plans.of(lab, [fixture_of(plan, budgets=budgets, workspace=CHANGES) for plan, budgets in examples])
    plans.hold()


def test_other_labs_with_tools_agree_with_the_reference(tmp_path: Path) -> None:
    plans = Plans(tmp_path)
    for lab in OTHERS.values():
        examples = collected(20, st.lists(steps_of(lab), max_size=7))
        plans.of(lab, [fixture_of(plan, workspace=CHANGES) for plan in examples])
    plans.hold()


def test_first_lab_runs_on_node_as_well(tmp_path: Path) -> None:
    plans = Plans(tmp_path)
    pairs = [[one, other, *SEVEN_KINDS[:2]] for one in SEVEN_KINDS for other in SEVEN_KINDS]
    plans.of(first_lab(), [fixture_of(plan) for plan in [[], *([step] for step in STRANGE), *pairs]])
    plans.of(first_lab(), [fixture_of(SEVEN_KINDS[:1] * 5, budgets={"retries": 4})])
    plans.hold()


def test_other_tables_agree_with_the_reference(tmp_path: Path) -> None:
    plans = Plans(tmp_path)
    for lab in SCRIPTED.values():
        plans.of(with_all_meters(lab), [fixture_of(plan) for plan in spread(6)])
    plans.hold()


def with_all_meters(lab: Lab) -> Lab:
    """The lab, with budgets whose use is that of every meter."""
    meters = tuple(meter.name for meter in lab.meters)
    budgets = tuple(budget._replace(meters=meters) for budget in lab.budgets)
    loop = Loop(budgets, lab.meters, lab.tools, None, lab.plan_ends, lab.errors, lab.taxonomy, lab.table)
    return lab._replace(budgets=budgets, workspace=None, traced=True, machine=to_machine(loop))


def spread(length: int) -> list[list[Any]]:
    """Plans that meet every strange step, in several neighbourhoods."""
    count = len(STRANGE)
    starts = [(start, stride) for start in range(count) for stride in (1, 7)]
    return [[], *([STRANGE[(start + stride * index) % count] for index in range(length)] for start, stride in starts)]


def test_random_tables_agree_with_the_reference(tmp_path: Path) -> None:
    some_plans = st.lists(st.lists(st.sampled_from(STRANGE), max_size=5), min_size=1, max_size=8)
    plans = Plans(tmp_path)
    for lab, examples in collected(60, st.tuples(random_labs(), some_plans)):
        plans.of(with_all_meters(lab), [fixture_of(plan) for plan in examples])
    plans.hold()


def test_names_that_collide_in_camel_case_stay_apart(tmp_path: Path) -> None:
    names = ("a_1", "a1", "next_a1", "a1_before", "next_turns", "constructor", "class", "call", "limits", "to_string")
    rows = [
        exit_row(number, "budget:turns", "turn", f"{name} > budgets.{name} or plan.ended")
        for number, name in enumerate(names, start=1)
    ]
    loop = tool_loop(
        *(row._replace(id=f"row{row.number}") for row in rows),
        meters=(*BUILTIN, *(meter(name, "call", add=str(number)) for number, name in enumerate(names))),
        budgets=tuple(Budget(name, 20, (name,)) for name in names),
        plan_ends="end",
    )
    plans = Plans(tmp_path)
    plans.of(lab_of(loop), [fixture_of([call_of("green_tests")] * count) for count in (0, 3, 7)])
    plans.hold()
