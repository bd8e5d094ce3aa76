"""Variants: what `extends` builds on, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labspec.diagnostics import Report
from labspec.diagnostics.terminal import to_terminal
from labspec.source import Source, locate, plain, read, resolve_extends
from labspec.source.extends import MAX_CHAIN

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write the files; the first is the spec that is compiled."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / next(iter(files))


def resolve(path: Path, report: Report, texts: dict[str, str] | None = None) -> Source | None:
    source = read(path, report, shown_as=path.name, texts=texts)
    assert source is not None
    return resolve_extends(source, path, report, read, texts=texts)


def shown(path: Path) -> str:
    report, texts = Report(), dict[str, str]()
    assert resolve(path, report, texts) is None
    return to_terminal(report, texts, colour=False)


def test_a_spec_without_extends_is_itself(tmp_path: Path) -> None:
    path = write(tmp_path, {"lab.yaml": "a: 1\n"})
    assert resolve(path, Report()) == read(path, Report(), shown_as="lab.yaml")


def test_a_variant_is_laid_over_its_base_and_that_over_its_own(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "lab.yaml": "extends: ./bases/middle.yaml\nc: 3\n",
            "bases/middle.yaml": "b: 2\nextends: deep/bottom.yaml\nlist: [{id: z}]\n",
            "bases/deep/bottom.yaml": "a: 1\nb: 1\nc: 1\nlist: [{id: x}]\n",
        },
    )
    source = resolve(path, Report())
    assert source is not None
    assert plain(source.root) == {"a": 1, "b": 2, "c": 3, "list": [{"id": "x"}, {"id": "z"}]}
    assert list(source.texts) == ["bases/deep/bottom.yaml", "bases/middle.yaml", "lab.yaml"]
    assert locate(source.root, ("a",)).file == "bases/deep/bottom.yaml"
    assert locate(source.root, ("b",)).file == "bases/middle.yaml"
    assert locate(source.root, ("missing",)).file == "lab.yaml"


def test_a_base_may_lead_back_inside_the_folder(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"lab.yaml": "extends: x/a.yaml\nc: 1", "x/a.yaml": "extends: ../b.yaml\nd: 1", "b.yaml": "e: 1"},
    )
    source = resolve(path, Report())
    assert source is not None
    assert list(source.texts) == ["b.yaml", "x/a.yaml", "lab.yaml"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("https://example.org/lab.yaml", "extends-not-relative"),
        ("file:///etc/passwd", "extends-not-relative"),
        ("/etc/passwd", "extends-not-relative"),
        ("~/lab.yaml", "extends-not-relative"),
        ("C:/lab.yaml", "extends-not-relative"),
        ("..\\lab.yaml", "extends-not-a-path"),
        ("[a.yaml, b.yaml]", "extends-not-a-path"),
        ("{a: 1}", "extends-not-a-path"),
        ("null", "extends-not-a-path"),
        ("7", "extends-not-a-path"),
        ("' '", "extends-not-a-path"),
        ("../outside.yaml", "extends-leaves-folder"),
        ("x/../../outside.yaml", "extends-leaves-folder"),
        ("link.yaml", "extends-leaves-folder"),
        ("linked/outside.yaml", "extends-leaves-folder"),
        ("./none.yaml", "file-not-found"),
        ("./folder", "not-a-file"),
        ("./bad.yaml", "ambiguous-value"),
        ("./lab.yaml", "extends-loops"),
        ("./round.yaml", "file-unreadable"),
    ],
)
def test_what_cannot_be_a_base_is_a_finding(tmp_path: Path, value: str, code: str) -> None:
    folder = tmp_path / "specs"
    path = write(folder, {"lab.yaml": f"extends: {value}\na: 1\n", "bad.yaml": "a: yes\n", "folder/x": ""})
    write(tmp_path, {"outside.yaml": "a: 1\n"})
    (folder / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "round.yaml").symlink_to(folder / "round.yaml")
    report = Report()
    assert resolve(path, report) is None
    assert [finding.code for finding in report.diagnostics] == [code]
    assert report.diagnostics[0].span is not None


def test_a_folder_with_the_same_beginning_is_another_folder(tmp_path: Path) -> None:
    path = write(tmp_path, {"specs/lab.yaml": "extends: ../specs-evil/a.yaml", "specs-evil/a.yaml": "a: 1"})
    assert "extends-leaves-folder" in shown(path)


def test_a_loop_names_every_file_of_it(tmp_path: Path) -> None:
    path = write(
        tmp_path, {"lab.yaml": "extends: b.yaml", "b.yaml": "x: 1\nextends: c.yaml", "c.yaml": "extends: lab.yaml"}
    )
    assert shown(path) == (
        "c.yaml:1:10: error[extends-loops] these specs extend each other: lab.yaml -> b.yaml -> c.yaml -> lab.yaml\n"
        "   1 | extends: lab.yaml\n"
        "     |          ^^^^^^^^\n"
        "\n"
        "1 error\n"
    )


def test_a_chain_has_a_greatest_length(tmp_path: Path) -> None:
    files = {f"{number}.yaml": f"extends: {number + 1}.yaml\na: {number}" for number in range(MAX_CHAIN)}
    path = write(tmp_path, files)
    assert "extends-too-long" in shown(path)
    write(tmp_path, {f"{MAX_CHAIN - 1}.yaml": "b: 1"})
    source = resolve(path, Report())
    assert source is not None
    assert len(source.texts) == MAX_CHAIN


def test_a_finding_in_the_base_shows_the_line_of_the_base(tmp_path: Path) -> None:
    path = write(tmp_path, {"lab.yaml": "extends: ./base.yaml\n", "base.yaml": "a: 1\nb: 0755\n"})
    assert "base.yaml:2:4: error[ambiguous-value]" in shown(path)
    assert "   2 | b: 0755\n" in shown(path)
