"""The runs that are made once for all steps are the runs that the machine makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from labspec.lab.model import Lab
from labspec.machine.runner import Machine, MachineError
from labspec.machine.runs import Runs
from labspec.machine.simulation import Simulated, simulate
from labspec.pipeline import load

SPECS = Path(__file__).resolve().parents[2] / "specs"


def lab_of(spec: str) -> Lab:
    lab = load(SPECS / spec).lab
    assert lab is not None
    return lab


def afresh(machine: dict[str, object], fixture: dict[str, object]) -> Simulated | None:
    try:
        return simulate(Machine(machine), fixture)
    except MachineError:
        return None


@pytest.mark.parametrize("spec", ["loop-exit-ledger.yaml", "loop-budget.yaml"])
def test_what_a_mistake_comes_to_is_what_its_machine_does(spec: str) -> None:
    """Also where the machine differs in its recorder only, and the runs are the reference's."""
    lab = lab_of(spec)
    for mistake in lab.mistakes:
        for fixture in lab.fixtures:
            made = mistake.runs.on(fixture.simulated)
            assert made == afresh(mistake.machine, fixture.simulated), (mistake.id, fixture.id)
            assert mistake.runs.on(fixture.simulated) is made


def test_another_fixture_of_the_same_name_has_a_run_of_its_own() -> None:
    """A fixture that is being written takes the name of an earlier version of itself."""
    lab = lab_of("loop-exit-ledger.yaml")
    runs = Runs(lab.machine)
    first, second = (fixture.simulated for fixture in lab.fixtures[:2])
    renamed = {**second, "id": first["id"]}
    assert runs.on(first) != runs.on(renamed)
    assert runs.on(renamed) == afresh(lab.machine, second)


def test_a_loop_that_never_ends_has_no_run() -> None:
    """It is no error to ask for it."""
    machine = lab_of("loop-exit-ledger.yaml").machine
    endless = Runs({**machine, "rows": []})
    assert endless.on({"id": "nothing", "planned_calls": []}) is None
