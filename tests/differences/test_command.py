"""`labspec diff` as it is called: on specs, on built repositories, and on what is neither."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from labspec.cli import main
from labspec.differences.compare import NOT_HANDED_OUT
from labspec.emit.tree import LAB, MANIFEST, digest
from tests.cli.users import BASE, INVALID, labspec

from .cases import PAIRS, pairs, printed

if TYPE_CHECKING:
    from pathlib import Path

NOT_TOLD = {"mistakes", "goals", "wording"}
"""The sections of which a repository does not tell all."""

SEEN_WHOLE = [pair for pair in pairs() if pair != "around-the-loop"]
"""The pairs without hidden fixtures: their gates are the same to students."""


def build(spec: Path, folder: Path, *options: str) -> Path:
    """Build the repository of a spec in a new folder."""
    assert main(["build", str(spec), "-o", str(folder), *options]) == 0
    (repository,) = folder.iterdir()
    return repository


@pytest.fixture
def built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The repository of the base of the pairs."""
    repository = build(PAIRS / "wording.old.yaml", tmp_path / "repositories")
    capsys.readouterr()
    return repository


def difference(capsys: pytest.CaptureFixture[str], old: Path, new: Path) -> dict[str, Any]:
    """What `labspec diff` says as JSON."""
    done = labspec(capsys, "diff", old, new, "--format", "json")
    found: dict[str, Any] = json.loads(done.out)
    assert (done.code, done.err) == (0 if found["same_meaning"] else 1, "")
    return found


@pytest.mark.parametrize(
    ("pair", "code"), [("friday", 1), ("rows-swap-without-effect", 1), ("layout", 0), ("wording", 0)]
)
def test_the_exit_code_says_whether_the_meaning_is_the_same(pair: str, code: int) -> None:
    assert printed(f"{pair}.old.yaml", f"{pair}.new.yaml")[0] == code


def test_what_is_not_decided_is_not_called_the_same() -> None:
    code, output = printed("layout.old.yaml", "layout.new.yaml", "--limit", "1")
    assert code == 1
    assert output.startswith("Whether all runs stay the same is not proved either way.\n")


def test_the_findings_of_both_specs_are_shown_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", INVALID / "budget-huge.yaml", INVALID / "sum-of-agenda.yaml")
    assert (done.code, done.out) == (1, "")
    assert "budget-huge.yaml:" in done.err
    assert "sum-of-agenda.yaml:" in done.err


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", BASE, tmp_path / "new.yaml")
    assert (done.code, done.out) == (1, "")
    assert "error[file-not-found]" in done.err


@pytest.mark.parametrize("pair", SEEN_WHOLE)
def test_a_repository_says_about_a_spec_what_its_own_spec_would(
    pair: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (PAIRS / f"{pair}.{side}.yaml" for side in ("old", "new"))
    repository = build(old, tmp_path / "old")
    capsys.readouterr()
    of_specs, of_repository = difference(capsys, old, new), difference(capsys, repository, new)
    assert of_repository["runs"] == of_specs["runs"]
    for section in of_specs["sections"].keys() - NOT_TOLD - {"fixtures", "endings"}:
        assert of_repository["sections"].get(section) == of_specs["sections"][section]
    ends = [
        [change for change in found["sections"].get("endings", []) if change["kind"] != "traces of"]
        for found in (of_repository, of_specs)
    ]
    assert ends[0] == ends[1]


def test_a_repository_says_in_full_what_changed(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "diff", built, PAIRS / "friday.new.yaml")
    specs = (PAIRS / "friday.txt").read_text(encoding="utf-8").splitlines()
    added = [line for line in done.out.splitlines() if line not in specs]
    assert [line for line in specs if line not in done.out.splitlines()] == []
    assert added == [f"  {NOT_HANDED_OUT}"]


@pytest.mark.parametrize("options", [[], ["--solution"], ["--hidden"]], ids=str)
def test_a_repository_does_not_differ_from_its_spec(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = PAIRS / "around-the-loop.new.yaml"
    repository = build(spec, tmp_path / "one", *options)
    capsys.readouterr()
    for sides in ((repository, spec), (spec, repository), (repository, repository)):
        done = labspec(capsys, "diff", *sides)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("Nothing differs in meaning.\n")
        assert "Only what students have" not in done.out


def test_a_hidden_fixture_is_new_to_students_when_it_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = build(PAIRS / "around-the-loop.new.yaml", tmp_path / "old", "--hidden")
    capsys.readouterr()
    found = difference(capsys, old, PAIRS / "around-the-loop.old.yaml")
    assert [(one["how"], one["name"]) for one in found["sections"]["fixtures"]] == [
        ("removed", "nameless_at_once"),
        ("added", "nameless"),
    ]


def test_work_in_a_repository_does_not_count_as_a_change_of_its_lab(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = difference(capsys, built, PAIRS / "gates-moved.new.yaml")
    (built / "README.md").write_text("mine", encoding="utf-8")
    (built / "run_loop.py").write_text("mine", encoding="utf-8")
    (built / "fixtures" / "recovers.json").unlink()
    assert difference(capsys, built, PAIRS / "gates-moved.new.yaml") == before


def test_a_clone_with_the_line_ends_of_windows_says_the_same(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = difference(capsys, built, PAIRS / "friday.new.yaml")
    for name in (LAB, MANIFEST):
        (built / name).write_bytes((built / name).read_bytes().replace(b"\n", b"\r\n"))
    assert difference(capsys, built, PAIRS / "friday.new.yaml") == before


@pytest.mark.parametrize("text", [None, b"", b"{}", b"\xff"])
def test_a_repository_whose_lab_was_edited_is_refused(
    built: Path, text: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    (built / LAB).unlink()
    if text is not None:
        (built / LAB).write_bytes(text)
    done = labspec(capsys, "diff", built, PAIRS / "gates-moved.new.yaml")
    assert (done.code, done.out) == (1, "")
    assert f"error[repository-without-lab] `{(built / LAB).as_posix()}` " in done.err
    assert "git show REVISION" in done.err


def test_an_edited_lab_is_refused_even_if_the_manifest_was_edited_too(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (built / LAB).write_bytes(b'{"form": 1}\n')
    manifest = json.loads((built / MANIFEST).read_bytes())
    manifest["files"][LAB]["sha256"] = digest(b'{"form": 1}\n')
    (built / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    done = labspec(capsys, "diff", built, PAIRS / "gates-moved.new.yaml")
    assert (done.code, done.out) == (1, "")
    assert "can't be used: it is not in the form that this version of labspec reads" in done.err


def test_folders_that_labspec_did_not_build_are_refused_at_once(
    tmp_path: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (built / MANIFEST).write_text("{}", encoding="utf-8")
    done = labspec(capsys, "diff", tmp_path, built)
    assert (done.code, done.out) == (1, "")
    assert done.err.count("error[repository-not-ours]") == 2
