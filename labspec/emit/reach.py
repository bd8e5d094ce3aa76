"""Where a repository works besides a student's own machine: dev containers and Codespaces, GitHub and GitLab.

None of these files says anything of an author's. Which of them a lab gets depends on one thing: whether it needs Node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit.outputs import Copied, Output

if TYPE_CHECKING:
    from labspec.lab.model import Lab


def reach(lab: Lab) -> tuple[Output, ...]:
    """A dev container, and the tests as a workflow of GitHub and a pipeline of GitLab."""
    folder = "node" if lab.needs_node else "python"
    files = (".devcontainer/devcontainer.json", ".github/workflows/lab.yml", ".gitlab-ci.yml")
    return tuple(Copied(file, "template", f"{folder}/{file}") for file in files)
