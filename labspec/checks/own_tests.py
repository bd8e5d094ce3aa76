"""Whether a gate about the student's own tests can be earned, and not by doing nothing: without running any test.

A test of the student's own looks at a run's exit. So the sample tests of the solution, one for each fixture that
students see, catch the mistakes that end one of those fixtures differently; the example that the starter begins with
is the first of them.
"""

from __future__ import annotations

from labspec.lab.model import Fixture, Gate, Lab, Mistake, TestsCatch
from labspec.lab.places import Places


def check_own_tests(lab: Lab, places: Places) -> None:
    """For each gate about own tests the solution's tests are enough, and the example alone is not."""
    shown = [fixture for fixture in lab.fixtures if not fixture.hidden]
    for index, gate in enumerate(lab.rubric):
        if gate.tests_catch is not None and shown:
            _check_gate(lab, index, gate, gate.tests_catch, shown, places)


def _check_gate(lab: Lab, index: int, gate: Gate, asked: TestsCatch, shown: list[Fixture], places: Places) -> None:
    by_example = _caught(lab, asked, shown[:1])
    caught = _caught(lab, asked, shown)
    missed = [name for name in asked.mistakes if name not in caught]
    if len(caught) < asked.at_least:
        message = (
            f"the gate `{gate.id}` wants {asked.at_least} of {len(asked.mistakes)} mistakes caught, "
            f"and a test for each fixture that students see catches {len(caught)}"
        )
        help = f"add a visible fixture that ends in another way with {' or '.join(f'`{name}`' for name in missed)}"
        places.error("tests-cannot-catch", message, "rubric", index, "checks", help=help)
    elif len(by_example) >= asked.at_least:
        message = (
            f"the example that students start from earns the gate `{gate.id}`: "
            f"a test of `{shown[0].id}` catches {len(by_example)} of {len(asked.mistakes)} mistakes"
        )
        help = f"ask for {len(by_example) + 1} or more; list more mistakes if there are too few"
        places.error("example-is-enough", message, "rubric", index, "checks", help=help)


def _caught(lab: Lab, asked: TestsCatch, fixtures: list[Fixture]) -> set[str]:
    """The mistakes that end one of the fixtures in another way, or never."""
    listed = [one for one in lab.mistakes if one.id in asked.mistakes]
    return {one.id for one in listed if any(_ends_differently(one, fixture) for fixture in fixtures)}


def _ends_differently(mistake: Mistake, fixture: Fixture) -> bool:
    reached = mistake.runs.on(fixture.simulated)
    if reached is None:
        return True
    exits = [(one.reason, one.turns, one.tool_names, one.last_error) for one in (reached.ending, fixture.ending)]
    return exits[0] != exits[1]
