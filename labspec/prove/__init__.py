"""Proof: build for real, run the generated tests, and hold them against every mistake and every mutant."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from labspec.mutants.verdicts import Judged, judge_mutants
from labspec.prove.children import Children
from labspec.prove.judge import judge
from labspec.prove.kills import caught
from labspec.prove.proof import Caught, Kind, Proof, Result, Verdict
from labspec.prove.subjects import Subject, alone, build, mutant_subjects, subjects
from labspec.prove.warm import CAN_FORK, Warm

if TYPE_CHECKING:
    from labspec.lab.model import Lab

__all__ = ["Caught", "Kind", "Progress", "Proof", "Result", "Verdict", "prove", "prove_each"]

Progress = Callable[[str, int, int, str], None]
"""Told after each subject of a lab how many are done, how many there are, and which it was."""


def prove(lab: Lab, jobs: int, progress: Progress) -> Proof:
    """Show that the tests of `lab` bite, in a temporary folder, with `jobs` subjects at a time.

    `progress` may be called from any thread. Raises OSError if the temporary folder can't be written.
    """
    (proof,) = prove_each([lab], jobs, progress)
    return proof


def prove_each(labs: Iterable[Lab], jobs: int, progress: Progress) -> Generator[Proof, None, None]:
    """The proof of each lab, in their order. While the last subjects of one are tested, the next lab has begun.

    What is still running when nobody asks for the next proof any more is stopped. See `prove`.
    """
    with (
        tempfile.TemporaryDirectory(prefix="labspec prove ") as temporary,
        ThreadPoolExecutor(max_workers=jobs) as pool,
        Children() as children,
    ):
        try:
            begun = [
                _Begun.begin(lab, Path(temporary) / str(number), children, pool, progress)
                for number, lab in enumerate(labs)
            ]
            for one in begun:
                yield one.proof()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class _Begun(NamedTuple):
    """A lab whose subjects are being tested."""

    lab: Lab
    same_bytes: bool
    promises: list[tuple[Subject, Future[Result]]]
    mutants: list[tuple[Judged, Future[Result] | None]]
    runs: frozenset[str]
    """The gates that the reference runner has to earn."""
    warm: Warm

    @classmethod
    def begin(cls, lab: Lab, folder: Path, children: Children, pool: ThreadPoolExecutor, progress: Progress) -> _Begun:
        """Build a lab in the new folder `folder`, and hand its subjects to the pool."""
        folder.mkdir()
        memory = folder.parent / "memory"
        memory.mkdir(exist_ok=True)
        built = build(lab, folder)
        everyone = list(subjects(lab, built, folder))
        reference = next(subject for subject in everyone if subject.kind == "reference")
        judged = judge_mutants(lab)
        slips = [one for one in judged if one.difference.verdict != "equivalent"]
        warm = Warm(built.starter, lab.machine, folder / "warm", memory, children)
        everyone += mutant_subjects((one.mutant for one in slips), reference)
        tests = _Tests(folder, children, warm, _Count(lab.id, len(everyone), progress))
        results = [pool.submit(tests.judge, number, subject) for number, subject in enumerate(everyone)]
        rest = iter(results[len(everyone) - len(slips) :])
        mutants = [(one, next(rest) if one in slips else None) for one in judged]
        promises = list(zip(everyone[: len(everyone) - len(slips)], results, strict=False))
        return cls(lab, built.same_bytes, promises, mutants, reference.expected, warm)

    def proof(self) -> Proof:
        """Wait for every result, and put them together."""
        lab = self.lab
        verdicts = tuple(
            Verdict(subject.kind, subject.name, subject.promise, subject.expected, future.result())
            for subject, future in self.promises
            if subject.kind != "mutant"
        )
        mutants = tuple(
            caught(one, None if future is None else future.result(), self.runs) for one, future in self.mutants
        )
        self.warm.close()
        gates = tuple((gate.id, gate.points) for gate in lab.rubric)
        about_tests = frozenset(gate.id for gate in lab.own_test_gates)
        return Proof(lab.id, lab.title, lab.version, lab.digest, gates, self.same_bytes, verdicts, mutants, about_tests)


class _Count:
    """Counts the subjects of a lab, and tells the progress. Any thread may call it."""

    def __init__(self, lab: str, total: int, progress: Progress) -> None:
        self._lab = lab
        self._total = total
        self._progress = progress
        self._done = 0
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """One more is done, which is called `name`."""
        with self._lock:
            self._done += 1
            self._progress(self._lab, self._done, self._total, name)


class _Tests(NamedTuple):
    """Puts the subjects of a lab to its tests."""

    folder: Path
    children: Children
    warm: Warm
    done: _Count

    def judge(self, number: int, subject: Subject) -> Result:
        """What the tests say of the subject with this number."""
        if subject.machine is not None and CAN_FORK:
            result = self.warm.judge(subject.machine)
        else:
            result = judge(
                alone(subject, self.folder / f"runner-{number}"), self.folder / f"tests-{number}", self.children
            )
        self.done.add(subject.name)
        return result
