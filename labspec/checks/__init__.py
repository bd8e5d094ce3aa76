"""Rules about a whole lab. Each needs the resolved lab, and each finding has a code."""

from __future__ import annotations

from labspec.checks.mistakes import check_mistakes
from labspec.checks.reach import check_reach
from labspec.diagnostics import Report
from labspec.lab.model import Lab
from labspec.lab.places import Places
from labspec.machine.runner import Machine
from labspec.source.nodes import Mapping


def check(lab: Lab, root: Mapping, report: Report) -> None:
    """Add what is wrong with the lab as a whole to `report`."""
    places = Places(root, report)
    machine = Machine(lab.machine)
    check_reach(lab, machine, places)
    check_mistakes(lab, machine, places)
    if lab.own_test_gates:
        from labspec.checks.own_tests import check_own_tests  # many labs have no such gate

        check_own_tests(lab, places)
    if lab.stretch is not None:
        from labspec.checks.goals import check_goals  # most labs have no goals

        check_goals(lab, machine, places)
