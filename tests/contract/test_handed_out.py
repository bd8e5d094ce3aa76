"""What the tests rely on is compared with how it was handed out, and named as what it is."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from labspec.contract.handed_out import Change, change_lines, find_changes

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "README.md": "# A lab\n",
    "run_loop.py": "...\n",
    "tests/conftest.py": "import pytest\n",
    "tests/contract/bench.py": "\n\u00e9\n",
    "fixtures/a.json": "{}\n",
    "workspace/fixtures/app.js": "// app\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository as it was handed out."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8", newline="\n")
    digests = {path: {"sha256": hashlib.sha256(text.encode()).hexdigest()} for path, text in FILES.items()}
    (tmp_path / ".labspec").mkdir()
    (tmp_path / ".labspec/manifest.json").write_text(json.dumps({"files": digests}), encoding="utf-8")
    return tmp_path


def test_a_repository_as_it_was_handed_out_has_no_changes(root: Path) -> None:
    assert find_changes(root) == ()


def test_the_line_ends_of_windows_are_no_change(root: Path) -> None:
    for path, text in FILES.items():
        (root / path).write_text(text, encoding="utf-8", newline="\r\n")
    assert find_changes(root) == ()


def test_the_students_own_work_is_no_change(root: Path) -> None:
    (root / "run_loop.py").write_text("mine", encoding="utf-8")
    (root / "README.md").unlink()
    (root / "fixtures/mine.json").touch()
    (root / "trace.json").touch()
    assert find_changes(root) == ()


def test_what_tools_leave_behind_is_no_change(root: Path) -> None:
    for name in ("tests/__pycache__/a.pyc", "tests/contract/__pycache__/b.pyc", "tests/.DS_Store"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch()
    assert find_changes(root) == ()


def test_changed_missing_and_added_files_are_named_as_what_they_are(root: Path) -> None:
    (root / "tests/conftest.py").write_text("import pytest  # \n", encoding="utf-8")
    (root / "tests/contract/bench.py").unlink()
    (root / "tests/contract/more.py").touch()
    (root / "tests/pytest.ini").touch()
    (root / "fixtures/a.json").unlink()
    (root / "workspace/fixtures/app.js").write_bytes(b"// app")
    found = find_changes(root)
    assert found == (
        Change("fixtures/a.json", "missing"),
        Change("tests/conftest.py", "changed"),
        Change("tests/contract/bench.py", "missing"),
        Change("tests/contract/more.py", "added"),
        Change("tests/pytest.ini", "added"),
        Change("workspace/fixtures/app.js", "changed"),
    )
    assert change_lines(found)[:2] == ["  missing  fixtures/a.json", "  changed  tests/conftest.py"]


def test_a_folder_in_the_place_of_a_file_is_a_missing_file(root: Path) -> None:
    (root / "tests/conftest.py").unlink()
    (root / "tests/conftest.py").mkdir()
    assert find_changes(root) == (Change("tests/conftest.py", "missing"),)


@pytest.mark.parametrize("text", ["", "[]", '{"files": 1}', '{"files": {"a": {}}}', "[" * 100_000, "\udcff"])
def test_a_manifest_that_cannot_be_read_is_a_change_itself(text: str, root: Path) -> None:
    (root / ".labspec/manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert find_changes(root) == (Change(".labspec/manifest.json", "changed"),)


def test_a_manifest_that_is_gone_is_a_change_itself(root: Path) -> None:
    (root / ".labspec/manifest.json").unlink()
    assert find_changes(root) == (Change(".labspec/manifest.json", "missing"),)


def test_the_lines_are_few_and_plain() -> None:
    lines = change_lines(tuple(Change(f"tests/{n}\x1b\udcff" + "x" * 500, "added") for n in range(30)))
    assert len(lines) == 11
    assert lines[-1] == "  and 20 more"
    assert lines[0].startswith("  added    tests/0\\x1b\\udcffxxx")
    assert max(map(len, lines)) < 180
