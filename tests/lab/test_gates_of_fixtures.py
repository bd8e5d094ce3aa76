"""A fixture can say itself which gates it counts for."""

from __future__ import annotations

from pathlib import Path

import pytest

from labspec.lab.model import Lab
from labspec.pipeline import load

VALID = Path(__file__).parents[1] / "specs" / "valid"


def lab_of(path: Path) -> Lab:
    loaded = load(path)
    assert loaded.lab is not None, loaded.report.diagnostics
    return loaded.lab


def checks(lab: Lab) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    return {gate.id: [(check.kind, check.fixtures) for check in gate.checks] for gate in lab.rubric}


def variant(folder: Path, text: str) -> Lab:
    base = (VALID / "_base.yaml").read_text(encoding="utf-8")
    (folder / "_base.yaml").write_text(base, encoding="utf-8")
    (folder / "lab.yaml").write_text(f"extends: ./_base.yaml\n{text}", encoding="utf-8")
    return lab_of(folder / "lab.yaml")


def test_a_gate_makes_every_kind_of_its_checks_on_the_fixtures_that_name_it() -> None:
    """After the fixtures it lists, in the order of the fixtures; a fixture it lists already is not checked twice."""
    assert checks(lab_of(VALID / "fixtures-that-join-gates.yaml")) == {
        "exits": [("exit", ("recovers", "fails_twice", "nameless", "never_final", "stops"))],
        "record": [("append", ("recovers", "nameless", "stops")), ("fields", ("recovers", "nameless", "stops"))],
    }


def test_a_kind_of_check_that_stands_in_two_lists_is_made_once(tmp_path: Path) -> None:
    lab = variant(
        tmp_path,
        "rubric:\n"
        "  - gate: exits\n"
        "    checks: [{fixtures: [recovers]}, {fixtures: [fails_twice, nameless]}, {check: exit_code}]\n"
        "fixtures: [{id: nameless, gates: [exits]}, {id: never_final, gates: [exits]}]\n",
    )
    everything = ("recovers", "fails_twice", "nameless", "never_final")
    assert checks(lab)["exits"] == [
        ("exit", ("recovers", "never_final")),
        ("exit", ("fails_twice", "nameless")),
        ("exit_code", everything),
    ]


@pytest.mark.parametrize("visibility", ["visible", "hidden"])
def test_students_see_a_gate_that_a_visible_fixture_joins(visibility: str, tmp_path: Path) -> None:
    base = (VALID / "_base.yaml").read_text(encoding="utf-8")
    (tmp_path / "_base.yaml").write_text(base, encoding="utf-8")
    spec = tmp_path / "lab.yaml"
    spec.write_text(
        "extends: ./_base.yaml\n"
        "fixtures:\n"
        "  - {id: recovers, visibility: hidden}\n"
        f"  - {{id: nameless, gates: [record], visibility: {visibility}}}\n",
        encoding="utf-8",
    )
    codes = [one.code for one in load(spec).report.diagnostics]
    assert codes == ([] if visibility == "visible" else ["gate-is-hidden"])
