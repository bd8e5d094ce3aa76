"""An archive holds exactly the tree, and the same tree makes the same bytes everywhere."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.emit import Edition, File, Tree, WriteRefused, plan, render
from labspec.emit.archive import archive, is_as_packed
from labspec.emit.write_archive import archive_state, write_archive

from .labs import first_lab

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "specs" / "loop-budget.yaml"
STARTER = render(plan(first_lab(), Edition()))
ODD: Tree = {
    "run.sh": File(b"#!/bin/sh\necho it runs\n", executable=True),
    "a folder/caf\u00e9 \u4e2d.txt": File("caf\u00e9\r\n".encode()),
    "empty": File(b""),
    "bytes.bin": File(bytes(range(256)) * 300),
}
"""What a repository could hold: a program, names and bytes of all kinds. Not sorted."""

PACKED = "0be3ac5a40f9af50f8b7e1e00d98b0f145a6f3ca22f6cac8041e80bb7f3c6b54"
"""The digest of the archive that is made in child processes: of these bytes, here and everywhere."""

trees = st.dictionaries(
    st.from_regex(r"[a-z]{1,8}\.[a-z]{1,3}", fullmatch=True),
    st.builds(File, st.binary(max_size=200), executable=st.booleans()),
    max_size=6,
)


def unpacked(data: bytes) -> dict[str, tuple[int, bytes]]:
    """The modes and the contents of an archive's entries."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert packed.testzip() is None
        return {entry.filename: (entry.external_attr >> 16, packed.read(entry)) for entry in packed.infolist()}


@pytest.mark.parametrize("tree", [STARTER, ODD], ids=["starter", "odd"])
def test_an_archive_holds_exactly_the_tree_in_one_folder(tree: Tree) -> None:
    found = unpacked(archive(tree, "my-lab"))
    assert found == {f"my-lab/{path}": (stat.S_IFREG | file.mode, file.data) for path, file in tree.items()}
    assert list(found) == sorted(found)


@pytest.mark.skipif(shutil.which("unzip") is None, reason="another program than ours is to unpack it: no unzip here")
def test_what_unzip_makes_of_it_is_the_tree(tmp_path: Path) -> None:
    packed = tmp_path / "lab.zip"
    packed.write_bytes(archive(ODD, "my lab"))
    subprocess.run(["unzip", "-q", packed, "-d", tmp_path / "out"], check=True, umask=0o077)  # noqa: S607 - from PATH
    out = tmp_path / "out" / "my lab"
    found = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    assert {
        path: File(place.read_bytes(), executable=os.access(place, os.X_OK)) for path, place in found.items()
    } == ODD


@given(trees)
def test_the_order_of_a_tree_makes_no_difference(tree: dict[str, File]) -> None:
    assert archive(dict(reversed(tree.items())), "lab") == archive(tree, "lab")


def test_no_file_leaves_the_folder() -> None:
    with pytest.raises(ValueError, match="not a path for every file system"):
        archive({"../up.txt": File(b"")}, "lab")


@pytest.mark.skipif(sys.platform == "win32", reason="a child process with an umask is of POSIX")
@pytest.mark.parametrize(
    ("umask", "variables"),
    [
        (0o022, {"TZ": "UTC", "PYTHONHASHSEED": "0"}),
        (0o077, {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "1", "LC_ALL": "C"}),
        (0, {"TZ": "America/St_Johns", "PYTHONHASHSEED": "2", "SOURCE_DATE_EPOCH": "1", "LANG": "tr_TR.UTF-8"}),
    ],
)
def test_every_machine_makes_the_same_bytes(umask: int, variables: dict[str, str], tmp_path: Path) -> None:
    tree = "{'b.sh': File(b'x', executable=True), 'a/caf\\u00e9.txt': File(b'caf\\xc3\\xa9' * 99)}"
    imports = "import sys; from labspec.emit import File; from labspec.emit.archive import archive"
    program = f"{imports}; sys.stdout.buffer.write(archive({tree}, 'lab'))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        umask=umask,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert hashlib.sha256(done.stdout).hexdigest() == PACKED


# --- writing ---


def test_an_archive_is_written_once_for_all_to_read(tmp_path: Path) -> None:
    place, data = tmp_path / "not there" / "lab.zip", archive(ODD, "lab")
    assert archive_state(data, place) == "missing"
    assert write_archive(data, place)
    assert place.read_bytes() == data
    assert sys.platform == "win32" or stat.S_IMODE(place.stat().st_mode) == 0o644
    assert archive_state(data, place) == "current"
    assert not write_archive(data, place)
    assert [path.name for path in place.parent.iterdir()] == ["lab.zip"]


def test_an_older_archive_of_ours_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "lab.zip"
    write_archive(archive(ODD, "lab"), place)
    data = archive(STARTER, "lab")
    assert archive_state(data, place) == "differs"
    assert write_archive(data, place)
    assert place.read_bytes() == data


def _changed() -> bytes:
    """An archive of ours to which somebody has added a file."""
    packed = io.BytesIO(archive(ODD, "lab"))
    with zipfile.ZipFile(packed, "a") as whole:
        whole.writestr("lab/answer.txt", "42")
    return packed.getvalue()


@pytest.mark.parametrize("foreign", [b"", b"thesis", _changed()], ids=["empty", "thesis", "changed"])
def test_what_is_no_archive_of_ours_is_left_alone(foreign: bytes, tmp_path: Path) -> None:
    place = tmp_path / "lab.zip"
    place.write_bytes(foreign)
    with pytest.raises(WriteRefused, match="is not an archive as labspec wrote it") as refused:
        write_archive(archive(ODD, "lab"), place)
    assert refused.value.code == "archive-not-ours"
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("lab.zip", foreign)]


def test_a_link_and_a_folder_are_left_alone(tmp_path: Path) -> None:
    data = archive(ODD, "lab")
    folder, link = tmp_path / "folder.zip", tmp_path / "link.zip"
    folder.mkdir()
    link.symlink_to(tmp_path / "elsewhere.zip")
    for place in (folder, link):
        with pytest.raises(WriteRefused) as refused:
            write_archive(data, place)
        assert refused.value.code == "archive-not-ours"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.zip", "link.zip"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(WriteRefused, match=r"cannot write .*lab\.zip: ") as refused:
        write_archive(archive(ODD, "lab"), tmp_path / "file" / "lab.zip")
    assert refused.value.code == "write-failed"


@given(st.binary(max_size=300))
def test_other_bytes_are_never_taken_for_ours(data: bytes) -> None:
    assert not is_as_packed(data)


@given(trees, st.data())
def test_an_archive_is_ours_until_one_byte_changes(tree: dict[str, File], chosen: st.DataObject) -> None:
    data = archive(tree, "lab")
    assert is_as_packed(data)
    place = chosen.draw(st.integers(0, len(data) - 1))
    assert not is_as_packed(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
