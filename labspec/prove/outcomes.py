"""What came of each test with the reference, remembered: so that a test which would see the same is not run again.

A test of ours sees a runner through the runs that it asks for, and through nothing else. So it ends with a mutant as it
ended with the reference, if each of those runs leaves the same: the first run that it asks for is the same one, and as
long as the answers are, so is the next. Most mutants differ from the reference in a few runs only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol  # plugins that run a test twice or elsewhere use it: pytest has no other way

from labspec.contract.observation import Observation
from labspec.prove.in_process import InProcessRuns, Run


class Outcome(NamedTuple):
    """A test, the runs that it asked for with what each of them left, and what was reported of it."""

    item: pytest.Item
    runs: Mapping[Run, Observation]
    reports: Sequence[pytest.TestReport]

    def is_same_with(self, runs: InProcessRuns) -> bool:
        """Whether the test would see the same in `runs`, and so end in the same way."""
        return all(runs.execute(*run) == left for run, left in self.runs.items())

    def tell(self) -> None:
        """Report the test as if it had been run."""
        for report in self.reports:
            self.item.ihook.pytest_runtest_logreport(report=report)


def learn_outcomes(items: Sequence[pytest.Item], runs: InProcessRuns) -> list[Outcome]:
    """Run tests, and tell nobody of it."""
    outcomes = []
    for item, following in zip(items, [*items[1:], None], strict=True):
        with runs.noted() as noted:
            reports = runtestprotocol(item, log=False, nextitem=following)
        item.user_properties.clear()  # they are in the reports, and the next run of the test has its own
        # Nothing is to be told of a set-up or a clean-up that passed.
        telling = [report for report in reports if report.when == "call" or not report.passed]
        outcomes.append(Outcome(item, noted, telling))
    return outcomes
