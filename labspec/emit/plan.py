"""The fourth step: from a lab to the plan of its repository, `Lab -> Plan`.

It decides everything: which files there are, who owns them, and every value they print. What is left for `render` is to
fill in templates. What is the same for every target is planned in `repository`, the rest in a module for each target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.emit.outputs import Edition, Plan

if TYPE_CHECKING:
    from labspec.lab.model import Lab


def plan(lab: Lab, edition: Edition) -> Plan:
    """Plan the repository of a lab."""
    # A build imports only what its target needs.
    if lab.target == "node":
        from labspec.emit.node import plan_node as plan_target
    else:
        from labspec.emit.python_target import plan_python as plan_target
    return Plan(lab.id, lab.version, lab.digest, edition, plan_target(lab, edition))
