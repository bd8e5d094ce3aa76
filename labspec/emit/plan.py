"""The fourth step: from a lab to the plan of its repository, `Lab -> Plan`.

It decides everything: which files there are, who owns them, and every value they print. What is left for `render` is to
fill in templates. What is the same for every target is planned in `repository`, the rest in a module for each target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit.node import plan_node
from labspec.emit.outputs import Edition, Plan
from labspec.emit.python_target import plan_python

if TYPE_CHECKING:
    from labspec.lab.model import Lab

PLANS = {"node": plan_node, "python": plan_python}


def plan(lab: Lab, edition: Edition) -> Plan:
    """Plan the repository of a lab."""
    return Plan(lab.id, lab.version, lab.digest, edition, PLANS[lab.target](lab, edition))
