"""`labspec schema`: printed or written, and never over a file of somebody's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labspec.schema import DIALECT, TITLE, spec_schema

from .users import BASE, labspec, tree


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "schema")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == spec_schema()
    assert (json.loads(done.out)["$schema"], json.loads(done.out)["title"]) == (DIALECT, TITLE)
    assert done.out.isascii()


def test_a_file_holds_what_is_printed_and_the_next_step_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lab é.json"
    done = labspec(capsys, "schema", "-o", path)
    line = "# yaml-language-server: $schema=lab é.json"
    assert (done.code, done.out, done.err) == (0, f"{path}: written; begin each spec beside it with `{line}`\n", "")
    assert path.read_text(encoding="utf-8") == labspec(capsys, "schema").out
    assert "nothing to do" in labspec(capsys, "schema", "-o", path).out


def test_a_spec_may_begin_with_the_line_that_names_the_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "lab.yaml"
    line = "# yaml-language-server: $schema=labspec.schema.json\n"
    spec.write_text(line + BASE.read_text(encoding="utf-8"), encoding="utf-8")
    assert labspec(capsys, "check", spec).code == 0


def test_a_schema_of_an_earlier_version_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labspec.schema.json"
    path.write_text(json.dumps({"title": TITLE, "type": "object"}), encoding="utf-8")
    done = labspec(capsys, "schema", "-o", path)
    assert (done.code, done.out.startswith(f"{path}: replaced; ")) == (0, True)
    assert json.loads(path.read_text(encoding="utf-8")) == spec_schema()


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b"# a lab\n", b"\xff\xfe", b"[" * 100_000, b'{"title": "Mine"}']
)
def test_no_other_file_is_overwritten(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lab.yaml"
    path.write_bytes(content)
    done = labspec(capsys, "schema", "-o", path)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"Error: {path} exists, and `labspec schema` did not write it: name another file\n"
    assert tree(tmp_path) == {"lab.yaml": (path.stat().st_mode, content)}


def test_what_can_not_be_written_is_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "schema", "-o", tmp_path / "nowhere" / "schema.json")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"Error: can't write {tmp_path / 'nowhere' / 'schema.json'}: No such file")
    assert labspec(capsys, "schema", "-o", tmp_path).code == 2
