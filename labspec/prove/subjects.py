"""The subjects of a proof: the runners that are put to the generated tests, and the gates that each must earn."""

from __future__ import annotations

import compileall
import json
import py_compile
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from labspec.emit import Edition, Tree, plan, render, write
from labspec.emit.shared import forget
from labspec.machine import runner
from labspec.prove.own_tests import without_own_tests, write_mutants
from labspec.prove.proof import Kind

if TYPE_CHECKING:
    from labspec.lab.model import Lab, MachineData
    from labspec.mutants import Mutant

FOLDER_NAME = "a lab"
"""The folder that repositories are built in. The space is part of the proof."""


class Subject(NamedTuple):
    """A runner, the repository whose tests judge it, and what must come of it.

    `command` replaces the repository's own `lab.py`, and so does the reference runner with `machine`, which need not be
    a process for each run; at most one of them is given. `environment` is added to that of the tests.
    """

    kind: Kind | Literal["mutant"]
    name: str
    promise: str
    repository: Path
    command: tuple[str, ...] | None
    expected: frozenset[str]
    environment: Mapping[str, str] = MappingProxyType({})
    machine: MachineData | None = None


class Built(NamedTuple):
    """The repositories that subjects are judged in, and whether building twice gave the same bytes."""

    starter: Path
    solution: Path
    same_bytes: bool


def build(lab: Lab, folder: Path) -> Built:
    """Build the starter and the solution of `lab` below `folder`, with the hidden fixtures, and everything twice."""
    first = _trees(lab)
    forget()  # or the second build would be compared with what the first has left
    second = _trees(lab)
    root = folder / FOLDER_NAME
    starter = _write(second[Edition(hidden=True)], root / "starter", lab)
    solution = _write(second[Edition(solution=True, hidden=True)], root / "solution", lab)
    return Built(starter, solution, first == second)


def _trees(lab: Lab) -> dict[Edition, Tree]:
    editions = [Edition(solution, hidden) for solution in (False, True) for hidden in (False, True)]
    return {edition: render(plan(lab, edition)) for edition in editions}


def _write(tree: Tree, folder: Path, lab: Lab) -> Path:
    target = folder / lab.id
    write(tree, target)
    _compile(target)
    return target


def _compile(repository: Path) -> None:
    """Compile a repository once, or each of some hundred runs would do it.

    Compiled files are held against the content of their source: tests put other loops in its place.
    """
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    for place, levels in ((repository, 0), (repository / "tests", 1)):
        compileall.compile_dir(place, maxlevels=levels, quiet=2, invalidation_mode=checked)


def subjects(lab: Lab, built: Built, folder: Path) -> Iterator[Subject]:
    """Every subject but the mutants, in the order of the proof."""
    gates = frozenset(gate.id for gate in lab.rubric)
    runs = gates.difference(gate.id for gate in lab.own_test_gates)  # the gates that a runner alone can earn
    mutants = write_mutants(lab, folder / "mutants")
    yield Subject("solution", "solution", "earns every gate", built.solution, None, gates, mutants)
    if lab.own_test_gates:
        empty = without_own_tests(lab, built.solution, folder / FOLDER_NAME / "no tests")
        yield Subject("solution", "empty test file", _all_but_own(lab), empty, None, runs, mutants)
    command = lone_runner(lab.machine, folder / "reference")
    yield Subject("reference", "reference runner", _all_but_own(lab), built.starter, command, runs)
    yield Subject("starter", "untouched starter", "earns nothing", built.starter, None, frozenset())
    for mistake in lab.mistakes:
        promise = f"costs {', '.join(mistake.costs)}"
        expected = runs.difference(mistake.costs)
        yield Subject("mistake", mistake.id, promise, built.starter, None, expected, machine=mistake.machine)


def _all_but_own(lab: Lab) -> str:
    """What a subject without tests of its own promises."""
    others = ", ".join(gate.id for gate in lab.own_test_gates)
    return f"earns all but {others}" if others else "earns every gate"


def mutant_subjects(mutants: Iterable[Mutant], reference: Subject) -> Iterator[Subject]:
    """A subject for each mutant, whose promise is to miss some gate that the reference runner earns."""
    for mutant in mutants:
        yield reference._replace(
            kind="mutant", name=mutant.id, promise="is caught", command=None, machine=mutant.machine
        )


def alone(subject: Subject, folder: Path) -> Subject:
    """The subject as a process for each run, whose files stand in the new folder `folder`."""
    if subject.machine is None:
        return subject
    return subject._replace(command=lone_runner(subject.machine, folder), machine=None)


def lone_runner(machine: MachineData, folder: Path) -> tuple[str, ...]:
    """The command of a reference runner that stands alone in `folder`, beside its machine."""
    folder.mkdir(parents=True)
    script = folder / "runner.pyc"
    py_compile.compile(runner.__file__, str(script), doraise=True)  # as a source it would be compiled in each run
    (folder / "machine.json").write_text(json.dumps(machine), encoding="ascii")
    # Without site-packages it starts in half the time, and it shows that it needs nothing but the standard library.
    return (sys.executable, "-I", "-S", str(script))
