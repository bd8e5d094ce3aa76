"""Rules about a whole lab. Each needs the resolved lab, and each finding has a code."""

from __future__ import annotations

from labspec.checks.mistakes import Judge, check_mistakes
from labspec.checks.reach import check_reach
from labspec.diagnostics import Report
from labspec.lab.model import Lab
from labspec.lab.places import Places
from labspec.machine.difference import Comparison
from labspec.machine.explorer import TURN_LIMIT
from labspec.machine.runner import Machine
from labspec.source.nodes import Mapping


def check(lab: Lab, root: Mapping, report: Report, *, proof: bool = False, limit: int = TURN_LIMIT) -> None:
    """Add what is wrong with the lab as a whole to `report`.

    With `proof`, also what its fixtures, checks and mistakes leave open: those findings are warnings, and they are
    looked for only in a lab that is sound otherwise. `limit` is how many turns the explorer takes before it gives up.
    """
    places = Places(root, report)
    judge = Judge(lab)
    comparison = Comparison(Machine(lab.machine), traced=lab.traced, limit=limit)
    check_reach(lab, comparison.exploration, limit, places)
    check_mistakes(lab, judge, places)
    if lab.own_test_gates:
        from labspec.checks.own_tests import check_own_tests  # many labs have no such gate

        check_own_tests(lab, places)
    if lab.stretch is not None:
        from labspec.checks.goals import check_goals  # most labs have no goals

        check_goals(lab, places)
    if proof and all(finding.code in _LEFT_FOR_PROOF for finding in report.errors):
        from labspec.checks.gates import check_fixtures, check_gates
        from labspec.checks.survivors import check_survivors
        from labspec.mutants.verdicts import Explorer

        check_survivors(lab, Explorer(comparison), judge, places)
        check_gates(lab, places)
        check_fixtures(lab, places)


_LEFT_FOR_PROOF = ("mistake-not-caught", "budget-never-binds", "row-never-fires")
"""Errors with which a lab still says what its loop does, so that all findings come at once."""
