"""The slips that a lab is held against: which they are, and that each is a machine of its own with one change in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from labspec.lab.model import Lab
from labspec.machine.runner import Machine
from labspec.mutants import FAMILIES, mutants_of
from labspec.mutants.verdicts import judge_mutants
from labspec.pipeline import load

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.yaml"))
STORED = Path(__file__).parent / "slips"


def lab_of(spec: Path) -> Lab:
    """The lab that a shipped spec means."""
    lab = load(spec).lab
    assert lab is not None
    return lab


def told(lab: Lab) -> str:
    """Every slip of a lab in words, and what the explorer says of it."""
    lines = []
    for one in judge_mutants(lab):
        plan, budgets = one.difference.plan, "".join(f" with {name}: {limit}" for name, limit in one.budgets.items())
        steps = "" if plan is None else f" after {len(plan)} {'step' if len(plan) == 1 else 'steps'}{budgets}"
        shown = "" if plan is None else f", shown by {', '.join(one.difference.shown_by)}"
        lines.append(f"{one.mutant.family}: {one.mutant.says}\n  {one.difference.verdict}{steps}{shown}\n")
    return "".join(lines)


def regenerate() -> None:
    """Write the slips of every shipped lab anew."""
    STORED.mkdir(exist_ok=True)
    for spec in SPECS:
        (STORED / f"{spec.stem}.txt").write_bytes(told(lab_of(spec)).encode())


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_the_slips_of_a_lab_are_those_that_were_reviewed(spec: Path) -> None:
    stored = (STORED / f"{spec.stem}.txt").read_text("utf-8")
    assert told(lab_of(spec)) == stored, "run `python -m tests.regen` and read the diff"


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_every_mutant_is_a_machine_of_its_own_with_a_name_of_its_own(spec: Path) -> None:
    lab = lab_of(spec)
    mutants = mutants_of(lab)
    assert len({mutant.id for mutant in mutants}) == len(mutants)
    assert len({mutant.says for mutant in mutants}) == len(mutants)
    machines = [lab.machine, *(mutant.machine for mutant in mutants)]
    assert len({repr(machine) for machine in machines}) == len(machines)
    for mutant in mutants:
        Machine(mutant.machine)  # raises if it is none


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_a_slip_changes_one_part_of_the_machine(spec: Path) -> None:
    lab = lab_of(spec)
    for mutant in mutants_of(lab):
        changed = {key for key in lab.machine if lab.machine[key] != mutant.machine[key]}
        wanted = {"recorder": {"recorder"}, "meters": {"meters"}, "table": {"rows"}, "refusals": {"rows"}}
        assert changed == wanted.get(mutant.family, changed & {"budgets", "rows", "meters"})


def test_families_come_in_their_order() -> None:
    families = [mutant.family for mutant in mutants_of(lab_of(SPECS[0]))]
    assert families == sorted(families, key=FAMILIES.index)
