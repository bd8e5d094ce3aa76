"""Writing is all or nothing, and touches nothing that is not ours."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from labspec.emit import Edition, File, Tree, WriteRefused, plan, plan_write, render, write
from labspec.emit.tree import MANIFEST
from labspec.emit.write.steps import Change
from labspec.emit.write.transaction import Transaction
from labspec.lab.model import Starter
from tests.emit.labs import first_lab, lab_with

STARTER = render(plan(first_lab(), Edition()))
CHANGED = render(plan(lab_with(title="Another title", starter=Starter("given", "given", "todo", "given")), Edition()))
"""The lab after a change to many of its files, the loop among them."""
RENAMED = render(plan(lab_with(fixtures=first_lab().fixtures[:4]), Edition()))
"""The lab after a change: other tests, and one fixture less."""


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything below a folder: modes, and bytes of files."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


def is_current(tree: Tree, target: Path) -> bool:
    """Whether a build would do nothing."""
    return all(step.status == "same" for step in plan_write(tree, target))


def statuses(tree: Tree, target: Path) -> dict[str, str]:
    """What a build would do, of the files where it would do or say something."""
    return {step.path: step.status for step in plan_write(tree, target) if step.status != "same"}


def refusal(tree: Tree, target: Path) -> WriteRefused:
    """Why a target is refused; nothing around it may change."""
    before = snapshot(target.parent)
    with pytest.raises(WriteRefused) as refused:
        write(tree, target)
    assert snapshot(target.parent) == before
    assert refused.value.help
    return refused.value


def test_new_target_holds_exactly_the_tree(tmp_path: Path) -> None:
    target = tmp_path / "not there" / "yet" / "lab"
    written = write(STARTER, target)
    assert written.written == tuple(STARTER)
    found = {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert found == {path: file.data for path, file in STARTER.items()}
    assert [path.name for path in target.parent.iterdir()] == ["lab"]


def test_empty_folder_is_a_new_target(tmp_path: Path) -> None:
    written = write(STARTER, tmp_path)
    assert len(written.written) == len(STARTER)
    assert is_current(STARTER, tmp_path)


def test_solution_never_takes_the_place_of_a_starter(tmp_path: Path) -> None:
    """Students' repositories do not turn into solutions by a slip of the instructor's."""
    target = tmp_path / "lab"
    write(STARTER, target)
    solution = render(plan(first_lab(), Edition(solution=True)))
    assert refusal(solution, target).code == "target-other-edition"


def test_second_write_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(STARTER, target)
    times = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
    written = write(STARTER, target)
    assert (written.written, written.removed, len(written.steps)) == ((), (), len(STARTER))
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == times


def test_update_writes_what_changed_and_removes_what_is_gone(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(STARTER, target)
    written = write(RENAMED, target)
    assert written.removed == ("fixtures/stack_trace_v1.json",)
    assert "README.md" in written.written
    assert "lab.py" not in written.written
    assert is_current(RENAMED, target)


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(STARTER, target)
    for path in ("artifacts/exits.jsonl", "fixtures/my_own.json", "tests/__pycache__/x.pyc", ".git/HEAD"):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text("mine", "utf-8")
    write(RENAMED, target)
    assert (target / "artifacts/exits.jsonl").read_text("utf-8") == "mine"
    assert (target / "fixtures/my_own.json").read_text("utf-8") == "mine"
    assert (target / "tests/__pycache__/x.pyc").exists()
    assert (target / ".git/HEAD").exists()


def test_deleted_file_comes_back(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(STARTER, target)
    (target / "README.md").unlink()
    assert statuses(STARTER, target) == {"README.md": "gone"}
    assert write(STARTER, target).written == ("README.md",)


def test_checkout_with_line_ends_of_windows_is_unedited(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(STARTER, target)
    readme = target / "README.md"
    readme.write_bytes(readme.read_bytes().replace(b"\n", b"\r\n"))
    assert is_current(STARTER, target)
    write(RENAMED, target)
    assert b"\r\n" in readme.read_bytes()
    assert b"\n" not in readme.read_bytes().replace(b"\r\n", b"")


# --- refusals ---


def test_edit_that_the_new_tree_would_make_is_no_edit(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(STARTER, target)
    (target / "run_loop.py").write_bytes(CHANGED["run_loop.py"].data)
    write(CHANGED, target)
    assert is_current(CHANGED, target)


def test_symlink_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    target, outside = tmp_path / "lab", tmp_path / "outside"
    write(STARTER, target)
    (target / "fixtures").rename(outside)
    (target / "fixtures").symlink_to(outside)
    refused = refusal(CHANGED, target)
    assert refused.code == "target-blocked"
    assert str(target / "fixtures") in refused.message


def test_symlinks_of_a_repository_lead_nowhere(tmp_path: Path) -> None:
    """A student's clone is somebody else's: its own bookkeeping must not make us write outside of it."""
    target, outside = tmp_path / "lab", tmp_path / "outside"
    write(STARTER, target)
    (target / ".labspec").rename(outside)
    (target / ".labspec").symlink_to(outside)
    assert refusal(CHANGED, target).code == "target-not-ours"


@pytest.mark.parametrize("path", ["../outside.txt", "/outside.txt", "fixtures/../../outside.txt"])
def test_a_manifest_that_names_files_outside_is_refused(path: str, tmp_path: Path) -> None:
    target, outside = tmp_path / "lab", tmp_path / "outside.txt"
    outside.write_text("mine", "utf-8")
    write(STARTER, target)
    manifest = json.loads((target / MANIFEST).read_text("utf-8"))
    manifest["files"][path] = {"sha256": hashlib.sha256(b"mine").hexdigest(), "mode": "644", "owner": "generated"}
    (target / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    assert refusal(CHANGED, target).code == "target-not-ours"


def test_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", "utf-8")
    assert refusal(STARTER, tmp_path).code == "target-not-empty"


@pytest.mark.parametrize("text", ["{}", "[]", "not json", '{"labspec": 2, "lab": "x", "files": {}}', '{"labspec": 1}'])
def test_unreadable_manifest_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / ".labspec").mkdir()
    (tmp_path / MANIFEST).write_text(text, "utf-8")
    assert refusal(STARTER, tmp_path).code == "target-not-ours"


def test_folder_of_another_lab_is_refused(tmp_path: Path) -> None:
    write(render(plan(lab_with(id="another-lab"), Edition())), tmp_path)
    refused = refusal(STARTER, tmp_path)
    assert refused.code == "target-other-lab"
    assert "`another-lab`" in refused.message


def test_file_is_no_target(tmp_path: Path) -> None:
    (tmp_path / "lab").write_text("mine", "utf-8")
    assert refusal(STARTER, tmp_path / "lab").code == "target-is-file"


@pytest.mark.parametrize("exists", [True, False])
def test_symlink_is_no_target(exists: bool, tmp_path: Path) -> None:
    if exists:
        (tmp_path / "there").mkdir()
    (tmp_path / "lab").symlink_to(tmp_path / "there")
    assert refusal(STARTER, tmp_path / "lab").code == "target-is-symlink"


def test_home_and_root_are_no_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert refusal(STARTER, tmp_path).code == "target-is-home"
    with pytest.raises(WriteRefused) as refused:
        write(STARTER, Path("/"))
    assert refused.value.code == "target-is-root"


def test_file_in_place_of_a_parent_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    with pytest.raises(WriteRefused) as refused:
        write(STARTER, tmp_path / "file" / "lab")
    assert refused.value.code == "write-failed"
    assert (tmp_path / "file").read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    "path",
    ["../x", "/x", "a//b", "a/./b", "a\\b", "C:x", "", "a/", "con. ", "a/..", "nul\0", "README.md/x", "readme.MD"],
)
def test_no_path_leaves_the_target_or_clashes(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"path|file"):
        write({**STARTER, path: File(b"")}, tmp_path / "lab")
    assert list(tmp_path.iterdir()) == []


# --- failures ---

WRITE_WITH_LITTLE_ROOM = """
import resource, signal, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from labspec.emit import WriteRefused, write
from tests.emit.write.test_write import CHANGED
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    write(CHANGED, Path(sys.argv[1]))
except WriteRefused as refused:
    sys.exit(refused.code)
"""

# A limit on the size of files stands for a full disk.


@pytest.mark.parametrize("exists", [True, False])
def test_disk_that_refuses_leaves_everything_as_it_was(exists: bool, tmp_path: Path) -> None:
    target = tmp_path / "lab"
    if exists:
        write(STARTER, target)
    before = snapshot(tmp_path)
    words = [sys.executable, "-c", WRITE_WITH_LITTLE_ROOM, str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert done.stderr.strip() == "write-failed"
    assert snapshot(tmp_path) == before


def test_transaction_that_fails_half_way_puts_everything_back(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir(parents=True)
    for name in ("first", "old/gone", "last"):
        (tmp_path / name).write_text("before", "utf-8")
    before = snapshot(tmp_path)

    def change() -> None:
        with Transaction(tmp_path) as transaction:
            transaction.stage(Change("first", File(b"after", executable=True)))
            transaction.stage(Change("new/folder/file", File(b"after")))
            transaction.stage(Change("old/gone", None))
            transaction.stage(Change("in_the_way", File(b"after")))
            transaction.stage(Change("last", File(b"after")))
            (tmp_path / "in_the_way").mkdir()
            transaction.commit()

    with pytest.raises(IsADirectoryError):
        change()
    (tmp_path / "in_the_way").rmdir()
    assert snapshot(tmp_path) == before


def test_modes_do_not_depend_on_the_umask(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    before = os.umask(0o077)
    try:
        write({**STARTER, "bin/tool": File(b"#!", executable=True)}, target)
        write(RENAMED, target)
    finally:
        os.umask(before)
    paths = [target, *target.rglob("*")]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths}
    assert modes == {path: 0o755 if path.is_dir() or path.name == "tool" else 0o644 for path in paths}


def test_builds_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    trees = [STARTER, CHANGED] * 4
    with ThreadPoolExecutor(len(trees)) as pool:
        list(pool.map(write, trees, [target] * len(trees)))
    assert is_current(STARTER, target) or is_current(CHANGED, target)
    assert [path.name for path in tmp_path.iterdir()] == ["lab"]
