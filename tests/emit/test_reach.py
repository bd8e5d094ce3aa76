"""A repository works in dev containers, on GitHub and on GitLab: the same steps, with Node where a lab needs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from labspec.emit import Edition, plan, render
from labspec.lab.model import Command
from labspec.pipeline import load

from .labs import first_lab, lab_with
from .tool_labs import second_lab

if TYPE_CHECKING:
    from labspec.lab.model import Lab

ROOT = Path(__file__).resolve().parents[2]
TEST_STEPS = ["python -m pip install -r requirements-dev.txt", "python -m pytest"]


def with_node() -> Lab:
    """A lab in Python that has a tool which runs Node."""
    tool = first_lab().tools[0]._replace(kind="command", command=Command(("node", "check.mjs"), 5, "test_failed"))
    return lab_with(tools=(tool,))


LABS = {"python": first_lab(), "node": second_lab()._replace(target="node"), "python with node": with_node()}
each_lab = pytest.mark.parametrize("lab", LABS.values(), ids=LABS.keys())


class Reach:
    """The three files, as those who read them see them."""

    def __init__(self, lab: Lab) -> None:
        tree = render(plan(lab, Edition()))
        self.container: dict[str, Any] = json.loads(tree[".devcontainer/devcontainer.json"].data)
        self.workflow: dict[str, Any] = yaml.safe_load(tree[".github/workflows/lab.yml"].data)
        self.pipeline: dict[str, Any] = yaml.safe_load(tree[".gitlab-ci.yml"].data)


@each_lab
def test_github_and_gitlab_take_the_same_steps(lab: Lab) -> None:
    reach = Reach(lab)
    (job,) = reach.workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == TEST_STEPS
    (pipeline,) = reach.pipeline.values()
    assert pipeline["script"] == TEST_STEPS
    assert pipeline["timeout"] == f"{job['timeout-minutes']} minutes"
    assert reach.container["postCreateCommand"] == TEST_STEPS[0]


@each_lab
def test_python_is_the_same_everywhere(lab: Lab) -> None:
    reach = Reach(lab)
    (job,) = reach.workflow["jobs"].values()
    (python,) = (step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", ""))
    assert reach.container["image"].endswith(f"/python:2-{python}")
    (pipeline,) = reach.pipeline.values()
    assert pipeline["image"].split("-")[0] == f"python:{python}"


@each_lab
def test_node_is_there_where_it_is_needed_and_nowhere_else(lab: Lab) -> None:
    reach, wanted = Reach(lab), ["20"] if lab.needs_node else []
    (job,) = reach.workflow["jobs"].values()
    assert [step["with"]["node-version"] for step in job["steps"] if "setup-node" in step.get("uses", "")] == wanted
    assert [feature["version"] for feature in reach.container.get("features", {}).values()] == wanted
    (pipeline,) = reach.pipeline.values()
    installed = [step for step in pipeline.get("before_script", []) if step.endswith(" nodejs")]
    assert len(installed) == len(wanted)


def test_only_labs_that_run_node_need_it() -> None:
    assert [lab.needs_node for lab in LABS.values()] == [False, True, True]
    labs = {spec.stem: load(spec).lab for spec in sorted((ROOT / "specs").glob("*.yaml"))}
    assert [name for name, lab in labs.items() if lab is not None and lab.needs_node] == ["loop-budget"]


@each_lab
def test_everything_is_pinned_to_a_major_version(lab: Lab) -> None:
    """So that a lab still works at the end of a term, and takes what mends a fault."""
    reach = Reach(lab)
    (job,) = reach.workflow["jobs"].values()
    uses = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [action.split("@")[1].removeprefix("v").isdigit() for action in uses] == [True] * len(uses)
    assert [name.split(":")[1].isdigit() for name in reach.container.get("features", {})] in ([], [True])
