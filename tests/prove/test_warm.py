"""A machine in the warm process is judged as the same machine in a process for each run is."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labspec.contract.wording import printable
from labspec.mutants import mutants_of
from labspec.pipeline import load
from labspec.prove.children import Children, StoppedError
from labspec.prove.judge import judge
from labspec.prove.subjects import Subject, alone, build, mutant_subjects, subjects
from labspec.prove.warm import CAN_FORK, Warm

if TYPE_CHECKING:
    from labspec.lab.model import Lab, MachineData
    from labspec.prove.proof import Result

VALID = Path(__file__).resolve().parents[1] / "specs" / "valid"
SPEC = VALID / "workspace-and-trace.yaml"

pytestmark = [
    pytest.mark.xdist_group("warm"),
    pytest.mark.skipif(not CAN_FORK, reason="without fork there is no warm process, and labspec starts none"),
]


@pytest.fixture(scope="module")
def lab() -> Lab:
    """A workspace, a trace, and a command that leaves a file."""
    found = load(SPEC).lab
    assert found is not None
    return found


class Bench:
    """A built lab, its subjects, and both ways to put them to the tests."""

    def __init__(self, lab: Lab, folder: Path, children: Children) -> None:
        built = build(lab, folder)
        everyone = list(subjects(lab, built, folder))
        mistakes = [subject for subject in everyone if subject.machine is not None]
        self.machines = [*mistakes, *mutant_subjects(mutants_of(lab), everyone[1])]
        self.reference = everyone[1]
        self.folder = folder
        self.children = children
        memory = folder / "memory"
        memory.mkdir()
        self.warm = Warm(built.starter, lab.machine, folder / "warm", memory, children)

    def as_processes(self, subject: Subject) -> Result:
        """One process for the tests and one for each run."""
        return judge(alone(subject, self.folder / f"of {subject.name}"), self.folder / subject.name, self.children)


def told_in(report: Path) -> object:
    """What became of each test, whole."""
    return json.loads(report.read_text(encoding="utf-8"))


def machine_of(subject: Subject) -> MachineData:
    assert subject.machine is not None
    return subject.machine


def test_every_machine_is_judged_as_it_is_in_processes_of_its_own(lab: Lab, tmp_path: Path) -> None:
    """The same gates, for the same reasons: of every mistake, and of every mutant, also of those that are no slip."""
    with Children() as children, ThreadPoolExecutor(2) as pool:
        bench = Bench(lab, tmp_path, children)
        slow = list(pool.map(bench.as_processes, bench.machines))
        fast = [bench.warm.judge(machine_of(subject)) for subject in bench.machines]
        bench.warm.close()
    assert {subject.name: result for subject, result in zip(bench.machines, fast, strict=True)} == {
        subject.name: result for subject, result in zip(bench.machines, slow, strict=True)
    }
    assert len(fast) > 40
    assert not any(result.fault for result in fast)
    for number, subject in enumerate(bench.machines, start=1):
        told = told_in(tmp_path / "warm" / f"{number}.report.json")
        assert told == told_in(tmp_path / subject.name / "report.json"), subject.name


def test_what_is_told_of_a_machine_depends_on_no_other(lab: Lab, tmp_path: Path) -> None:
    """Neither on those before it nor on those at the same time."""
    with Children() as children, ThreadPoolExecutor(4) as pool:
        bench = Bench(lab, tmp_path, children)
        machines = [machine_of(subject) for subject in bench.machines[:12]]
        forwards = [bench.warm.judge(machine) for machine in machines]
        backwards = list(pool.map(bench.warm.judge, reversed(machines)))
        bench.warm.close()
    assert forwards == backwards[::-1]


def test_a_machine_that_is_none_is_a_fault_and_the_next_one_is_judged(lab: Lab, tmp_path: Path) -> None:
    """What can't be run is not caught: its gates are not missed, they are not known."""
    with Children() as children:
        bench = Bench(lab, tmp_path, children)
        broken = bench.warm.judge({"rows": []})
        sound = bench.warm.judge(lab.machine)
        bench.warm.close()
    assert broken.fault is not None
    assert "this is not a machine" in broken.fault
    assert (broken.earned, broken.first_failures) == (frozenset(), {})
    assert sound.earned == bench.reference.expected


def test_tests_that_take_too_long_are_a_fault(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labspec.prove.warm.MACHINE_SECONDS", 0.0)
    with Children() as children:
        bench = Bench(lab, tmp_path, children)
        result = bench.warm.judge(lab.machine)
        bench.warm.close()
    assert result.fault == "the tests did not end in 0 seconds"


def test_a_repository_without_tests_is_a_fault_that_shows_what_was_said(lab: Lab, tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    (tmp_path / "nothing").mkdir()
    with Children() as children:
        warm = Warm(tmp_path / "nothing", lab.machine, tmp_path / "warm", memory, children)
        for _ in range(2):  # who comes later is told as well
            result = warm.judge(lab.machine)
            assert result.fault is not None
            assert printable("gates.json") in result.fault
        warm.close()


def test_nothing_is_judged_once_the_proof_is_broken_off(lab: Lab, tmp_path: Path) -> None:
    """And the warm process has ended, for it is asked once more and says so."""
    with Children() as children:
        bench = Bench(lab, tmp_path, children)
        bench.warm.judge(lab.machine)
    with pytest.raises(StoppedError):
        bench.as_processes(bench.machines[0])
    result = bench.warm.judge(lab.machine)
    assert result.fault is not None
    assert result.fault.startswith("the process of the tests has ended")
