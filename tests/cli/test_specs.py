"""Commands that are given no spec take those of the course."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .users import BASE, labspec, small_lab

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_spec_all_of_the_course_are_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    for name, lab in (("b.yaml", "lab-b"), ("a.yml", "lab-a"), ("notes.txt", "no-lab"), ("c.yaml.orig", "no-lab")):
        small_lab(tmp_path / "specs" / name, ("id: small-lab", f"id: {lab}"))
    assert labspec(capsys, "check").out.count(": sound (") == 2
    assert labspec(capsys, "check", "--format", "json").code == 0
    assert labspec(capsys, "build").code == 0
    assert sorted(path.name for path in (tmp_path / "generated").iterdir()) == ["lab-a", "lab-b"]
    current = labspec(capsys, "build", "--check")
    assert (current.code, current.out.count(": nothing to do ("), current.err) == (0, 2, "")
    assert labspec(capsys, "check", BASE).out.count(": sound (") == 1


@pytest.mark.parametrize("command", ["check", "build", "prove"])
def test_where_no_spec_is_the_command_says_what_it_needs(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = labspec(capsys, command)
    assert (done.code, done.out) == (2, "")
    assert "Missing argument 'SPEC...': without it every spec in the folder `specs` is taken" in done.err
