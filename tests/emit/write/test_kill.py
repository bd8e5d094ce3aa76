"""A build that is killed, or that the disk refuses, at any single change of the disk: nothing is lost, and the next
build leads to what it would have led to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from labspec.emit import Tree, WriteRefused, plan_write, write

from .faults import Faults, build_with, fill_disk, kill
from .trees import contents, lines, tree_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="faults are put into a fork of this process")

OLD = tree_of(
    {
        "README.md": lines("goal", "agenda", "table", "rubric"),
        "RUBRIC.md": lines("rubric", "points"),
        "SUBMISSION.md": lines("[ ] tests"),
        "run_loop.py": lines("# todo"),
        "lab.py": lines("given"),
        "fixtures/old/gone.json": lines("{}"),
        "tests/test_gate.py": lines("assert 1"),
    }
)
NEW = tree_of(
    {
        "README.md": lines("goal", "agenda", "table", "rubric of today"),
        "RUBRIC.md": lines("rubric of today", "points"),
        "SUBMISSION.md": lines("[ ] tests", "[ ] trace"),
        "run_loop.py": lines("# todo today"),
        "lab.py": lines("given today"),
        "fixtures/new/come.json": lines("{}"),
        "tests/test_gate.py": lines("assert 2"),
    },
    version="2.0.0",
)
EDITS = {
    "README.md": lines("goal, in my words", "agenda", "table", "rubric"),  # will be merged
    "RUBRIC.md": lines("rubric, in my words", "points"),  # will be in conflict
    "run_loop.py": lines("# done"),  # is the student's
    "notes.md": lines("mine"),  # is foreign
}
MERGED = {**EDITS, "README.md": lines("goal, in my words", "agenda", "table", "rubric of today")}


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The old repository, with edits."""
    folder = tmp_path_factory.mktemp("edited") / "lab"
    write(OLD, folder)
    for path, text in EDITS.items():
        (folder / path).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def rebuilt(edited: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What an undisturbed build makes of it."""
    folder = tmp_path_factory.mktemp("rebuilt") / "lab"
    shutil.copytree(edited, folder)
    write(NEW, folder)
    made = contents(folder)
    assert {path: made[path].decode("utf-8") for path in MERGED} == MERGED
    assert made["RUBRIC.md.labspec-new"] == NEW["RUBRIC.md"].data
    return made


def copies(of: Path, tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The numbers from 1, each with a new copy of a folder."""
    for number in count(1):
        folder = tmp_path / str(number) / "lab"
        shutil.copytree(of, folder)
        yield number, folder


def assert_no_edit_is_lost(folder: Path) -> None:
    """Every file that a person wrote is as it was, or merged."""
    found = contents(folder)
    for path, text in EDITS.items():
        assert found[path].decode("utf-8") in (text, MERGED[path])


def test_a_build_killed_at_any_change_loses_no_edit_and_the_next_one_ends_it(
    edited: Path, rebuilt: dict[str, bytes], tmp_path: Path
) -> None:
    for number, folder in copies(edited, tmp_path):
        ending = build_with({number: kill}, NEW, folder)
        assert_no_edit_is_lost(folder)
        write(NEW, folder)
        assert contents(folder) == rebuilt
        if ending == "done":
            break
    assert number > 50


def test_after_a_killed_build_an_older_one_leads_back(edited: Path, tmp_path: Path) -> None:
    """Whichever spec is built next: the files nobody edited are those of that spec."""
    for number, folder in copies(edited, tmp_path):
        ending = build_with({number: kill}, NEW, folder)
        write(OLD, folder)
        assert_no_edit_is_lost(folder)
        found = contents(folder)
        unedited = OLD.keys() - EDITS.keys() - {".labspec/manifest.json"}
        assert {path: found[path] for path in unedited} == {path: OLD[path].data for path in unedited}
        if ending == "done":
            break
    assert number > 50


def test_what_is_edited_after_a_kill_is_not_replaced(edited: Path, tmp_path: Path) -> None:
    late = lines("written in between")
    for number, folder in copies(edited, tmp_path):
        ending = build_with({number: kill}, NEW, folder)
        was_old = (folder / "lab.py").read_bytes() == OLD["lab.py"].data
        (folder / "lab.py").write_text(late, "utf-8")
        (folder / "README.md").write_text(late, "utf-8")
        write(NEW, folder)
        assert (folder / "lab.py").read_text("utf-8") == late
        assert (folder / "README.md").read_text("utf-8") == late
        if was_old:  # and edited: who edits the new one already has it
            assert (folder / "lab.py.labspec-new").read_bytes() == NEW["lab.py"].data
        if ending == "done":
            break
    assert number > 50


def test_a_build_that_the_disk_refuses_at_any_change_leaves_everything_as_it_was(
    edited: Path, rebuilt: dict[str, bytes], tmp_path: Path
) -> None:
    """Where only the tidying up was refused, everything is as it was to become."""
    before = contents(edited)
    refused = 0
    for number, folder in copies(edited, tmp_path):
        ending = build_with({number: fill_disk}, NEW, folder)
        if ending == "refused":
            refused += 1
            assert contents(folder) == before
        write(NEW, folder)
        assert contents(folder) == rebuilt
        if ending == "done":
            break
    assert refused > 40


def test_a_build_killed_while_it_puts_things_back_is_ended_by_the_next(
    edited: Path, rebuilt: dict[str, bytes], tmp_path: Path
) -> None:
    for number, folder in copies(edited, tmp_path):
        faults: Faults = {48: fill_disk, 48 + number: kill}  # 48 is one of the last files
        ending = build_with(faults, NEW, folder)
        assert_no_edit_is_lost(folder)
        write(NEW, folder)
        assert contents(folder) == rebuilt
        if ending != "killed":
            break
    assert ending == "refused"
    assert number > 5


def test_a_new_repository_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    for number in count(1):
        folder = tmp_path / str(number) / "lab"
        folder.parent.mkdir()
        ending = build_with({number: kill}, NEW, folder)
        assert not folder.exists() or contents(folder) == {path: file.data for path, file in NEW.items()}
        write(NEW, folder)
        assert contents(folder.parent) == {f"lab/{path}": file.data for path, file in NEW.items()}
        if ending == "done":
            break
    assert number > 20


def test_a_build_that_was_killed_is_told_by_what_only_looks(edited: Path, tmp_path: Path) -> None:
    told = 0
    for number, folder in copies(edited, tmp_path):
        ending = build_with({number: kill}, NEW, folder)
        before = contents(folder)
        if (folder / ".labspec/unfinished-build/journal.json").exists():
            with pytest.raises(WriteRefused) as refused:
                plan_write(NEW, folder)
            assert refused.value.code == "target-unfinished"
            told += 1
        else:
            plan_write(NEW, folder)
        assert contents(folder) == before
        if ending == "done":
            break
    assert told > 5


@pytest.mark.parametrize(
    "journal",
    ['[["../outside.txt", null, null]]', '[["/outside.txt", null, "x"]]', "not json", "[1]", '[["a/../../b", 0, 1]]'],
)
def test_a_journal_that_comes_with_a_repository_reaches_nothing_outside(
    journal: str, edited: Path, tmp_path: Path
) -> None:
    folder, outside = tmp_path / "lab", tmp_path / "outside.txt"
    shutil.copytree(edited, folder)
    outside.write_text("mine", "utf-8")
    staging = folder / ".labspec/unfinished-build"
    staging.mkdir()
    (staging / "journal.json").write_text(journal, "utf-8")
    (staging / "0.new").write_text("not yours", "utf-8")
    before = contents(tmp_path)
    with pytest.raises(WriteRefused) as refused:
        write(NEW, folder)
    assert refused.value.code == "target-unfinished"
    assert contents(tmp_path) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, that holds the old repository and little more."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=192k,mode=755", "tmpfs", place],  # noqa: S607 - the system's
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"this system lets nobody mount a small disk: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", place], check=True)  # noqa: S607 - the system's


def _large(word: str, version: str) -> Tree:
    return tree_of({f"fixtures/{number}.json": lines(*[word] * 2000) for number in range(5)}, version)


def test_a_full_disk_changes_nothing(small_disk: Path) -> None:
    target = small_disk / "lab"
    write(_large("old", "1.0.0"), target)
    before = contents(small_disk)
    with pytest.raises(WriteRefused, match="No space left"):
        write(_large("new and much longer", "2.0.0"), target)
    assert contents(small_disk) == before
    with pytest.raises(WriteRefused, match="No space left"):
        write(_large("new and much longer", "2.0.0"), small_disk / "other")
    assert contents(small_disk) == before


def test_a_disk_that_can_only_be_read_is_refused(small_disk: Path) -> None:
    target = small_disk / "lab"
    write(OLD, target)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)  # noqa: S607 - the system's
    before = contents(small_disk)
    for place in (target, small_disk / "other"):
        with pytest.raises(WriteRefused, match="Read-only") as refused:
            write(NEW, place)
        assert refused.value.code == "write-failed"
    assert contents(small_disk) == before


def test_a_folder_that_can_only_be_read_is_refused(edited: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write into any folder: the disk that can only be read is tried instead")
    folder = tmp_path / "lab"
    shutil.copytree(edited, folder)
    before = contents(folder)
    places = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for place in places:
        place.chmod(0o555)
    try:
        with pytest.raises(WriteRefused) as refused:
            write(NEW, folder)
    finally:
        for place in places:
            place.chmod(0o755)
    assert refused.value.code == "write-failed"
    assert contents(folder) == before
