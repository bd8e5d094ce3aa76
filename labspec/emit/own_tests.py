"""The loops that a student's own tests are held against: a right one, and one for each mistake they must catch.

They never go into a student repository. `prove` writes them into a folder of its own, as `contract/own_tests.py` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit.outputs import Edition
from labspec.emit.plan import plan
from labspec.emit.render import text_of
from labspec.emit.suite import own_tests_file

if TYPE_CHECKING:
    from labspec.emit.outputs import Printed
    from labspec.lab.model import Lab, Mistake

Files = dict[str, str]
"""Texts by their paths in the repository."""


def right_files(lab: Lab) -> Files:
    """What the student writes beside the tests, as a right solution of the lab without its stretch goals has it."""
    outputs = plan(_without_goals(lab), Edition(solution=True)).outputs
    mine = [output for output in outputs if output.owner == "student" and output.path != own_tests_file(lab)]
    return {output.path: text_of(output) for output in (*mine, _loop_output(_without_goals(lab)))}


def wrong_files(lab: Lab, mistake: Mistake) -> Files:
    """The loop with a mistake in it, in the place of the student's."""
    output = _loop_output(_without_goals(lab)._replace(**mistake.loop._asdict()))
    return {output.path: text_of(output)}


def _without_goals(lab: Lab) -> Lab:
    return lab._replace(stretch=None)


def _loop_output(lab: Lab) -> Printed:
    if lab.target == "node":
        from labspec.emit.node.plan import loop_output
    else:
        from labspec.emit.python_target import loop_output
    return loop_output(lab, lab, Edition(solution=True))
