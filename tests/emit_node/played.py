"""Runs the JavaScript that is emitted for labs: many fixtures in one Node process."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from labspec.emit import Edition, plan, render, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labspec.lab.model import Lab

SOLUTION, STARTER = Edition(solution=True), Edition()
DRIVER = Path(__file__).with_name("drive.mjs")


class Job(NamedTuple):
    """A fixture to be played by the lab in a folder, in a prepared workspace if it has one."""

    lab: Path
    fixture: dict[str, Any]
    workspace: Path | None = None


def node(*words: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run Node in a folder, and return what it said."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("there is no node")
    return subprocess.run(
        [program, *words], cwd=cwd, capture_output=True, encoding="utf-8", timeout=120, check=False, **more
    )


def as_node(lab: Lab) -> Lab:
    """The lab for the Node target."""
    return lab._replace(target="node")


def built(lab: Lab, target: Path, edition: Edition = SOLUTION) -> Path:
    """Write the repository of a lab for Node."""
    return write(render(plan(as_node(lab), edition)), target).target


def source_of(lab: Lab, path: str | None = None, edition: Edition = SOLUTION) -> str:
    """The text of a file, by default the loop."""
    return render(plan(as_node(lab), edition))[path or f"{lab.id}.mjs"].data.decode("utf-8")


def code_of(lab: Lab, folder: Path) -> Path:
    """Write the JavaScript of a lab's solution, and nothing else."""
    folder.mkdir(parents=True)
    for path, file in render(plan(as_node(lab), SOLUTION)).items():
        if path in (f"{lab.id}.mjs", "lab.mjs", "tools.mjs"):
            (folder / path).write_bytes(file.data)
    return folder


def played(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """What the jobs came to."""
    data = [
        {
            "lab": str(job.lab),
            "file": next(path.name for path in job.lab.glob("*.mjs") if path.name not in _GIVEN),
            "fixture": job.fixture,
            "workspace": None if job.workspace is None else str(job.workspace),
        }
        for job in jobs
    ]
    return _driven(data)


_GIVEN = ("lab.mjs", "tools.mjs", "report.mjs", "planner.mjs")


def evaluated(sources: Sequence[str]) -> list[Any]:
    """The values of JavaScript expressions."""
    return _driven([{"eval": source} for source in sources])


def _driven(jobs: list[dict[str, Any]]) -> list[Any]:
    done = node(str(DRIVER), cwd=DRIVER.parent, input=json.dumps(jobs))
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    assert len(answers) == len(jobs)
    return answers
