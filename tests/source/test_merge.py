"""Laying one tree over another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Report, Span
from labspec.source import Mapping, Node, Plain, Sequence, merge, plain
from labspec.source.merge import IDENTITY, item_name
from labspec.source.parse import parse


def node_of(text: str, file: str = "lab.yaml") -> Node:
    report = Report()
    root = parse(f"root: {text}", file, report)
    assert root is not None, report.diagnostics
    return root.entries[0].value


def merged(base: str, overlay: str) -> Plain:
    report = Report()
    result = merge(node_of(base), node_of(overlay), report)
    assert report.diagnostics == []
    return plain(result)


@pytest.mark.parametrize(
    ("base", "overlay", "expected"),
    [
        ("1", "2", "2"),
        ("{a: 1, b: 2}", "{b: 3, c: 4}", "{a: 1, b: 3, c: 4}"),
        ("{a: {x: 1, y: 2}}", "{a: {y: 3}}", "{a: {x: 1, y: 3}}"),
        ("{a: {x: 1}}", "{a: null}", "{a: null}"),
        ("{a: 1}", "{a: {x: 1}}", "{a: {x: 1}}"),
        ("{a: 1, b: 2}", "{remove: [a]}", "{b: 2}"),
        ("{a: {x: 1}, b: 2}", "{a: {y: 2}, remove: [a]}", "{b: 2, a: {y: 2}}"),
        ("{a: 1}", "{b: {remove: [x]}}", "{a: 1, b: {remove: [x]}}"),
        ("{a: 1}", "{remove: text}", "{a: 1, remove: text}"),
        ("[x, z]", "[w]", "[w]"),
        ("[{id: a}, {id: b}]", "[]", "[]"),
        ("[{id: a, v: 1}, {id: b, v: 2}]", "[{id: b, v: 3}]", "[{id: a, v: 1}, {id: b, v: 3}]"),
        ("[{id: a}, {id: b}]", "[{id: c}]", "[{id: a}, {id: b}, {id: c}]"),
        ("[{id: a}, {id: b}]", "[{remove: [a]}]", "[{id: b}]"),
        ("[{id: a}, {id: b}]", "[{id: c, before: a}]", "[{id: c}, {id: a}, {id: b}]"),
        ("[{id: a}, {id: b}]", "[{id: c, after: a}]", "[{id: a}, {id: c}, {id: b}]"),
        ("[{id: a}, {id: b}]", "[{id: c, after: b}]", "[{id: a}, {id: b}, {id: c}]"),
        ("[{id: a}, {id: b}, {id: c}]", "[{id: c, before: a}]", "[{id: c}, {id: a}, {id: b}]"),
        ("[{id: a}, {id: b}]", "[{id: c}, {id: d, before: c}]", "[{id: a}, {id: b}, {id: d}, {id: c}]"),
        ("[{id: a, v: 1}]", "[{remove: [a]}, {id: a, w: 2}]", "[{id: a, w: 2}]"),
        ("[{exit: a}, {exit: a, id: b}]", "[{id: b, at: call}]", "[{exit: a}, {exit: a, id: b, at: call}]"),
        ("[{gate: g, points: 1}]", "[{gate: g, points: 2}]", "[{gate: g, points: 2}]"),
        ("[{refuse: r}]", "[{refuse: r, when: x}]", "[{refuse: r, when: x}]"),
        ("[{call: a}]", "[{call: b}]", "[{call: b}]"),
        ("[{id: a}]", "[{call: b}]", "[{call: b}]"),
        ("[]", "[{id: a}]", "[{id: a}]"),
        ("[{id: a, list: [1, 2]}]", "[{id: a, list: [3]}]", "[{id: a, list: [3]}]"),
    ],
)  # fmt: skip
def test_mappings_merge_by_key_lists_by_name_and_the_rest_is_replaced(base: str, overlay: str, expected: str) -> None:
    assert merged(base, overlay) == plain(node_of(expected))


@pytest.mark.parametrize(
    ("base", "overlay", "code", "column", "help"),
    [
        ("{turns: 1}", "{remove: [turn]}", "remove-unknown", 17, "did you mean `turns`?"),
        ("{turns: 1}", "{remove: [zebra]}", "remove-unknown", 17, None),
        ("[{id: turn_cap}]", "[{remove: [turncap]}]", "remove-unknown", 18, "did you mean `turn_cap`?"),
        ("[{id: a}]", "[{id: b, before: x}]", "place-unknown", 24, None),
        ("[{id: done}]", "[{id: b, after: dome}]", "place-unknown", 23, "did you mean `done`?"),
        ("[{id: a}]", "[{id: b, after: b}]", "bad-place", 23, None),
        ("[{id: a}]", "[{id: b, after: [a]}]", "bad-place", 23, None),
        ("[{id: a}]", "[{id: b, after: a, before: a}]", "bad-place", 26, "keep one of them"),
        ("[{id: a}]", "[{id: b}, {id: b}]", "duplicate-item", 22, "give each an `id` of its own"),
        ("[{call: a}]", "[{remove: [a]}]", "list-without-names", 9, None),
        ("[{id: a}]", "[{call: b, before: a}]", "list-without-names", 18, None),
    ],
)
def test_a_name_that_is_not_there_is_found_in_the_overlay(
    base: str, overlay: str, code: str, column: int, help: str | None
) -> None:
    report = Report()
    merge(node_of(base, "base.yaml"), node_of(overlay, "over.yaml"), report)
    (finding,) = report.diagnostics
    assert finding.span is not None
    assert (finding.code, finding.span.file, finding.span.column) == (code, "over.yaml", column)
    if code != "list-without-names":
        assert finding.help == help


def test_two_items_of_one_name_in_the_base_are_found_there() -> None:
    report = Report()
    merge(node_of("[{exit: a}, {exit: a}]", "base.yaml"), node_of("[{exit: a}]"), report)
    (finding,) = report.diagnostics
    assert (finding.code, finding.span) == ("duplicate-item", Span("base.yaml", 1, 26, 1, 27))
    assert finding.related[0].span == Span("base.yaml", 1, 15, 1, 16)


def test_every_value_keeps_the_place_where_it_was_written() -> None:
    result = merge(node_of("{a: 1, b: 2}", "base.yaml"), node_of("{b: 3}", "over.yaml"), Report())
    assert isinstance(result, Mapping)
    assert [entry.value.span.file for entry in result.entries] == ["base.yaml", "over.yaml"]
    assert [entry.key_span.file for entry in result.entries] == ["base.yaml", "over.yaml"]


@pytest.mark.parametrize("key", IDENTITY)
def test_each_identity_names_an_item(key: str) -> None:
    assert item_name(node_of(f"{{{key}: x}}")) == "x"
    assert item_name(node_of(f"{{{key}: 1}}")) is None


NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
VALUES = st.recursive(
    st.integers(0, 9).map(str),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(NAMES, inner, max_size=3).map(
            lambda entries: "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"
        ),
    ),
    max_leaves=6,
)
NAMED_LISTS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=5).map(
    lambda items: "[" + ", ".join(f"{{id: {name}, value: {value}}}" for name, value in items.items()) + "]"
)
TREES = st.dictionaries(NAMES, st.one_of(VALUES, NAMED_LISTS), min_size=1, max_size=4).map(
    lambda entries: "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"
)


def names(node: Node) -> list[str | None]:
    assert isinstance(node, Sequence)
    return [item_name(item) for item in node.items]


@settings(max_examples=200)
@given(tree=TREES)
def test_an_empty_overlay_changes_nothing(tree: str) -> None:
    base = node_of(tree)
    assert merge(base, node_of("{}"), Report()) == base


@settings(max_examples=200)
@given(tree=TREES)
def test_a_tree_laid_over_itself_is_itself(tree: str) -> None:
    report = Report()
    assert merge(node_of(tree), node_of(tree), report) == node_of(tree)
    assert report.diagnostics == []


@settings(max_examples=200)
@given(base=TREES, overlay=TREES)
def test_laying_the_same_over_twice_is_laying_it_over_once(base: str, overlay: str) -> None:
    once = merge(node_of(base), node_of(overlay), Report())
    assert plain(merge(once, node_of(overlay), Report())) == plain(once)


@settings(max_examples=200)
@given(base=NAMED_LISTS, overlay=NAMED_LISTS)
def test_the_base_keeps_its_order_and_new_items_follow_in_theirs(base: str, overlay: str) -> None:
    before, laid_over = names(node_of(base)), names(node_of(overlay))
    expected = before + [name for name in laid_over if name not in before]
    assert names(merge(node_of(base), node_of(overlay), Report())) == expected


@settings(max_examples=200)
@given(base=NAMED_LISTS, data=st.data())
def test_what_is_removed_is_gone_and_the_rest_stays_in_order(base: str, data: st.DataObject) -> None:
    there = names(node_of(base))
    gone = data.draw(st.lists(st.sampled_from(there), unique=True))
    result = merge(node_of(base), node_of(f"[{{remove: [{', '.join(map(str, gone))}]}}]"), Report())
    assert names(result) == [name for name in there if name not in gone]


@settings(max_examples=200)
@given(base=NAMED_LISTS, data=st.data())
def test_a_moved_item_stands_beside_the_one_it_names_and_the_rest_stays_in_order(
    base: str, data: st.DataObject
) -> None:
    there = names(node_of(base))
    target = data.draw(st.sampled_from(there))
    moved = data.draw(st.sampled_from([*(name for name in there if name != target), "new"]))
    word = data.draw(st.sampled_from(["before", "after"]))
    result = names(merge(node_of(base), node_of(f"[{{id: {moved}, {word}: {target}}}]"), Report()))
    assert [name for name in result if name != moved] == [name for name in there if name != moved]
    assert result.index(moved) - result.index(target) == (1 if word == "after" else -1)
