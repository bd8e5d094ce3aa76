"""No input gives a traceback or writes a file: whatever a spec holds, it is a lab or there are findings with places.

More than ten thousand inputs in a run, the same in each. `specs/hostile/` keeps inputs made to take for ever.
"""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Span
from labspec.diagnostics.github import to_github
from labspec.diagnostics.json_format import to_json
from labspec.diagnostics.terminal import to_terminal
from labspec.emit import Edition, plan, render
from labspec.pipeline import load
from tests.hostile import CONDITIONS, SCALARS, mutated_bytes, mutated_tree, tree_of

SPECS = Path(__file__).parent / "specs"
BASE = SPECS / "invalid" / "_base.yaml"
LEDGER = Path(__file__).parent.parent / "specs" / "loop-exit-ledger.yaml"
SOUND = tree_of(BASE)
NEVER_ENDING = sorted((SPECS / "hostile").glob("*.yaml"))
FEW = settings(max_examples=600, deadline=None, derandomize=True, database=None)


class Folder:
    """A folder with one spec in it, which is written anew for every input."""

    def __init__(self, path: Path) -> None:
        self._path = path
        (path / "_base.yaml").write_bytes(BASE.read_bytes())

    def examine(self, data: bytes) -> None:
        """Load `data` as a spec: there is a lab, or an error; and every finding has a place in a file."""
        spec = self._path / "lab.yaml"
        spec.write_bytes(data)
        loaded = load(spec)
        assert (loaded.lab is None) == loaded.report.has_errors
        for finding in loaded.report.diagnostics:
            assert finding.span is not None
            assert_is_in_its_file(finding.span, loaded.texts)
        printed = to_terminal(loaded.report, loaded.texts, colour=False)
        assert (printed + to_json(loaded.report) + to_github(loaded.report)).encode()

    def files(self) -> list[str]:
        """The names of all files in the folder."""
        return sorted(path.relative_to(self._path).as_posix() for path in self._path.rglob("*"))


def assert_is_in_its_file(span: Span, texts: dict[str, str]) -> None:
    """The place begins and ends in the text of its file, and is not empty."""
    lines = texts[span.file].split("\n")
    assert 1 <= span.line <= span.end_line <= len(lines)
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1
    assert (span.line, span.column) < (span.end_line, span.end_column)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """The folder; at the end, nothing but the spec has been written."""
    made = Folder(tmp_path_factory.mktemp("hostile"))
    yield made
    assert made.files() == ["_base.yaml", "lab.yaml"]


PIECES = st.sampled_from(
    [
        "labspec: 1\n", "extends: ./_base.yaml\n", "table:\n", "  - ", "- ", "{", "}", "[", "]", ": ", ":", ",",
        "\n", "  ", "\t", "id", "when", "exit: turn_cap", "steps", "budgets: ", "turns", "9", "-1", "1e3", "yes",
        "'", '"', "\\", "|", ">", "&a ", "*a", "!t ", "%", "---", "...", "?", "#", "{{ x }}", "<<: ", "\r", "\r\n",
        "\x00", "\x1b", "\u2028", "\u202e", "\ufeff", "😀",
    ]
)  # fmt: skip
TEXT = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=30).map("".join))
PLAIN = st.one_of(
    st.sampled_from(SCALARS), st.sampled_from(CONDITIONS), st.integers(), st.floats(), st.text(max_size=8)
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(["id", "at", "when", "x"]), inner, max_size=4)
    ),
    max_leaves=10,
)
SECTIONS = st.dictionaries(
    st.sampled_from(sorted({*SOUND, "extends", "meters", "remove", "starter"})), VALUES, max_size=5
)


def written(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass")


@FEW
@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_lab_or_findings(folder: Folder, data: bytes) -> None:
    folder.examine(data)


@FEW
@given(text=TEXT)
def test_any_text_is_a_lab_or_findings(folder: Folder, text: str) -> None:
    folder.examine(text.encode("utf-8", "surrogatepass"))


@FEW
@given(sections=SECTIONS)
def test_any_values_of_any_sections_are_a_lab_or_findings(folder: Folder, sections: dict[str, Any]) -> None:
    folder.examine(written(SOUND | sections))


@FEW
@given(sections=SECTIONS)
def test_any_variant_of_a_sound_spec_is_a_lab_or_findings(folder: Folder, sections: dict[str, Any]) -> None:
    folder.examine(written({"extends": "./_base.yaml"} | sections))


@pytest.mark.parametrize("batch", range(10))
def test_a_sound_spec_with_changes_to_its_structure_is_a_lab_or_findings(folder: Folder, batch: int) -> None:
    for seed in range(500 * batch, 500 * (batch + 1)):
        folder.examine(mutated_tree(SOUND, seed))


@pytest.mark.parametrize("batch", range(6))
def test_a_sound_spec_with_changes_to_its_bytes_is_a_lab_or_findings(folder: Folder, batch: int) -> None:
    sound = BASE.read_bytes()
    for seed in range(500 * batch, 500 * (batch + 1)):
        folder.examine(mutated_bytes(sound, seed))


def test_a_shipped_spec_with_changes_is_a_lab_or_findings(folder: Folder) -> None:
    sound, tree = LEDGER.read_bytes(), tree_of(LEDGER)
    for seed in range(100):
        folder.examine(mutated_bytes(sound, seed))
        folder.examine(mutated_tree(tree, seed))


def test_a_changed_spec_that_is_still_a_lab_gives_a_whole_repository(tmp_path: Path) -> None:
    spec, built = tmp_path / "lab.yaml", 0
    for seed in range(200):
        spec.write_bytes(mutated_tree(SOUND, seed))
        lab = load(spec).lab
        if lab is None:
            continue
        built += 1
        for edition in (Edition(), Edition(solution=True, hidden=True)):
            for name, file in render(plan(lab, edition)).items():
                if name.endswith(".py"):
                    ast.parse(file.data)
    assert built > 20


@pytest.mark.parametrize("case", NEVER_ENDING, ids=lambda case: case.stem)
def test_an_input_made_to_take_for_ever_takes_seconds(folder: Folder, case: Path) -> None:
    start = time.process_time()
    folder.examine(case.read_bytes())
    assert time.process_time() - start < 10
