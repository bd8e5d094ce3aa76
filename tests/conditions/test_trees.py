"""Questions about trees, and the JSON form with everything it refuses."""

from __future__ import annotations

import pytest

from labspec.conditions import Constant, comparisons_of, from_json, names_in, parse, to_json
from labspec.machine.runner import compile_expression


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("failures > budgets.retries", {("failures", "retries")}),
        ("budgets.retries < failures", {("failures", "retries")}),
        ("result.ok or not (turns + 1 >= budgets.turns)", {("turns", "turns")}),
        ("failures + turns > budgets.all - 1", {("failures", "all"), ("turns", "all")}),
        ("failures > 1 and budgets.retries > 1", set()),
        ("call.bytes > budgets.write_bytes", set()),
    ],
)
def test_comparisons_pair_meters_with_budgets(text: str, pairs: set[tuple[str, str]]) -> None:
    assert comparisons_of(parse(text)) == pairs


def test_names_are_facts_meters_and_budgets_alike() -> None:
    text = 'result.ok and failures > budgets.retries or call.name in ["a"]'
    assert names_in(parse(text)) == {"result.ok", "failures", "budgets.retries", "call.name"}


def test_true_is_not_one() -> None:
    assert Constant(True) != Constant(1)
    assert len({Constant(True), Constant(1)}) == 2


def test_places_take_no_part_in_equality() -> None:
    assert parse("a  and  b") == parse("a and b")


def test_the_json_form_is_nested_lists() -> None:
    data = to_json(parse('not result.ok and (failures + 1 > budgets.retries or result.error not in ["busy"])'))
    assert data == [
        "and",
        ["not", ["name", "result.ok"]],
        [
            "or",
            [">", ["+", ["name", "failures"], ["value", 1]], ["name", "budgets.retries"]],
            ["not in", ["name", "result.error"], ["busy"]],
        ],
    ]


_LEAF = ["value", 1]


def _nested(depth: int) -> object:
    data: object = ["value", True]
    for _ in range(depth):
        data = ["not", data]
    return data


_MALFORMED: dict[str, object] = {
    "nothing": None,
    "empty": [],
    "text": "result.ok",
    "object": {"and": []},
    "unknown operator": ["xor", _LEAF, _LEAF],
    "operator is a list": [["name", "a"]],
    "and of one": ["and", _LEAF],
    "not of two": ["not", _LEAF, _LEAF],
    "comparison of one": ["==", _LEAF],
    "comparison of three": ["<", _LEAF, _LEAF, _LEAF],
    "operand is bare": ["==", 1, 1],
    "name without name": ["name"],
    "name is a number": ["name", 1],
    "name is empty": ["name", ""],
    "value without value": ["value"],
    "value is a fraction": ["value", 1.5],
    "value is null": ["value", None],
    "in without options": ["in", _LEAF],
    "options are bare": ["in", _LEAF, 1],
    "options are nested": ["not in", _LEAF, [[1]]],
    "too deep": _nested(100),
}


@pytest.mark.parametrize("data", _MALFORMED.values(), ids=_MALFORMED.keys())
def test_malformed_json_is_refused_by_tree_and_closure_alike(data: object) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        from_json(data)
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        compile_expression(data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a or b", True), ("not a and b", False), ("a or b or c", True), ("not a and b and c", False)],
)
def test_a_closure_does_not_ask_what_cannot_matter_any_more(text: str, expected: bool) -> None:
    assert compile_expression(to_json(parse(text)))({"a": True}) is expected
