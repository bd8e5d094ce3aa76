"""The students' own tests in a proof: wrong loops to catch, and an empty test file that must earn nothing.

The sample tests of the solution must earn the gates that ask for own tests, and a solution whose test file is empty
every other gate, but none of these. Both are given the folder of wrong loops, in the form of `contract/own_tests.py`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from labspec.contract.own_tests import MUTANTS_VARIABLE
from labspec.emit.own_tests import Files, right_files, wrong_files
from labspec.emit.suite import own_tests_file

if TYPE_CHECKING:
    from labspec.lab.model import Lab


def write_mutants(lab: Lab, folder: Path) -> dict[str, str]:
    """Write the right loop and the wrong ones of `lab` into the new folder `folder`.

    Returns the environment that leads tests to them: empty if no gate asks for own tests. Raises OSError.
    """
    gates = {gate.id: list(gate.tests_catch.mistakes) for gate in lab.own_test_gates if gate.tests_catch is not None}
    if not gates:
        return {}
    _write(right_files(lab), folder / "right")
    wanted = {name for names in gates.values() for name in names}
    for mistake in lab.mistakes:
        if mistake.id in wanted:
            _write(wrong_files(lab, mistake), folder / "wrong" / mistake.id)
    (folder / "mutants.json").write_text(json.dumps({"gates": gates}, indent=1) + "\n", encoding="utf-8", newline="\n")
    return {MUTANTS_VARIABLE: str(folder)}


def without_own_tests(lab: Lab, solution: Path, folder: Path) -> Path:
    """A copy of the solution in the new folder `folder`, whose file of own tests is empty. Raises OSError."""
    copy = folder / solution.name
    shutil.copytree(solution, copy)
    (copy / own_tests_file(lab)).write_bytes(b"")
    return copy


def _write(files: Files, folder: Path) -> None:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")
