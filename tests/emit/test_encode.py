"""Whatever an author writes comes back equal from the format it was encoded for, and changes nothing around it."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from labspec.emit.encode import (
    Markdown,
    Python,
    json_text,
    markdown_block,
    markdown_cell_code,
    markdown_code,
    markdown_paragraphs,
    markdown_text,
    mermaid_label,
    python_comment,
    python_name,
    python_text,
    python_value,
    python_words,
    toml_text,
    visible,
)
from labspec.emit.layout import comment, docstring

if TYPE_CHECKING:
    from collections.abc import Sequence

NASTY = [
    "",
    '"',
    '"""',
    'ends with "',
    "ends with \\",
    "{{ 7*7 }}",
    "${{ secrets.X }}",
    "<img src=x onerror=y>",
    "a | b `c` *d* _e_ [f](g) # h",
    "- item",
    "12. item",
    "> quote",
    "    code",
    "line\nbreak\r\n\n# heading",
    "\u2028 \u202e \u0000 \x1b \ufeff",
    "👨\u200d👩 \U0001f600",
    "```\nfence\n```",
    "--- %% #quot; &amp;",
    "a\\nb",
    "$x$ ~~y~~",
    "'''",
    "= =",
    ": term",
    "|---|",
    "\tx\x85y\x0cz",
]
TEXT = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.sampled_from("`|\\<>&*_[]#~$\"'!-+=:.)( \n%{}12ab"), max_size=40),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)
JSON_VALUE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXT),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def shown(markdown: str) -> str:
    """The text a reader sees, when the Markdown is one block without markup."""
    tokens = GITHUB.parse(markdown)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"], markdown
    return inline_text(tokens[1].children or [])


def inline_text(children: Sequence[object]) -> str:
    """The text of inline tokens, none of which may be markup."""
    kinds = {getattr(child, "type", "") for child in children}
    assert kinds <= {"text", "text_special", "code_inline"}, kinds
    return "".join(getattr(child, "content", "") for child in children)


@given(TEXT)
def test_python_text_is_ascii_and_comes_back(text: str) -> None:
    literal = python_text(text)
    assert literal.isascii()
    assert "\n" not in literal
    assert ast.literal_eval(literal) == text


@given(st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), TEXT), lambda inner: st.lists(inner).map(tuple)))
def test_python_values_come_back(value: object) -> None:
    assert ast.literal_eval(python_value(value)) == value


@given(JSON_VALUE)
def test_python_and_json_values_come_back(value: object) -> None:
    assert ast.literal_eval(python_value(value)) == value
    text = json_text(value)
    assert text.isascii()
    assert json.loads(text) == value


@given(TEXT)
def test_docstrings_hold_the_text_and_nothing_else(text: str) -> None:
    source = f"def f():\n    {docstring([Python('Says'), *python_words(text)], indent=4)}\n    return 1\n"
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 2
    found = ast.get_docstring(function) or ""
    assert " ".join(found.split()) == " ".join(f"Says {text}".split())


@given(TEXT)
def test_comments_stay_comments(text: str) -> None:
    lines = "\n".join([*comment(python_words(text)), f"# {python_comment(text)}", "x = 1"])
    assert ast.dump(ast.parse(lines)) == ast.dump(ast.parse("x = 1"))
    assert len(lines.splitlines()) == len(lines.split("\n"))


@given(TEXT)
def test_toml_text_comes_back(text: str) -> None:
    literal = toml_text(text)
    assert literal.isascii()
    assert tomllib.loads(f"a = {literal}\nb = 1") == {"a": text, "b": 1}


@given(TEXT)
def test_markdown_text_is_shown_as_it_is(text: str) -> None:
    if visible(text):
        assert shown(markdown_text(text)).replace("`", "") == visible(text).replace("`", "")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("`run_loop` and *this*", ["code_inline", "text"]),
        ("one ` alone", ["text"]),
        ("a `b | c` d", ["text"]),
        ("``a``", ["text"]),
        ("\\`<b>`", ["text", "code_inline"]),
    ],
)
def test_only_single_backticks_in_pairs_are_markup(text: str, kinds: list[str]) -> None:
    children = GITHUB.parseInline(markdown_text(text))[0].children or []
    assert [child.type for child in children] == kinds
    if "code_inline" not in kinds:
        assert shown(markdown_text(text)) == text


@given(TEXT)
def test_markdown_text_fits_where_blocks_can_start(text: str) -> None:
    tokens = GITHUB.parse(f"- {markdown_text(text)}\n- x")
    kinds = [token.type for token in tokens if not token.type.startswith(("paragraph", "inline"))]
    assert kinds == ["bullet_list_open", *["list_item_open", "list_item_close"] * 2, "bullet_list_close"]


@given(TEXT, TEXT)
def test_table_cells_keep_the_columns(first: str, second: str) -> None:
    row = f"| {markdown_text(first)} | {markdown_cell_code(second)} | x |"
    tokens = GITHUB.parse(f"| a | b | c |\n|---|---|---|\n{row}\n")
    cells = [tokens[index + 1] for index, token in enumerate(tokens) if token.type == "td_open"]
    texts = [inline_text(list(cell.children or [])) for cell in cells]
    assert len(texts) == 3
    assert texts[0].replace("`", "") == visible(first).replace("`", "")
    assert texts[1].strip() == visible(second)


@given(TEXT)
def test_code_spans_hold_the_text(text: str) -> None:
    if visible(text):
        (child,) = GITHUB.parseInline(markdown_code(text))[0].children or []
        assert child.type == "code_inline"
        assert child.content.strip() == visible(text)


@given(st.lists(TEXT, min_size=1, max_size=3))
def test_blocks_hold_the_lines_of_the_text_as_they_are(texts: list[str]) -> None:
    text = "\n".join(texts)
    tokens = GITHUB.parse(f"{markdown_block(text)}\n\nx")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    lines, found = text.removesuffix("\n").split("\n"), tokens[0].content.removesuffix("\n").split("\n")
    assert len(found) == len(lines)
    assert [line for line in found if line not in lines] == [
        shown for line, shown in zip(lines, found, strict=True) if not line.isprintable() and line != shown
    ]


@given(st.lists(TEXT, min_size=1, max_size=3))
def test_paragraphs_stay_paragraphs(texts: list[str]) -> None:
    tokens = GITHUB.parse(markdown_paragraphs("\n\n".join(texts)))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    words = " ".join(inline_text(list(token.children or [])) for token in tokens if token.type == "inline")
    assert words.replace("`", "").split() == visible(" ".join(texts)).replace("`", "").split()


@given(TEXT)
def test_mermaid_labels_are_quoted_and_say_the_text(text: str) -> None:
    label = mermaid_label(text)
    body = label[1:-1]
    assert not re.search(r'["`<>&%{}\[\]|\n]', body)
    assert re.sub(r"#(\d+);", lambda code: chr(int(code[1])), body) == visible(text)


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a b", "é", "a\n"])
def test_identifiers_are_never_made_of_free_text(name: str) -> None:
    with pytest.raises(ValueError, match="not an identifier"):
        python_name(name)


def test_marked_text_is_only_combined_with_its_own_kind() -> None:
    assert Python.of("{} = {}", Python("a"), 1) == "a = 1"
    with pytest.raises(TypeError, match="not encoded for a Python file"):
        Python.of("{}", Markdown("a"))
    with pytest.raises(TypeError, match="not encoded for a Markdown file"):
        Markdown.joined(", ", [Python("a")])
    with pytest.raises(TypeError, match="not encoded"):
        Python.admit("plain")
    with pytest.raises(TypeError, match="not encoded"):
        Python.admit(True)
