"""From what students have of a lab back to a lab, as far as it goes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from labspec.diagnostics import Report, Span
from labspec.handed_out.form import HandedOut
from labspec.handed_out.write import to_data
from labspec.lab.loop import resolve_loop
from labspec.lab.model import NO_COVER, Fixture, Goal, Lab, Stretch
from labspec.lab.places import Places
from labspec.machine.build import to_machine
from labspec.source.nodes import Mapping
from labspec.spec.plugins import without_plugins

if TYPE_CHECKING:
    from labspec.handed_out.form import HandedOutFixture, HandedOutStretch
    from labspec.lab.model import Loop, MachineData

_NOWHERE: Final = Mapping((), Span("", 1, 1, 1, 1))
"""Where findings about the loop would point: nobody writes this file by hand."""


class HandedOutError(ValueError):
    """The bytes are not what students have of a lab, as this version of labspec reads it."""


def read_lab(data: bytes, digest: str) -> Lab:
    """The lab that `to_data` has described; `digest` is the one of its spec.

    What students do not have is empty in it: its words, its mistakes, its hidden fixtures, and what goals change.
    Raises HandedOutError if it is not such a lab.
    """
    try:
        with without_plugins():
            seen = HandedOut.model_validate_json(data)
    except ValidationError as error:
        raise HandedOutError("it is not in the form that this version of labspec reads") from error
    report = Report()
    loop = resolve_loop(seen.loop, Places(_NOWHERE, report))
    if report.has_errors:
        raise HandedOutError(f"its loop is unsound: {report.errors[0].message}")
    return _lab(seen, loop, digest)


def _lab(seen: HandedOut, loop: Loop, digest: str) -> Lab:
    machine = to_machine(loop)
    stretch = seen.stretch
    return Lab(
        **NO_COVER._replace(id=seen.id, version=seen.version, minutes=seen.minutes)._asdict(),
        target=seen.target,
        **loop._asdict(),
        traced=seen.traced,
        fixtures=tuple(_fixture_of(fixture) for fixture in seen.fixtures),
        mistakes=(),
        rubric=seen.rubric,
        exercises=(),
        submission=seen.submission,
        zero_if=seen.zero_if,
        manual=seen.manual,
        stretch=None if stretch is None else _stretch_of(stretch, loop, machine),
        starter=seen.starter,
        machine=machine,
        digest=digest,
    )


def _fixture_of(fixture: HandedOutFixture) -> Fixture:
    data = {"id": fixture.id, **fixture.input.model_dump(exclude_unset=True)}
    return Fixture(
        id=fixture.id,
        title=fixture.title,
        says=None,
        hidden=False,
        data=data,
        simulated=data,
        budgets=fixture.input.budgets or {},
        ending=fixture.ending,
    )


def _stretch_of(stretch: HandedOutStretch, loop: Loop, machine: MachineData) -> Stretch:
    goals = tuple(
        Goal(
            id=goal.id,
            title=goal.title,
            says=goal.says,
            points=goal.points,
            loop=loop,
            machine=machine,
            fixtures=tuple(_fixture_of(fixture) for fixture in goal.fixtures),
            checks=goal.checks,
        )
        for goal in stretch.goals
    )
    return Stretch(stretch.points, stretch.pick, stretch.needs, goals, loop, machine)


def as_students_have_it(lab: Lab) -> Lab:
    """The lab with only that in it which students have."""
    return read_lab(json.dumps(to_data(lab)).encode("ascii"), lab.digest)
