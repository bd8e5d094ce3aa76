"""A test whose outcome is known is run again for a machine exactly if one of its runs would leave something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labspec.pipeline import load
from labspec.prove.in_process import InProcessRuns
from labspec.prove.outcomes import Outcome
from labspec.prove.subjects import build

if TYPE_CHECKING:
    from labspec.lab.model import Lab, MachineData

SPEC = Path(__file__).resolve().parents[1] / "specs" / "valid" / "workspace-and-trace.yaml"
ANOTHER = b'{"run_id": "run-0000"}\n'


@pytest.fixture(scope="module")
def lab() -> Lab:
    """A workspace, a trace, and a mistake that shows where a call wants out of the workspace."""
    found = load(SPEC).lab
    assert found is not None
    return found


class Runs:
    """The runs of a built lab, by the reference at first."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.folder = folder
        (folder / "memory").mkdir()
        self.runs = InProcessRuns(build(lab, folder).starter, folder / "memory")
        self.use("reference", lab.machine)
        self.runs.learn()

    def use(self, name: str, machine: MachineData) -> None:
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(machine), encoding="ascii")
        (self.folder / name).mkdir()
        self.runs.use(file, self.folder / name)

    def outcome_of(self, item: pytest.Item, fixture_id: str, earlier: bytes | None = None) -> Outcome:
        """What would be remembered of a test that asks for one run."""
        with self.runs.noted() as noted:
            self.runs.execute(fixture_id, "run-0001", earlier)
        return Outcome(item, noted, [])


def test_only_tests_that_would_see_something_else_are_run_again(
    lab: Lab, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Also after other machines and other runs: what was noted stays as it was."""
    made = Runs(lab, tmp_path)
    outcomes = {fixture.id: made.outcome_of(request.node, fixture.id) for fixture in lab.fixtures}
    outcomes["earlier"] = made.outcome_of(request.node, lab.fixtures[0].id, ANOTHER)
    made.use("mistake", lab.mistakes[0].machine)
    changed = {name for name, outcome in outcomes.items() if not outcome.is_same_with(made.runs)}
    made.use("reference again", lab.machine)
    assert all(outcome.is_same_with(made.runs) for outcome in outcomes.values())
    assert changed == {"wants_out"}


def test_a_slip_that_every_record_shows_leaves_no_test_unasked(
    lab: Lab, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The last test that was learned counts like any other."""
    made = Runs(lab, tmp_path)
    outcomes = [made.outcome_of(request.node, fixture.id) for fixture in lab.fixtures]
    made.use("slip", {**lab.machine, "recorder": {"sort_keys": False}})
    assert not any(outcome.is_same_with(made.runs) for outcome in outcomes)
