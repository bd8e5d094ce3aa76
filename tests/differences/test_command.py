"""`labspec diff` as it is called: on specs, on a built repository, and on what is neither."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from labspec.cli import main
from tests.cli.users import BASE, ROOT, labspec

from .cases import PAIRS, printed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The repository of the base of the pairs."""
    assert main(["build", str(PAIRS / "wording.old.yaml"), "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    (folder,) = tmp_path.iterdir()
    return folder


def test_the_exit_code_says_that_something_differs_only_if_asked() -> None:
    assert printed("friday.old.yaml", "friday.new.yaml")[0] == 0
    assert printed("friday.old.yaml", "friday.new.yaml", "--exit-code")[0] == 1
    assert printed("layout.old.yaml", "layout.new.yaml", "--exit-code")[0] == 0


def test_a_spec_with_errors_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", BASE, ROOT / "tests" / "specs" / "invalid" / "budget-huge.yaml")
    assert (done.code, done.out) == (1, "")
    assert "budget-huge.yaml" in done.err


def test_a_repository_was_built_from_just_this_spec(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", built, PAIRS / "wording.old.yaml", "--exit-code")
    assert done.code == 0
    assert done.out.startswith("Nothing differs: it was built from just this spec.\n")


def test_a_repository_shows_gates_and_fixtures_and_claims_nothing_about_runs(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = labspec(capsys, "diff", built, PAIRS / "gates-moved.new.yaml", "--format", "json")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["runs"]["verdict"] == "not decided"
    assert [(gate["name"], gate["details"][0]) for gate in found["sections"]["gates"]] == [
        ("exits", "points: 6 → 5"),
        ("record", "points: 4 → 5"),
    ]
    done = labspec(capsys, "diff", built, PAIRS / "fixtures-changed.new.yaml", "--format", "json")
    fixtures = json.loads(done.out)["sections"]["fixtures"]
    assert [fixture["name"] for fixture in fixtures] == ["fails_twice", "nameless"]


def test_edits_in_a_repository_do_not_count_as_changes_of_its_spec(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (built / "README.md").write_text("mine", encoding="utf-8")
    (built / "fixtures" / "recovers.json").unlink()
    done = labspec(capsys, "diff", built, PAIRS / "gates-moved.new.yaml", "--format", "json")
    assert "fixtures" not in json.loads(done.out)["sections"]


def test_a_repository_of_another_lab_is_refused(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", built, PAIRS / "only-traces-differ.old.yaml")
    assert (done.code, done.out) == (1, "")
    assert "was built from the lab `small-lab`, and the spec is of the lab `small-workspace`" in done.err


@pytest.mark.parametrize("text", [None, b"", b"[]", b"{", b"\xff", b'{"tests/gates.json": "{"}', b"[" * 100_000])
def test_a_repository_without_its_copies_is_refused_with_advice(
    built: Path, text: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = built / ".labspec" / "pristine.json"
    copies.unlink()
    if text is not None:
        copies.write_bytes(text)
    done = labspec(capsys, "diff", built, PAIRS / "gates-moved.new.yaml")
    assert (done.code, done.out) == (1, "")
    assert "give the old spec" in done.err


def test_a_folder_that_labspec_did_not_build_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", tmp_path, BASE)
    assert (done.code, done.out) == (1, "")
    assert "is no repository that labspec built" in done.err


def test_only_the_old_side_may_be_a_repository(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", BASE, built)
    assert (done.code, done.out) == (2, "")
    assert "only OLD may be a repository" in done.err
