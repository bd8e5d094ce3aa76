"""Text of an author's stays text in generated JavaScript, and comes back as it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from labspec.conditions.syntax import Compare, Constant, Name
from labspec.emit.encode import Python
from labspec.emit.node.encode import JavaScript, camel_case, javascript_key, javascript_text, javascript_words
from labspec.emit.node.layout import HARD, Comment, Indent, lines, listed, shown, text
from labspec.emit.node.names import settings_of, variables_of
from labspec.lab.model import LastError

from ..emit.labs import first_lab
from ..emit.test_encode import NASTY
from .played import code_of, evaluated, node, source_of
from .test_agreement import collected

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.lab.model import Lab

ANY = st.text(max_size=40)


def test_literal_means_the_text() -> None:
    texts = [*NASTY, "\u2028\u2029", "</script>", "${x}", "`", "\\", "'\"", "\ud800", *collected(300, ANY)]
    literals = [javascript_text(each) for each in texts]
    assert all(each.isascii() and "\n" not in each for each in literals)
    assert evaluated(literals) == texts


@given(ANY)
@example("a\u2028b\nc\rd\x85e")
@example("*/ */")
def test_comment_ends_where_its_line_does(written: str) -> None:
    comment = shown(Comment(tuple(javascript_words(f"It says: {written}"))), indent=2, before=2)
    assert all(re.match(r"(  )?// \S", line) for line in comment.split("\n"))
    assert not set(comment) & set("\r\u2028\u2029\x85\0")


def test_keys_are_quoted_where_they_have_to_be() -> None:
    assert [javascript_key(each) for each in ("a_b", "budget:turns", "a b")] == ["a_b", '"budget:turns"', '"a b"']


def with_text(written: str) -> Lab:
    """A lab with the same text in every place that JavaScript has for it."""
    lab = first_lab()
    condition = Compare("!=", Name("result.error"), Constant(written))
    rows = [row._replace(says=written) for row in lab.table]
    rows[1] = rows[1]._replace(when=condition)
    rows[2] = rows[2]._replace(last_error=LastError("text", written))
    fixtures = tuple(fixture._replace(title=written) for fixture in lab.fixtures)
    gates = tuple(gate._replace(says=written) for gate in lab.rubric)
    return lab._replace(title=written, table=tuple(rows), fixtures=fixtures, rubric=gates)


LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


def shape(source: str) -> str:
    """The source without comments, texts and line breaks."""
    code = "\n".join(line for line in source.split("\n") if not line.lstrip().startswith("//"))
    return re.sub(r"\s+|,(?=\s*\))", "", LITERAL.sub("TEXT", code))


def test_text_never_changes_the_shape_of_a_file() -> None:
    files = ("loop-exit-ledger.mjs", "loop-exit-ledger.test.mjs", "tools.mjs", "lab.mjs")
    plain = {file: shape(source_of(with_text("plain"), file)) for file in files}
    for written in [*NASTY, "// x", "*/", *collected(30, ANY)]:
        lab = with_text(written)
        assert {file: shape(source_of(lab, file)) for file in files} == plain, written


@pytest.mark.parametrize("written", [*NASTY, "\u2028", "*/ process.exit(1) /*"])
def test_nasty_text_leaves_files_that_load(tmp_path: Path, written: str) -> None:
    folder = code_of(with_text(written), tmp_path / "lab")
    done = node("--input-type=module", "-e", 'await import("./loop-exit-ledger.mjs");', cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


# --- names ---


@pytest.mark.parametrize(
    ("name", "expected"),
    [("tool_calls", "toolCalls"), ("a_1", "a1"), ("max_write_bytes", "maxWriteBytes"), ("x__y_", "xY_"), ("a", "a")],
)
def test_camel_case(name: str, expected: str) -> None:
    assert camel_case(name) == expected


@given(st.lists(st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), unique=True, max_size=12))
@example(["class", "call", "a_1", "a1", "next_a1", "a1_before", "a1_meter"])
def test_every_meter_and_every_budget_has_a_name_of_its_own(names: list[str]) -> None:
    variables = variables_of(names)
    assert len(set(variables.values())) == len(names)
    assert len(set(settings_of(names).values())) == len(names)
    assert not {"class", "call", "limits", "await"} & set(variables.values())


# --- layout ---


def test_what_fits_stays_on_one_line() -> None:
    items = [text(f"item{number}") for number in range(3)]
    assert shown(listed("[", items, "]")) == "[item0, item1, item2]"
    assert shown(listed("[", items, "]"), indent=2, before=75) == "[\n    item0,\n    item1,\n    item2,\n  ]"
    assert shown(listed("[", [], "]")) == "[]"


def test_empty_lines_have_no_blanks() -> None:
    assert shown(Indent((HARD, lines([text("a"), text(""), text("b")])))) == "\n  a\n\n  b"


def test_source_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="not encoded for a JavaScript file"):
        JavaScript.of("{}", Python("x"))
