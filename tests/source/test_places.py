"""Places: of nodes, of parts of texts, and of values named by a path."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Report, Span
from labspec.source import Mapping, Scalar, locate, locate_key, walk
from labspec.source.events import EventParser, PureParser, make_parser
from labspec.source.parse import parse

SPEC = """\
# a comment
id: first   # another
budgets:
  turns: 4
  retries: 1

# between
table:
  - {exit: done, when: result.ok}
  - exit: stuck
    when: "turns > budgets.turns"

  - refuse: slow
says: |
  one
  two

"\U0001f600": [x, 'y z']
"""


def root_of(text: str) -> Mapping:
    report = Report()
    root = parse(text, "lab.yaml", report)
    assert root is not None, report.diagnostics
    return root


def cut(text: str, span: Span) -> str:
    """What the text holds at a place."""
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    return "\n".join(lines)[span.column - 1 :]


def scalar_at(text: str) -> Scalar:
    value = root_of(text).entries[0].value
    assert isinstance(value, Scalar)
    return value


@pytest.mark.parametrize(
    ("loc", "marked"),
    [
        (("id",), "first"),
        (("budgets",), "turns"),
        (("budgets", "turns"), "4"),
        (("budgets", "missing"), "turns"),
        (("missing",), "id"),
        (("table",), "-"),
        (("table", 0), "{exit: done, when: result.ok}"),
        (("table", 0, "<exit>", "when"), "result.ok"),
        (("table", "<rows>", 1, "<exit>"), "exit"),
        (("table", 1, "when"), '"turns > budgets.turns"'),
        (("table", 1, "at"), "exit"),
        (("table", 2), "refuse: slow"),
        (("table", 9), "-"),
        (("says",), "|"),
        (("says", "deeper", 3), "|"),
        (("\U0001f600", 1), "'y z'"),
        (("budgets", "turns", "[key]"), "turns"),
        ((), "id"),
    ],
)
def test_a_value_is_marked_on_one_line_and_a_missing_one_where_it_should_be(
    loc: tuple[str | int, ...], marked: str
) -> None:
    assert cut(SPEC, locate(root_of(SPEC), loc)) == marked


@pytest.mark.parametrize(
    ("loc", "marked"),
    [
        (("budgets",), "budgets"),
        (("budgets", "turns"), "turns"),
        (("budgets", "turns", "[key]"), "turns"),
        (("budgets", "missing"), "turns"),
        (("table", 2), "refuse: slow"),
        (("\U0001f600",), '"\U0001f600"'),
        ((), "id"),
    ],
)
def test_a_key_is_marked_at_the_key(loc: tuple[str | int, ...], marked: str) -> None:
    assert cut(SPEC, locate_key(root_of(SPEC), loc)) == marked


def test_the_place_of_a_collection_ends_with_its_last_value() -> None:
    budgets, table, says = (root_of(SPEC).get(key) for key in ("budgets", "table", "says"))
    assert budgets
    assert table
    assert says
    assert cut(SPEC, budgets.span) == "turns: 4\n  retries: 1"
    assert cut(SPEC, table.span).endswith("- refuse: slow")
    assert cut(SPEC, says.span) == "|\n  one\n  two"


def test_both_parsers_give_the_same_nodes() -> None:
    assert parse(SPEC, "lab.yaml", Report(), parser=PureParser) == root_of(SPEC)


@pytest.mark.parametrize(
    "text",
    ["a: turns > x", "\U0001f600: turns > x", 'a: "turns > x"  # c', "a: 'turns > x'", "a: {b: 1}\nc: turns > x"],
)
def test_a_part_of_a_text_has_an_exact_place(text: str) -> None:
    scalar = next(node for node in walk(root_of(text)) if isinstance(node, Scalar) and isinstance(node.value, str))
    assert cut(text, scalar.part(8, 9)) == "x"
    assert cut(text, scalar.part(0, 5)) == "turns"


@pytest.mark.parametrize("text", ['a: "a\\tb"', "a: 'it''s'", "a: one\n  two", "a: |\n  one\n", 'a: "one\n  two"'])
def test_a_part_of_a_text_that_is_written_otherwise_has_the_place_of_the_whole(text: str) -> None:
    scalar = scalar_at(text)
    assert scalar.lead is None
    assert scalar.part(1, 2) == scalar.span


PLAIN_TEXT = st.text(st.sampled_from("ab .\U0001f600é漢'\"\\"), min_size=1, max_size=12)


@settings(max_examples=200)
@given(keys=st.lists(PLAIN_TEXT, min_size=1, max_size=5, unique=True), value=PLAIN_TEXT)
def test_every_single_quoted_text_without_escapes_is_found_in_its_line(keys: list[str], value: str) -> None:
    quoted = value.replace("'", "''")
    text = "".join("'" + key.replace("'", "''") + f"': ['{quoted}', 1]\n" for key in keys)
    for node in walk(root_of(text)):
        if isinstance(node, Scalar) and isinstance(node.value, str):
            assert cut(text, node.span) == f"'{quoted}'"
            if node.lead is not None:
                assert cut(text, node.part(0, len(value))) == value
            assert (node.lead is None) == ("'" in value)


@pytest.mark.parametrize("parser", [PureParser, make_parser])
@pytest.mark.parametrize(
    ("text", "last"),
    [("a: |\n  x\n  y", 3), ("a: |\n  x\n  y\n", 3), ("a: |\n  x\n\n\nb: 1\n", 2), ("a: |+\n  x\n\n", 2)],
)
def test_a_block_ends_on_its_last_line_with_text(text: str, last: int, parser: Callable[[str], EventParser]) -> None:
    """Also where the file ends there, without a line end."""
    root = parse(text, "lab.yaml", Report(), parser=parser)
    assert root is not None
    assert root.entries[0].value.span.end_line == last
