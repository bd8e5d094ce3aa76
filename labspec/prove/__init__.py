"""Proof: build for real, run the generated tests, and hold them against every mistake."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from labspec.prove.judge import judge
from labspec.prove.proof import Proof, Verdict
from labspec.prove.subjects import Subject, build, subjects

if TYPE_CHECKING:
    from labspec.lab.model import Lab

__all__ = ["Progress", "Proof", "Verdict", "prove"]

Progress = Callable[[int, int, str], None]
"""Told after each subject how many are done, how many there are, and which it was."""


def prove(lab: Lab, jobs: int, progress: Progress) -> Proof:
    """Show that the tests of `lab` bite, in a temporary folder, with `jobs` subjects at a time.

    `progress` may be called from any thread. Raises OSError if the temporary folder can't be written.
    """
    with tempfile.TemporaryDirectory(prefix="labspec prove ") as temporary:
        folder = Path(temporary)
        built = build(lab, folder)
        everyone = list(subjects(lab, built, folder))
        verdicts = _judge_all(everyone, folder, jobs, progress)
    gates = tuple((gate.id, gate.points) for gate in lab.rubric)
    return Proof(lab.id, lab.title, lab.version, lab.digest, gates, built.same_bytes, verdicts)


def _judge_all(everyone: list[Subject], folder: Path, jobs: int, progress: Progress) -> tuple[Verdict, ...]:
    done = 0

    def judge_one(numbered: tuple[int, Subject]) -> Verdict:
        nonlocal done
        number, subject = numbered
        verdict = judge(subject, folder / f"report-{number}.json")
        done += 1
        progress(done, len(everyone), subject.name)
        return verdict

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        return tuple(pool.map(judge_one, enumerate(everyone)))
