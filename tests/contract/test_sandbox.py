"""A sandbox is built fresh, looked at without harm, and taken away, whatever was left in it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labspec.contract import Problem
from labspec.contract.removal import remove_folder
from labspec.contract.sandbox import Remains, Sandbox, SandboxError, build_sandbox
from labspec.contract.snapshot import MAX_TOTAL, take_snapshot, weigh

from .traced_cases import BASE, write_repository

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and named pipes are of POSIX")

Build = Callable[..., Sandbox]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """Builds the sandbox of a run that has these roots and changes."""
    base = write_repository(tmp_path) / "workspace"
    made: list[Path] = []

    def build(*roots: str, files: dict[str, Any] | None = None, links: dict[str, str] | None = None) -> Sandbox:
        folder = tmp_path / f"sandbox-{len(made) + 1}"
        made.append(folder)
        return build_sandbox(folder, base, {"files": files or {}, "links": links or {}}, roots or ("fixtures",))

    yield build
    for folder in made:
        remove_folder(folder)


def look(sandbox: Sandbox) -> Remains:
    remains = sandbox.look()
    assert isinstance(remains, Remains)
    return remains


def test_a_run_that_does_nothing_leaves_the_base_and_nothing_outside(build: Build) -> None:
    sandbox = build()
    assert look(sandbox) == Remains(BASE, ())
    assert (sandbox.folder / ".env").is_file()


def test_a_fixture_adds_changes_and_removes_files_and_then_sets_its_links(build: Build) -> None:
    files = {"fixtures/app.js": None, "new folder/\u00e9.js": "\r\n\u2028", "check.mjs": "// other\n"}
    sandbox = build(files=files, links={"fixtures": "new folder", "fixtures-evil/keep.js": "../check.mjs"})
    assert look(sandbox).files == {"new folder/\u00e9.js": "\r\n\u2028", "check.mjs": "// other\n"}
    assert (sandbox.workspace / "fixtures").readlink() == Path("new folder")
    assert (sandbox.workspace / "fixtures-evil/keep.js").read_text("utf-8") == "// other\n"


def test_a_folder_that_a_fixture_empties_is_gone(build: Build) -> None:
    assert not (build(files={"fixtures/app.js": None}).workspace / "fixtures").exists()


def test_two_runs_do_not_see_each_other(build: Build) -> None:
    first = build()
    (first.workspace / "fixtures/app.js").write_text("mine", encoding="utf-8")
    assert look(build()).files == BASE
    assert look(first).files == {**BASE, "fixtures/app.js": "mine"}


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "out/x", "nul\0"])
def test_a_fixture_cannot_reach_out_of_its_workspace(path: str, build: Build, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    (tmp_path / "workspace/out").symlink_to("..")
    with pytest.raises(SandboxError, match="the fixture changes the workspace in a wrong way"):
        build(files={path: "x"})
    (tmp_path / "workspace/out").unlink()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "changes", [{"files": []}, {"links": {"a": 1}}, {"files": {"a": 7}}, {"files": {"a": "\ud800"}}]
)
def test_a_damaged_fixture_is_told_in_one_sentence(changes: dict[str, Any], tmp_path: Path) -> None:
    base = write_repository(tmp_path) / "workspace"
    with pytest.raises(SandboxError, match="the fixture changes the workspace in a wrong way"):
        build_sandbox(tmp_path / "sandbox", base, changes, ("fixtures",))


def test_a_workspace_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"^there is no folder workspace$"):
        build_sandbox(tmp_path / "sandbox", tmp_path / "workspace", {}, ())


Act = Callable[[Path], object]

ACTS: list[tuple[str, Act, tuple[str, ...]]] = [
    ("a write inside", lambda w: (w / "fixtures/app.js").write_text("x"), ()),
    ("a file inside", lambda w: (w / "fixtures/new.js").write_text("x"), ()),
    ("a folder inside", lambda w: (w / "fixtures/sub").mkdir(), ()),
    ("a removal inside", lambda w: (w / "fixtures/app.js").unlink(), ()),
    ("a write beside the root", lambda w: (w / "check.mjs").write_text("x"), ("workspace/check.mjs (changed)",)),
    ("the same bytes again", lambda w: (w / "check.mjs").write_text("// check\n", newline="\n"), ()),
    ("a removal beside the root", lambda w: (w / "check.mjs").unlink(), ("workspace/check.mjs (removed)",)),
    ("the canary", lambda w: (w / "../.env").write_text("x"), (".env (changed)",)),
    ("no canary", lambda w: (w / "../.env").unlink(), (".env (removed)",)),
    ("a file around", lambda w: (w / "../x").write_text("x"), ("x (created)",)),
    ("an empty folder around", lambda w: (w / "../x").mkdir(), ("x (created)",)),
    ("a twin", lambda w: (w / "fixtures-evil/x").write_text("x"), ("workspace/fixtures-evil/x (created)",)),
    ("a twin of the workspace", lambda w: (w / "../workspace-2").mkdir(), ("workspace-2 (created)",)),
]


@pytest.mark.parametrize(("act", "outside"), [each[1:] for each in ACTS], ids=[each[0] for each in ACTS])
@pytest.mark.parametrize("root", ["fixtures", "fixtures/", "./fixtures", "x/../fixtures"])
def test_what_changes_outside_the_roots_is_told(root: str, act: Act, outside: tuple[str, ...], build: Build) -> None:
    sandbox = build(root)
    act(sandbox.workspace)
    assert look(sandbox).outside == outside


@posix_only
@pytest.mark.parametrize(
    ("links", "written", "outside"),
    [
        ({"fixtures/out": "../../.env"}, "fixtures/out", (".env (changed)",)),
        ({"fixtures/out": "../new"}, "fixtures/out", ("workspace/new (created)",)),
        ({"fixtures/out": ".."}, "fixtures/out/new", ("workspace/new (created)",)),
        ({"fixtures/in": "app.js"}, "fixtures/in", ()),
        ({"way": "fixtures"}, "way/app.js", ()),
        ({"fixtures": "fixtures-evil"}, "fixtures/keep.js", ()),
        ({"fixtures": "fixtures-evil"}, "fixtures-evil/keep.js", ()),
        ({"fixtures": ".."}, "fixtures/.env", ()),
        ({"fixtures": "../.."}, "check.mjs", ()),
        ({"fixtures": "/nowhere"}, "check.mjs", ("workspace/check.mjs (changed)",)),
    ],
)
def test_links_are_followed_to_where_the_bytes_land(
    links: dict[str, str], written: str, outside: tuple[str, ...], build: Build
) -> None:
    sandbox = build("fixtures", links=links)
    (sandbox.workspace / written).write_text("x", encoding="utf-8")
    assert look(sandbox).outside == outside


@posix_only
def test_a_root_that_becomes_a_link_is_told(build: Build) -> None:
    sandbox = build()
    (sandbox.workspace / "fixtures").rename(sandbox.workspace / "old")
    (sandbox.workspace / "fixtures").symlink_to("/")
    assert look(sandbox).outside == (
        "workspace/fixtures (changed)",
        "workspace/old (created)",
        "workspace/old/app.js (created)",
    )


def test_a_root_can_be_one_file_or_all(build: Build) -> None:
    one, everything = build("check.mjs"), build(".")
    for sandbox in (one, everything):
        (sandbox.workspace / "check.mjs").write_text("x", encoding="utf-8")
        assert look(sandbox).outside == ()
    (one.workspace / "check.mjs").unlink()
    assert look(one).outside == ("workspace/check.mjs (removed)",)


@posix_only
def test_a_link_with_another_target_is_a_change(build: Build) -> None:
    sandbox = build(links={"alias": "check.mjs"})
    (sandbox.workspace / "alias").unlink()
    (sandbox.workspace / "alias").symlink_to("fixtures/app.js")
    assert look(sandbox).outside == ("workspace/alias (changed)",)


@posix_only
def test_pipes_odd_names_and_odd_bytes_are_seen_without_waiting(build: Build) -> None:
    sandbox = build()
    root = sandbox.workspace / "fixtures"
    os.mkfifo(root / "pipe")
    os.mkfifo(sandbox.folder / "pipe")
    (root / os.fsdecode(b"\xff\n")).write_bytes(b"\xff\x00")
    (root / "loop").symlink_to("loop")
    remains = look(sandbox)
    assert remains.outside == ("pipe (created)",)
    assert remains.files == {**BASE, "fixtures/pipe": "<not a file>", "fixtures/\udcff\n": "\udcff\x00"}


@posix_only
def test_the_workspace_may_be_replaced_by_a_link_and_nothing_is_followed(build: Build) -> None:
    sandbox = build()
    sandbox.workspace.rename(sandbox.folder / "old")
    sandbox.workspace.symlink_to("/")
    assert look(sandbox).files == {}
    sandbox.remove()
    assert not sandbox.folder.exists()
    assert Path("/").exists()


@posix_only
def test_a_sandbox_that_is_replaced_by_a_link_is_not_looked_into_or_emptied(build: Build, tmp_path: Path) -> None:
    sandbox = build()
    treasure = tmp_path / "treasure"
    sandbox.folder.rename(treasure)
    sandbox.folder.symlink_to(treasure)
    assert sandbox.look() == Problem("was replaced by a link")
    sandbox.remove()
    assert (treasure / "workspace/check.mjs").is_file()


@posix_only
@pytest.mark.skipif(sys.platform != "win32" and os.getuid() == 0, reason="nothing is closed to root")
def test_what_cannot_be_read_is_told_and_taken_away(build: Build) -> None:
    sandbox = build()
    (sandbox.workspace / "fixtures/app.js").chmod(0)
    (sandbox.workspace / "fixtures-evil").chmod(0)
    remains = look(sandbox)
    assert remains.files["fixtures/app.js"] == "<cannot be read>"
    assert remains.outside == ("workspace/fixtures-evil/keep.js (removed)",)
    sandbox.remove()
    assert not sandbox.folder.exists()


def test_too_many_files_are_a_problem_and_are_taken_away(build: Build) -> None:
    sandbox = build()
    for number in range(4100):
        (sandbox.workspace / f"fixtures/{number}").touch()
    assert sandbox.look() == Problem("has more than 4,096 files")
    assert weigh(sandbox.folder) > MAX_TOTAL
    sandbox.remove()
    assert not sandbox.folder.exists()


def test_too_many_bytes_are_a_problem_even_if_no_disk_could_hold_them(build: Build) -> None:
    sandbox = build()
    with (sandbox.workspace / "fixtures/huge").open("wb") as file:
        file.truncate(2**40)
    assert sandbox.look() == Problem("has more than 16 MiB in its files")
    assert weigh(sandbox.folder) > MAX_TOTAL


@posix_only
def test_folders_without_end_are_a_problem_and_are_taken_away(build: Build) -> None:
    sandbox = build()
    dig(sandbox.workspace / "fixtures", 2200)
    assert sandbox.look() == Problem("has folders more than 64 deep")
    assert weigh(sandbox.folder) > MAX_TOTAL
    sandbox.remove()
    assert not sandbox.folder.exists()
    assert [path.name for path in sandbox.folder.parent.iterdir() if path.name.startswith("sandbox")] == []


def dig(folder: Path, depth: int) -> None:
    """Make folders in each other, deeper than any path could say."""
    opened = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=opened)
        inner = os.open("d", os.O_RDONLY, dir_fd=opened)
        os.close(opened)
        opened = inner
    os.close(opened)


def test_a_folder_that_is_being_changed_can_still_be_weighed(tmp_path: Path) -> None:
    assert weigh(tmp_path / "gone") == 0
    assert take_snapshot(tmp_path / "gone") == {}
    with contextlib.suppress(OSError):
        remove_folder(tmp_path / "gone")
