"""Variants built after one another in one process come to what each comes to alone, whatever is known of the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labspec.diagnostics.json_format import to_json
from labspec.emit import Edition, Tree, plan, render
from labspec.known import MOST, KnownLabs
from labspec.lab.model import Lab
from labspec.pipeline import load
from labspec.source.parse import MAX_NODES
from labspec.source.sections import cut
from labspec.spec.cover import COVER_SECTIONS

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"valid": ROOT / "tests" / "specs" / "valid", "published": ROOT / "specs"}
SPECS = [
    pytest.param(kind, spec.name, id=spec.stem)
    for kind, folder in FOLDERS.items()
    for spec in sorted(folder.glob("*.yaml"))
]
EDITIONS = [Edition(solution, hidden) for solution in (False, True) for hidden in (False, True)]
COVER = """\
id: another-name
version: 7.8.9
title: 'Another "title", with {{ braces }} and `code`'
summary: |
  Two lines

  in two paragraphs.
goal: Something else.
minutes: 77
agenda: [{minutes: 70, title: Work}, {minutes: 7, title: Talk, says: About it.}]
objectives: [Read, Write]
limitations: [It is short.]
skip_if: [You know it.]
"""


@pytest.mark.parametrize(("kind", "name"), SPECS)
def test_a_variant_in_its_cover_is_what_it_is_alone_and_is_not_worked_out_again(
    kind: str, name: str, tmp_path: Path
) -> None:
    folder = copytree(FOLDERS[kind], tmp_path / "specs")
    variant = folder / "variant-in-its-cover.yaml"
    variant.write_text(f"extends: ./{name}\n{COVER}", "utf-8")
    known = KnownLabs()
    first, second = lab_of(folder / name, known), lab_of(variant, known)
    assert second.fixtures is first.fixtures
    assert second.mistakes is first.mistakes
    trees = [tree_of(second, edition) for edition in EDITIONS]
    alone = lab_of(variant)
    assert second.digest == alone.digest
    assert trees == [tree_of(alone, edition) for edition in EDITIONS]
    assert [tree_of(first, edition) for edition in EDITIONS] == [
        tree_of(lab_of(folder / name), edition) for edition in EDITIONS
    ]


@pytest.mark.parametrize(("kind", "name"), SPECS)
def test_a_copy_with_another_cover_is_what_it_is_alone_and_is_not_worked_out_again(
    kind: str, name: str, tmp_path: Path
) -> None:
    folder = copytree(FOLDERS[kind], tmp_path / "specs")
    text = (folder / name).read_bytes()
    copy = folder / "copy.yaml"
    copy.write_bytes(re.sub(rb"^(version): \S*$", rb'\1: "9.8.7" # later', text, count=1, flags=re.MULTILINE))
    known = KnownLabs()
    first, second = lab_of(folder / name, known), lab_of(copy, known)
    assert second.mistakes is first.mistakes
    alone = lab_of(copy)
    assert second.digest == alone.digest
    assert [tree_of(second, edition) for edition in EDITIONS] == [tree_of(alone, edition) for edition in EDITIONS]


@pytest.mark.parametrize("name", ["loop-exit-ledger", "loop-budget", "loop-guardrails"])
def test_a_copy_is_known_by_how_it_is_written(name: str) -> None:
    spec = ROOT / "specs" / f"{name}.yaml"
    known = KnownLabs()
    lab_of(spec, known)
    text = spec.read_text("utf-8")
    sections = cut(text)
    assert sections is not None
    turned_round = "".join(section.text for section in reversed(sections))
    for copy in (text, f"# A comment\n\n{text}", turned_round, text.replace("\nversion: 1", "\nversion:   1")):
        assert known.recall_text(copy) is not None
    for other in (text.replace("kind: budget", "kind:  budget", 1), f"---\n{text}", text[:-1]):
        assert known.recall_text(other) is None


def test_a_copy_of_a_variants_lab_is_known_by_how_it_is_written_once_it_was_seen(tmp_path: Path) -> None:
    """A lab that is known through a spec of two files is written in none of them whole."""
    spec = copytree(FOLDERS["published"], tmp_path / "specs") / "loop-budget.yaml"
    text = spec.read_text("utf-8")
    variant = spec.with_name("variant.yaml")
    variant.write_text("extends: ./loop-budget.yaml\n", "utf-8")
    known = KnownLabs()
    lab = lab_of(variant, known)
    assert known.recall_text(text) is None
    for later in (spec, variant, spec):
        assert lab_of(later, known).mistakes is lab.mistakes
        assert known.recall_text(text) is not None


BEGINNINGS = ["\t", "  \t", "\u00a0", "\u3000", "a", "%YAML 1.2", "'", "{"]
"""First lines with which a spec is none."""


@pytest.mark.parametrize("line", BEGINNINGS)
def test_what_stands_before_the_sections_is_read_as_well(line: str, tmp_path: Path) -> None:
    assert not is_recalled(lambda text: f"{line}\n{text}", tmp_path)


def test_what_ends_a_document_ends_a_copy_as_well(tmp_path: Path) -> None:
    def cover_alone(text: str) -> str:
        sections = cut(text) or ()
        cover = [section.text for section in sections if section.key in COVER_SECTIONS]
        return "".join([*cover, "...\n", *(section.text for section in sections if section.text not in cover)])

    assert not is_recalled(cover_alone, tmp_path)


def test_a_line_of_a_text_that_looks_like_a_section_is_none(tmp_path: Path) -> None:
    """Between quotes, a text can go on at the beginning of a line."""
    quoted = '"A result was accepted\ntitle: and is final\nother: 1"'
    spec = tmp_path / "lab.yaml"
    text = (FOLDERS["valid"] / "_base.yaml").read_text("utf-8")
    spec.write_text(text.replace("A result was accepted and is final", quoted), "utf-8")
    known = KnownLabs()
    assert "title: and is final" in lab_of(spec, known).reason("completed").says
    spec.write_text(spec.read_text("utf-8").replace("and is final", "and was final"), "utf-8")
    assert "title: and was final" in lab_of(spec, known).reason("completed").says


def test_a_copy_with_too_many_values_is_none(tmp_path: Path) -> None:
    """Each of the two parts, below the cover and the cover, may be small enough."""
    few, many = "objectives: [a]\n", f"objectives: [{', '.join(['a'] * 400)}]\n"
    text = (FOLDERS["valid"] / "_base.yaml").read_text("utf-8")
    text = text.replace("payload: {found: true}", f"payload: [{', '.join(['1'] * (MAX_NODES - 500))}]") + few
    spec = tmp_path / "lab.yaml"
    spec.write_text(text, "utf-8")
    known = KnownLabs()
    lab_of(spec, known)
    spec.write_text(text.replace(few, many), "utf-8")
    assert [finding.code for finding in load(spec, known=known).report.sorted()] == ["too-many-values"]


def test_specs_that_extend_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    text = (FOLDERS["valid"] / "_base.yaml").read_text("utf-8")
    known = KnownLabs()
    for said in ("It was found", "It is final"):
        folder = tmp_path / said
        folder.mkdir()
        (folder / "base.yaml").write_text(text.replace("A result was accepted and is final", said), "utf-8")
        (folder / "lab.yaml").write_text("extends: ./base.yaml\nid: variant\n", "utf-8")
        assert lab_of(folder / "lab.yaml", known).reason("completed").says == said


def is_recalled(change: Callable[[str], str], folder: Path) -> bool:
    """Whether a changed copy of a known lab is recalled. If the changed spec is faulty alone, it must not be."""
    spec, copy = folder / "lab.yaml", folder / "copy.yaml"
    spec.write_bytes((FOLDERS["valid"] / "_base.yaml").read_bytes())
    text = spec.read_text("utf-8")
    copy.write_text(change(text), "utf-8")
    known = KnownLabs()
    lab_of(spec, known)
    after, alone = load(copy, known=known), load(copy)
    assert to_json(after.report) == to_json(alone.report)
    assert alone.lab is None
    return after.lab is not None


PIECES = [
    '"', "'", "|", "|+", ">", "- ", "---", "...", "# c", "#", "{", "}", "[", "]", ":", ": ", ",", "\t", " ", "  ", "? ",
    "&a ", "*a", "!t ", "%YAML 1.2", "\n", "\n\n", "\n---\n", "\n...\n", "title: x", "\ntitle: x\n", "\nfixtures:\n",
    "id: b", "~", "\nextends: ./_base.yaml\n", "\nlimitations:\n- a\n", "\nskip_if: [a,\n", "\nsummary: |+\n  a\n\n",
    "\u00e9", "\u2028", "\t\n", "\u00a0\n", "\u3000\n",
]  # fmt: skip
"""What means something to YAML, or looks as if it did."""

EDITS = st.lists(
    st.tuples(st.sampled_from(["insert", "delete", "double", "move"]), st.integers(0, 2000), st.sampled_from(PIECES)),
    min_size=1,
    max_size=3,
)


@given(edits=EDITS, near_the_cover=st.booleans())
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_is_what_it_is_alone(
    edits: list[tuple[str, int, str]], near_the_cover: bool, tmp_path: Path
) -> None:
    """Also if it only looks like a copy: quotes that are not closed, keys that stand in texts, two documents."""
    copytree(FOLDERS["valid"], tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "_base.yaml").read_text("utf-8")
    known = KnownLabs()
    lab_of(tmp_path / "_base.yaml", known)
    for how, place, piece in edits:
        text = edited(text, how, place % (400 if near_the_cover else len(text) + 1), piece)
    spec = tmp_path / "edited.yaml"
    spec.write_text(text, "utf-8")
    after, alone = load(spec, known=known), load(spec)
    assert to_json(after.report) == to_json(alone.report)
    assert (after.lab is None) == (alone.lab is None)
    if after.lab is not None and alone.lab is not None:
        assert after.lab.digest == alone.lab.digest
        assert tree_of(after.lab, Edition()) == tree_of(alone.lab, Edition())


def edited(text: str, how: str, place: int, piece: str) -> str:
    """A text with a piece put in, or with the line at a place left out, doubled, or moved to the end."""
    if how == "insert":
        return text[:place] + piece + text[place:]
    lines = text.split("\n")
    number = text.count("\n", 0, place)
    line = lines[number]
    put = {"delete": [], "double": [line, line], "move": []}[how]
    return "\n".join([*lines[:number], *put, *lines[number + 1 :], *([line, ""] if how == "move" else [])])


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=40)


@given(title=TEXT, objectives=st.lists(TEXT, max_size=3), minutes=st.integers(1, 500), number=st.integers(0, 999))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cover_comes_to_what_it_comes_to_alone(
    title: str, objectives: list[str], minutes: int, number: int, tmp_path: Path
) -> None:
    copytree(FOLDERS["valid"], tmp_path, dirs_exist_ok=True)
    known = KnownLabs()
    lab_of(tmp_path / "_base.yaml", known)
    lines = [
        f"extends: ./_base.yaml\nid: lab-{number}\nversion: 1.{number}.0\nminutes: {minutes}",
        f"agenda: [{{minutes: {minutes}, title: {quoted(title)}}}]\ntitle: {quoted(title)}",
        f"objectives: [{', '.join(map(quoted, objectives))}]\n",
    ]
    variant = tmp_path / "cover.yaml"
    variant.write_text("\n".join(lines), "utf-8")
    recalled, alone = lab_of(variant, known), lab_of(variant)
    assert tree_of(recalled, Edition()) == tree_of(alone, Edition())


FAULTS = {
    "a name that is a device": "id: con",
    "no name": "remove: [id]",
    "a version of two numbers": "version: '1.0'",
    "another language": "labspec: 2",
    "an empty title": "title: ' '",
    "an agenda that takes longer": "minutes: 29",
    "an empty agenda": "agenda: []",
    "a typo": "titel: A lab",
    "several": "id: Con\ntitle: ''\nminutes: 0\nfixtures: [{id: recovers, expect: {turns: 5}}]",
}


@pytest.mark.parametrize("lines", FAULTS.values(), ids=FAULTS)
def test_a_fault_in_the_cover_is_found_as_if_nothing_were_known(lines: str, tmp_path: Path) -> None:
    folder = copytree(FOLDERS["valid"], tmp_path / "specs")
    variant = folder / "faulty.yaml"
    variant.write_text(f"extends: ./_base.yaml\n{lines}\n", "utf-8")
    known = KnownLabs()
    lab_of(folder / "_base.yaml", known)
    after, alone = load(variant, known=known), load(variant)
    assert after.lab is None
    assert to_json(after.report) == to_json(alone.report)
    assert after.texts == alone.texts


PAYLOADS = ("true", "1", "1.0", '"1"', "null", '"true"', "{a: 1, b: 2}", "{b: 2, a: 1}", "[1]", "{}")


def test_what_python_takes_for_equal_is_told_apart(tmp_path: Path) -> None:
    base = (FOLDERS["valid"] / "_base.yaml").read_text("utf-8")
    known, trees = KnownLabs(), dict[str, Tree]()
    for number, payload in enumerate(PAYLOADS):
        spec = tmp_path / f"{number}.yaml"
        spec.write_text(base.replace("payload: {found: true}", f"payload: {payload}"), "utf-8")
        trees[payload] = tree_of(lab_of(spec, known), Edition())
        assert trees[payload] == tree_of(lab_of(spec), Edition())
    printed = {tree["fixtures/recovers.json"].data for tree in trees.values()}
    assert len(printed) == len(PAYLOADS)


def test_a_base_that_was_edited_is_read_again(tmp_path: Path) -> None:
    base, variant = tmp_path / "base.yaml", tmp_path / "variant.yaml"
    text = (FOLDERS["valid"] / "_base.yaml").read_text("utf-8")
    variant.write_text("extends: ./base.yaml\nid: variant\n", "utf-8")
    known = KnownLabs()
    for said in ("It was found", "It is final", "It was found"):
        base.write_text(text.replace("A result was accepted and is final", said), "utf-8")
        assert lab_of(variant, known).reason("completed").says == said


def test_what_was_asked_for_longest_ago_is_forgotten(tmp_path: Path) -> None:
    base = (FOLDERS["valid"] / "_base.yaml").read_text("utf-8")
    specs = [tmp_path / f"{number}.yaml" for number in range(MOST + 1)]
    for number, spec in enumerate(specs):
        spec.write_text(base.replace("A result was accepted", f"Result {number} was accepted"), "utf-8")
    known = KnownLabs()
    first, second, *_ = [lab_of(spec, known) for spec in specs[:MOST]]
    assert lab_of(specs[0], known).fixtures is first.fixtures
    lab_of(specs[MOST], known)
    assert lab_of(specs[0], known).fixtures is first.fixtures
    assert lab_of(specs[1], known).fixtures is not second.fixtures


def quoted(text: str) -> str:
    """A text as YAML."""
    return "'" + text.replace("'", "''") + "'"


def lab_of(spec: Path, known: KnownLabs | None = None) -> Lab:
    """The lab of a spec without findings."""
    loaded = load(spec, known=known)
    assert loaded.lab is not None, to_json(loaded.report)
    assert not loaded.report.diagnostics
    return loaded.lab


def tree_of(lab: Lab, edition: Edition) -> Tree:
    """The repository of a lab."""
    return render(plan(lab, edition))
