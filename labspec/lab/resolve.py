"""The step from `Spec` to `Lab`: defaults filled in, references resolved, every fixture run by the reference."""

from __future__ import annotations

from labspec.diagnostics import Report
from labspec.lab.cover import resolve_cover
from labspec.lab.fixtures import check_unique, resolve_fixtures
from labspec.lab.handout import (
    check_costs,
    resolve_exercises,
    resolve_rubric,
    resolve_submission,
    resolve_zeros,
)
from labspec.lab.loop import resolve_loop
from labspec.lab.mistakes import resolve_mistakes
from labspec.lab.model import Fixture, Lab, ManualItem, Starter, Stretch
from labspec.lab.names import check_names
from labspec.lab.places import Places
from labspec.machine.build import to_machine
from labspec.machine.runs import Runs
from labspec.source.digest import section_texts, spec_digest
from labspec.source.nodes import Mapping
from labspec.spec.model import Spec


def resolve(spec: Spec, root: Mapping, report: Report) -> Lab | None:
    """The lab that `spec` means, or None if its errors leave open what it means. Adds every finding to `report`.

    Fixtures and mistakes are resolved only if the loop is sound: they would repeat its findings.
    """
    places = Places(root, report)
    cover = resolve_cover(spec, places)
    check_names(spec, places)
    check_unique([fixture.id for fixture in spec.fixtures], "fixture", places, "fixtures")
    check_unique([mistake.id for mistake in spec.mistakes], "mistake", places, "mistakes")
    loop = resolve_loop(spec, places)
    rubric = resolve_rubric(spec, places)
    exercises = resolve_exercises(spec, places)
    submission = resolve_submission(spec, places)
    check_costs(spec, places)
    if spec.stretch is not None:
        from labspec.lab.stretch import check_stretch  # most labs have no goals

        check_stretch(spec, places)
    if report.has_errors:
        return None
    data = to_machine(loop)
    reference = Runs(data)
    fixtures = resolve_fixtures(spec.fixtures, loop, reference, places, "fixtures")
    mistakes = resolve_mistakes(spec, loop, reference, places)
    if not _is_open(report) and any(check.tests_catch for gate in spec.rubric for check in gate.checks):
        from labspec.lab.own_tests import resolve_own_tests  # many labs ask nothing of the student's tests

        rubric = resolve_own_tests(spec, rubric, loop, mistakes, places)
    stretch = _stretch(spec, fixtures, places)
    if _is_open(report):
        return None
    return Lab(
        **cover._asdict(),
        target=spec.target,
        **loop._asdict(),
        traced="trace" in spec.records,
        fixtures=fixtures,
        mistakes=mistakes,
        rubric=rubric,
        exercises=exercises,
        submission=submission,
        zero_if=resolve_zeros(spec.zero_if),
        manual=tuple(ManualItem(item.id, item.points, item.says) for item in spec.manual),
        stretch=stretch,
        starter=Starter(spec.starter.loop, spec.starter.ledger, spec.starter.tests, spec.starter.report),
        machine=data,
        digest=spec_digest(section_texts(root.entries)),
    )


def _stretch(spec: Spec, fixtures: tuple[Fixture, ...], places: Places) -> Stretch | None:
    if spec.stretch is None:
        return None
    from labspec.lab.stretch import resolve_stretch  # most labs have no goals

    return resolve_stretch(spec, fixtures, places)


def _is_open(report: Report) -> bool:
    """Whether what is wrong leaves open what the lab does. That an author expects otherwise does not."""
    return any(finding.code != "expect-contradicts-table" for finding in report.errors)
