"""Twelve clones at various stages of work go through three changes of their lab: what students wrote is untouched, and
what they had earned they earn still, or their report says what they miss now and why.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from labspec.emit import write
from labspec.emit.tree import digest
from labspec.update import update_all
from labspec.update.what_changed import WHAT_CHANGED

from .course import COURSE, VERSIONS, lab_of, told, tree_of

STUDENTS_FILES = ("run_loop.py", "test_loop_exit.py")


def solve(clone: Path, version: int = 1) -> None:
    """Write what a student writes who has solved a version."""
    for path in STUDENTS_FILES:
        (clone / path).write_bytes(tree_of(version, solution=True)[path].data)


def edit(clone: Path, path: str, old: str, new: str) -> None:
    """Change a text of a file."""
    text = (clone / path).read_text("utf-8")
    assert old in text
    (clone / path).write_text(text.replace(old, new), "utf-8")


def append(clone: Path, path: str, text: str) -> None:
    """Add to the end of a file."""
    with (clone / path).open("a", encoding="utf-8") as file:
        file.write(text)


def untouched(clone: Path) -> None:
    """Only cloned."""


def first_lines(clone: Path) -> None:
    """The student has begun, and nothing works yet."""
    append(clone, "run_loop.py", "\n\n# my first idea: count the failures\n")


def solved(clone: Path) -> None:
    """Everything works."""
    solve(clone)


def never_retries(clone: Path) -> None:
    """Nearly: the first failure ends the run."""
    solve(clone)
    edit(clone, "run_loop.py", "MAX_RETRIES = 1", "MAX_RETRIES = 0")


def notes_in_the_readme(clone: Path) -> None:
    """Everything works, with notes in a given file, far from what will change."""
    solve(clone)
    append(clone, "README.md", "\n## My notes\n\nCount first, then ask.\n")


def reason_of_my_own(clone: Path) -> None:
    """Everything works, with a given file changed where the staff will change it."""
    solve(clone)
    edit(clone, "loop_exit.py", '"turn_cap"', '"turn_cap", "bored"')


def from_windows(clone: Path) -> None:
    """Everything works, in a clone whose lines end as on Windows."""
    solve(clone)
    for path in tree_of(1):
        place = clone / path
        place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))


def easier_tests(clone: Path) -> None:
    """A test was taken away instead of a fault."""
    never_retries(clone)
    edit(clone, "tests/test_exits.py", "def test_", "def no_test_")


def fixture_deleted(clone: Path) -> None:
    """Everything works, and a fixture is gone."""
    solve(clone)
    (clone / "fixtures/recovers.json").unlink()


def loop_in_two_files(clone: Path) -> None:
    """Everything works, in a module of the student's own."""
    solve(clone)
    (clone / "run_loop.py").rename(clone / "my_loop.py")
    (clone / "run_loop.py").write_text("from my_loop import run_loop\n\n__all__ = ['run_loop']\n", "utf-8")


def no_final_newline(clone: Path) -> None:
    """Everything works, saved by an editor that ends no last line."""
    solve(clone)
    for path in (*STUDENTS_FILES, "SUBMISSION.md"):
        place = clone / path
        place.write_bytes(place.read_bytes().rstrip(b"\n") + b" " * (path == "SUBMISSION.md"))


def in_git_with_results(clone: Path) -> None:
    """Everything works, is in git, and has been run."""
    solve(clone)
    (clone / "artifacts").mkdir()
    (clone / "artifacts/exits.jsonl").write_text("{}\n", "utf-8")
    subprocess.run(["git", "init", "-q", clone], check=True)  # noqa: S607 - the system's
    append(clone, "SUBMISSION.md", "- [x] all done\n")


STAGES: tuple[Callable[[Path], None], ...] = (
    untouched,
    first_lines,
    solved,
    never_retries,
    notes_in_the_readme,
    reason_of_my_own,
    from_windows,
    easier_tests,
    fixture_deleted,
    loop_in_two_files,
    no_final_newline,
    in_git_with_results,
)
NOT_AS_HANDED_OUT = (easier_tests, reason_of_my_own)
"""Clones in which a solution alone does not put everything right: a given file is the student's."""


class Proof(NamedTuple):
    """What the tests of a clone say: the gates that are earned, and what is said about the others."""

    earned: frozenset[str]
    missed: Mapping[str, str]


def prove(clone: Path, report: Path) -> Proof:
    """Run the tests of a clone as the student does."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAB_", "PYTEST_"))}
    environment = {**kept, "LAB_REPORT": str(report), "LAB_RUN_ONCE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=native"]
    done = subprocess.run(words, cwd=clone, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert report.exists(), done.stdout + done.stderr
    gates: dict[str, Any] = json.loads(report.read_text("utf-8"))["gates"]
    report.unlink()
    missed = {name: gate["zeroed"] or " ".join(gate["messages"].values()) for name, gate in gates.items()}
    earned = frozenset(name for name, gate in gates.items() if gate["state"] == "earned")
    return Proof(earned, {name: words for name, words in missed.items() if name not in earned})


def contents(clone: Path) -> dict[str, bytes]:
    """Every file of a clone but the bookkeeping and git's."""
    files = {path.relative_to(clone): path for path in clone.rglob("*") if path.is_file()}
    return {
        path.as_posix(): place.read_bytes()
        for path, place in files.items()
        if path.parts[0] not in (".labspec", ".git")
    }


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_a_clone_goes_through_three_changes_of_its_lab(stage: Callable[[Path], None], tmp_path: Path) -> None:
    clone, report = tmp_path / "my clone", tmp_path / "report.json"
    write(tree_of(1), clone)
    stage(clone)
    before = prove(clone, report)
    assert bool(before.earned) == (stage not in (untouched, first_lines, fixture_deleted))
    for version in VERSIONS[1:]:
        written = contents(clone)
        old = tree_of(version - 1)
        (updated,) = update_all([clone], lab_of(version))
        assert updated.refusal is None

        found = contents(clone)
        for path, data in written.items():
            made = old[path].data if path in old else None
            mine = data.replace(b"\r\n", b"\n") != made
            if (
                path != WHAT_CHANGED
                and ".labspec-new" not in path
                and mine
                and (path not in old or path in STUDENTS_FILES)
            ):
                assert found[path] == data, path
        for step in updated.steps:
            assert not step.is_open or f"{step.path}.labspec-new" in found
        assert f"`{lab_of(version).version}`" in found[WHAT_CHANGED].decode("utf-8")

        after = prove(clone, report)
        for gate in before.earned - after.earned:
            assert after.missed[gate].strip(), f"{gate} is missed, and the report does not say why"
        assert after.earned | after.missed.keys() == {gate.id for gate in lab_of(version).rubric}
        before = after

    if stage not in NOT_AS_HANDED_OUT:
        solve(clone, VERSIONS[-1])
        assert prove(clone, report).earned == {gate.id for gate in lab_of(VERSIONS[-1]).rubric}


def test_an_untouched_clone_becomes_what_is_handed_out_now(tmp_path: Path) -> None:
    clones = [tmp_path / name for name in ("one", "another")]
    for clone in clones:
        write(tree_of(1), clone)
    for updated in update_all(clones, lab_of(4)):
        found = contents(updated.clone)
        assert found.pop(WHAT_CHANGED)
        handed_out = {path: file.data for path, file in tree_of(4).items() if not path.startswith(".labspec/")}
        assert found == handed_out


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_what_changed_is_told_in_the_words_of_students(version: int) -> None:
    assert told(version) == (COURSE / f"{version}.md").read_text("utf-8")


def test_what_staff_had_edited_is_not_called_a_change_of_the_students(tmp_path: Path) -> None:
    staff, clone = tmp_path / "staff", tmp_path / "clone"
    write(tree_of(1), staff)
    with (staff / "run_loop.py").open("a", encoding="utf-8") as file:
        file.write("# Ask in the forum.\n")
    write(tree_of(1), staff)
    shutil.copytree(staff, clone)
    list(update_all([clone], lab_of(2)))
    assert "run_loop.py" not in (clone / WHAT_CHANGED).read_text("utf-8")
    assert (clone / "run_loop.py").read_bytes() == (staff / "run_loop.py").read_bytes()


def test_an_update_that_was_made_already_changes_nothing(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    write(tree_of(1), clone)
    solved(clone)
    list(update_all([clone], lab_of(2)))
    found = contents(clone)
    (updated,) = update_all([clone], lab_of(2))
    assert not any(step.changes for step in updated.steps)
    assert contents(clone) == found


def test_a_clone_without_its_lab_is_updated_and_told_to_read_again(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    write(tree_of(1), clone)
    (clone / ".labspec/lab.json").unlink()
    (updated,) = update_all([clone], lab_of(2))
    assert updated.refusal is None
    assert "read the README again" in (clone / WHAT_CHANGED).read_text("utf-8")


def test_one_refused_clone_does_not_keep_the_others_from_being_updated(tmp_path: Path) -> None:
    good, other, nothing = tmp_path / "good", tmp_path / "other", tmp_path / "nothing"
    write(tree_of(1), good)
    shutil.copytree(good, other)
    manifest = other / ".labspec/manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"lab": "small-lab"', '"lab": "another-lab"'), "utf-8")
    before = contents(other)
    updated = list(update_all([other, nothing, good], lab_of(2)))
    assert [one.refusal.code if one.refusal else "" for one in updated] == ["target-other-lab", "not-a-clone", ""]
    assert contents(other) == before
    assert (good / WHAT_CHANGED).exists()
    assert not nothing.exists()


def test_what_one_student_did_to_the_bookkeeping_tells_the_others_nothing(tmp_path: Path) -> None:
    """A clone can claim to be of a version that it is not of, in good order."""
    tampered, honest = tmp_path / "a", tmp_path / "b"
    for clone in (tampered, honest):
        write(tree_of(1), clone)
    lab, manifest = tampered / ".labspec/lab.json", tampered / ".labspec/manifest.json"
    before = digest(lab.read_bytes())
    edit(tampered, ".labspec/lab.json", "turn_cap", "bored")
    manifest.write_text(manifest.read_text("utf-8").replace(before, digest(lab.read_bytes())), "utf-8")
    list(update_all([tampered, honest], lab_of(2)))
    assert "bored" not in (honest / WHAT_CHANGED).read_text("utf-8")
    assert "turn\\_cap" in (honest / WHAT_CHANGED).read_text("utf-8")
    assert "turn\\_cap" not in (tampered / WHAT_CHANGED).read_text("utf-8")


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_clone_that_cannot_be_read_does_not_keep_the_others_from_being_updated(dry_run: bool, tmp_path: Path) -> None:
    """A name that is too long for the system can't be looked at: it is refused as one clone."""
    good = tmp_path / "good"
    write(tree_of(1), good)
    refused, updated = update_all([tmp_path / ("x" * 300), good], lab_of(2), dry_run=dry_run)
    assert refused.refusal is not None
    assert updated.refusal is None
