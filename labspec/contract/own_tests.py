"""Judges a student's own tests: they accept a right loop, and catch wrong ones.

The wrong loops are not in a student's repository. The environment variable LAB_MUTANTS
names the folder that has them:

    mutants.json             {"gates": {"a_gate": ["no_turn_cap", ...]}}
    right/run_loop.py        files of a right solution, as they lie in the repository
    wrong/no_turn_cap/run_loop.py     the same for one wrong loop: what differs

The tests run in a copy of the repository in which those files take the place of the
student's. A wrong loop is caught by a test that fails, or does not end, and passes with
the right loop. A test file that cannot be read, has no tests or ends its process has
caught nothing. The right loop is tried before the wrong ones and after them, so that
tests which fail by chance, or the second time, do not pass for good ones.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from .removal import remove_folder
from .tried import Tried, try_tests
from .wording import ContractFailure, contract_failure, printable

MUTANTS_VARIABLE = "LAB_MUTANTS"
NOT_AT_HAND = "your course staff have the wrong loops that your tests must catch"
ANOTHER_PROGRAM = "LAB_RUNNER names another program, which has no tests of its own"

SECONDS = 60.0  # for all tests of the file, with a loop that ends
PATIENCE = 5.0  # seconds, and as many times what the right loop took, for a wrong loop

# What is not copied: it is large, and no test of a loop needs it.
LEFT_OUT = (".*", "__pycache__", "node_modules", "artifacts", "venv")


class MutantsError(ValueError):
    """LAB_MUTANTS does not lead to right and wrong loops."""


@dataclass(frozen=True)
class Mutants:
    """A right loop and wrong ones: the folder of each, and the wrong ones by gate."""

    right: Path
    wrong: Path
    gates: Mapping[str, tuple[str, ...]]


@dataclass
class OwnTests:
    """The student's test files in the repository `root`, to be tried with loops.

    `folder` is an empty one for the copies. `mutants` is None where the wrong loops are
    not at hand: then the student's own loop stands for the right one. All tests of a
    file may take `seconds`.
    """

    root: Path
    folder: Path
    mutants: Mutants | None = None
    seconds: float = SECONDS
    _right: dict[str, Tried] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def try_right(self, file: str, *, again: bool = False) -> Tried:
        """Try the tests in `file` with the right loop; what came of it is kept."""
        if again or file not in self._right:
            parts = () if self.mutants is None else (self.mutants.right,)
            self._right[file] = self._try(file, parts, self.seconds)
        return self._right[file]

    def try_wrong(self, file: str, mutants: Mutants, name: str) -> Tried:
        """Try the tests in `file` with a wrong loop, up to the first failure."""
        longest = PATIENCE + PATIENCE * self.try_right(file).seconds
        parts = (mutants.right, mutants.wrong / name)
        seconds = min(self.seconds, longest)
        return self._try(file, parts, seconds, until_failure=True)

    def _try(
        self,
        file: str,
        parts: tuple[Path, ...],
        seconds: float,
        *,
        until_failure: bool = False,
    ) -> Tried:
        place = self.folder / f"copy-{next(self._numbers)}"
        try:
            _copy(self.root, place)
            for part in parts:
                shutil.copytree(part, place, dirs_exist_ok=True)
            return try_tests(place, file, seconds, until_failure=until_failure)
        except (OSError, shutil.Error) as error:
            return Tried(trouble=f"could not be copied: {printable(str(error))}")
        finally:
            remove_folder(place)


def read_mutants(environment: Mapping[str, str]) -> Mutants | None:
    """The loops that LAB_MUTANTS leads to, None without it. Raises MutantsError."""
    value = environment.get(MUTANTS_VARIABLE, "")
    if not value:
        return None
    folder = Path(value)
    try:
        listed = json.loads((folder / "mutants.json").read_text("utf-8"))["gates"]
        gates = {str(gate): tuple(map(str, names)) for gate, names in listed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = printable(str(error))
        raise MutantsError(f"{MUTANTS_VARIABLE} leads to no loops: {reason}") from None
    mutants = Mutants(folder / "right", folder / "wrong", gates)
    wrong = (mutants.wrong / name for name in chain(*gates.values()))
    for place in (mutants.right, *wrong):
        if not place.is_dir():
            raise MutantsError(f"{MUTANTS_VARIABLE}: there is no folder {place.name}")
    return mutants


def check_own_tests_pass(own_tests: OwnTests, file: str) -> None:
    """The student's tests pass, and there are some.

    With the right loop where it is at hand, and otherwise with the student's own.
    """
    __tracebackhide__ = True
    whose = "your own loop" if own_tests.mutants is None else "a right loop"
    _require_acceptance(own_tests.try_right(file), file, whose)


def check_own_tests_catch(
    own_tests: OwnTests, file: str, mutants: Mutants, gate: str, at_least: int
) -> None:
    """The student's tests accept the right loop and catch enough of the wrong ones."""
    __tracebackhide__ = True
    names = mutants.gates.get(gate, ())
    right = own_tests.try_right(file)
    _require_acceptance(right, file, "a right loop")
    missed = [
        name
        for name in names
        if not own_tests.try_wrong(file, mutants, name).is_rejection(right.passed)
    ]
    again = own_tests.try_right(file, again=True)
    _require_acceptance(again, file, "a right loop, when they are run again")
    caught = len(names) - len(missed)
    if caught < at_least:
        raise contract_failure(
            f"your own tests catch {caught} of {len(names)} wrong loops, and "
            f"{at_least} are asked for",
            {"missed": printable(", ".join(missed), 1_000)},
        )


def _require_acceptance(tried: Tried, file: str, whose: str) -> None:
    __tracebackhide__ = True
    problem = _problem(tried, file, whose)
    if problem is not None:
        raise problem


def _problem(tried: Tried, file: str, whose: str) -> ContractFailure | None:
    """Why tests do not accept a loop, or None if they do."""
    rows = {"output": tried.output} if tried.output else {}
    if tried.trouble is not None:
        return contract_failure(f"your own tests in {file} {tried.trouble}", rows)
    if tried.failed:
        failed = {name: printable(why) for name, why in tried.failed.items()}
        return contract_failure(
            f"your own tests do not accept {whose}: {_some(list(failed))} failed",
            {"because": "\n".join(filter(None, failed.values()))} if failed else {},
        )
    if not tried.passed:
        what = "skips all of its tests" if tried.skipped else "has no tests"
        return contract_failure(f"your own test file {file} {what}", rows)
    return None


def _some(names: list[str]) -> str:
    shown = ", ".join(printable(name, 80) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _copy(root: Path, place: Path) -> None:
    def leave_out(folder: str, names: list[str]) -> set[str]:
        found = set(shutil.ignore_patterns(*LEFT_OUT)(folder, names))
        # The folder of a virtual environment can have any name.
        return found | {
            name for name in names if Path(folder, name, "pyvenv.cfg").exists()
        }

    shutil.copytree(root, place, symlinks=True, ignore=leave_out)
