"""Names become files and identifiers of the student repository: here are those that some system or language keeps."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from typing import Final

from labspec.device_names import DEVICE_NAMES
from labspec.lab.places import Places, Step
from labspec.spec.model import Spec

_JAVASCRIPT: Final = frozenset(
    (  # noqa: SIM905  # fifty words read better as words
        "await break case catch class const constructor continue debugger default delete do else enum export extends "
        "false finally for function if implements import in instanceof interface let new null package private "
        "protected prototype public return static super switch this throw true try typeof undefined var void while "
        "with yield"
    ).split()
)
"""Reserved words of JavaScript, and names that every object of it already has."""


_OWN_TESTS: Final = "loop_exit"
"""`test_loop_exit.py` is the student's; pytest refuses two test files of one name."""


def check_names(spec: Spec, places: Places) -> None:
    """No name is a device of Windows, a keyword of a target language, or a property all JavaScript objects have."""
    for name, path, is_key in _names(spec):
        check_name(name, places, *path, is_key=is_key)
    for index, gate in enumerate(spec.rubric):
        if gate.gate == _OWN_TESTS:
            message = f"`{_OWN_TESTS}` can't be the name of a gate: `test_{_OWN_TESTS}.py` is the student's file"
            places.error("reserved-name", message, "rubric", index, "gate")


def check_name(name: str, places: Places, *path: Step, is_key: bool = False) -> None:
    """The name at `path`, or the key there, is not one that some system or language keeps."""
    kept_by = _kept_by(name)
    if kept_by is not None:
        report = places.key_error if is_key else places.error
        report("reserved-name", f"`{name}` can't be a name here: it is {kept_by}", *path)


def _kept_by(name: str) -> str | None:
    if name in DEVICE_NAMES:
        return "a device name of Windows"
    if keyword.iskeyword(name):
        return "a keyword of Python"
    return "a reserved word of JavaScript" if name in _JAVASCRIPT else None


def _names(spec: Spec) -> Iterator[tuple[str, tuple[Step, ...], bool]]:
    for section, names in (("budgets", spec.budgets), ("meters", spec.meters), ("tools", spec.tools)):
        yield from ((name, (section, name), True) for name in names)
    yield from ((name, ("taxonomy", name), True) for name in spec.taxonomy)
    yield from ((fixture.id, ("fixtures", index, "id"), False) for index, fixture in enumerate(spec.fixtures))
    yield from ((gate.gate, ("rubric", index, "gate"), False) for index, gate in enumerate(spec.rubric))
