"""Hostile specs for the robustness tests: mutations of a sound spec, each made from one seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from labspec.diagnostics import Report
from labspec.source import plain, read

Parent: TypeAlias = "dict[str, Any] | list[Any]"
Place: TypeAlias = tuple[Any, Any]
"""A mapping or a list, and a key or an index of it."""

SCALARS = (
    None, True, False, 0, 1, -1, 2, 7, 63, 64, 1000, 1001, 999_999, 10**6, 10**6 + 1, 10**12, 10**17, -(10**17),
    0.5, 3.0, "", " ", "x", "none", "error", "turn", "result", "completed", "budgets", "con", "lambda",
    "constructor", "__proto__", "../up", "a" * 64, "a" * 65, "b" * 301, "c" * 6001, "two\nlines", "\t", "é", "e\u0301",
    "😀", "{{ 7*7 }}", "${{ x }}", "%s", "\\", '"', "'", "`", "| a |", "<img>", "1", "true", "null", "~", "1e3",
    "0755", "NO",
)  # fmt: skip
CONDITIONS = (
    "true", "false", "plan.ended", "not plan.ended", "result.ok", "not result.ok", "turns > budgets.turns",
    "turns >= 0", "failures > budgets.retries", "failures > budgets.retries + 1", "tool_calls > budgets.turns",
    "turns - turns > 0", "call.known", "not call.known", "call.named", "call.bytes > 10", "write_bytes > 5",
    "call.path == \"\"", 'decision.type == "stop"', 'decision.type in ["stop", "other"]', 'decision.reason == "x"',
    'call.name == "search"', 'result.error in ["timeout", "busy"]', "result.final and turns == 2", "((((turns",
    "turns turns", "turns = 1", "not", "x" * 501, "(" * 60, "not " * 60 + "true", "1 + " * 100 + "1 > 0",
    "'a' < 'b'", "budgets.none", "nothing", "==", "\"",
)  # fmt: skip
STEPS = (
    {"stop": "done"}, {"malformed": "not_a_call"}, {"malformed": "number_name", "final": True, "times": 3},
    {"call": "search", "error": "timeout", "times": 999},
    {"call": "search", "payload": {"deep": [[[[1]]]]}, "times": 300},
    {"call": "nothing", "unknown": True, "error": "x"}, {"call": "search", "error": "a\nb", "final": True},
    {"call": "search"},
)  # fmt: skip
ROWS = (
    {"refuse": "no", "when": "not call.known"}, {"refuse": "never", "counted": False},
    {"exit": "completed", "at": "turn"},
    {"exit": "turn_cap", "id": "again", "at": "call", "when": "tool_calls > 2"},
    {"exit": "completed", "id": "stop", "at": "decision", "when": 'decision.type == "stop"'},
    {"exit": "turn_cap", "at": "result"},
)  # fmt: skip
CHANGES: tuple[dict[str, Any], ...] = (
    {"budgets": {"turns": 0}}, {"table": []}, {"table": [{"remove": ["turn_cap"]}]}, {"plan_ends": "stop"},
    {"tools": {}}, {"recorder": {"lines": 0}}, {"recorder": {"exit_code": 3, "extra": {"x": None}}},
    {"meters": {"turns": {"at": "call"}}}, {"meters": {"turns": {"at": "turn", "resets_when": "true"}}},
    {"errors": {"max_chars": 1}}, {"taxonomy": {"remove": ["x"]}},
    {"table": [{"exit": "completed", "when": "true"}]}, {"table": [{"exit": "turn_cap", "before": "completed"}]},
)  # fmt: skip
_BYTES = b" \n:-[]{}&*!|>'\"#%@`,?\\0129aZ.+~=" * 3 + b"\t\r\x00\x1b\xc3\xff"
MOMENTS = ("turn", "decision", "call", "result")


def tree_of(path: Path) -> dict[str, Any]:
    """The values of a sound spec."""
    source = read(path, Report())
    assert source is not None
    values = plain(source.root)
    assert isinstance(values, dict)
    return values


def mutated_tree(sound: dict[str, Any], seed: int) -> bytes:
    """The spec `sound` after one to four changes to its structure, written as JSON (which is YAML)."""
    chance = random.Random(seed)  # noqa: S311  # a test is to be the same each time
    tree = json.loads(json.dumps(sound))
    if chance.random() < 0.5:  # most changes contradict some `expect`, and then nothing later would be reached
        for fixture in tree["fixtures"]:
            fixture.pop("expect", None)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        places = list(places_in(tree))
        if places:
            parent, key = chance.choice(places)
            chance.choice(MUTATIONS)(chance, tree, parent, key)
    return json.dumps(tree, ensure_ascii=False, indent=chance.choice((None, 1))).encode("utf-8", "surrogatepass")


def mutated_bytes(sound: bytes, seed: int) -> bytes:
    """The file `sound` after one to six changes to its bytes."""
    chance = random.Random(seed)  # noqa: S311  # a test is to be the same each time
    data = bytearray(sound)
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 1, 2, 8, 80)))
        match chance.randrange(4):
            case 0:
                del data[start:end]
            case 1:
                data[start:start] = bytes(chance.choices(_BYTES, k=end - start or 1))
            case 2:
                target = chance.randrange(len(data) + 1)
                data[target:target] = data[start:end]
            case 3 if chance.random() < 0.1:
                data[start:end] = bytes(chance.randrange(256) for _ in range(end - start))
            case _:
                data[start:end] = bytes(chance.choices(_BYTES, k=end - start))
    return bytes(data)


def places_in(tree: Parent) -> Iterator[Place]:
    """Every place of a tree where a value stands."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield tree, key
        if isinstance(value, dict | list):
            yield from places_in(value)


def typo(chance: random.Random, text: str) -> str:
    """The text with one slip."""
    at = chance.randrange(len(text) + 1)
    slips = (
        text[:at] + text[at + 1 :],
        text[:at] + chance.choice("abz_. -=()[]'\"\n") + text[at:],
        text[:at] + text[at : at + 2][::-1] + text[at + 2 :],
        text.upper(),
        text * 2,
    )
    return chance.choice(slips)


def _delete(_chance: random.Random, _tree: Parent, parent: Any, key: Any) -> None:
    del parent[key]


def _duplicate(chance: random.Random, _tree: Parent, parent: Any, key: Any) -> None:
    copy = json.loads(json.dumps(parent[key]))
    if isinstance(parent, list):
        parent.insert(chance.randrange(len(parent) + 1), copy)
    else:
        parent[typo(chance, key)] = copy


def _replace(chance: random.Random, _tree: Parent, parent: Any, key: Any) -> None:
    parent[key] = chance.choice((*SCALARS, [], {}, [[]], {"": {}}, [None], list(range(300))))


def _replace_condition(chance: random.Random, tree: Parent, _parent: Any, _key: Any) -> None:
    conditions = [
        (parent, key) for parent, key in places_in(tree) if key in ("when", "add", "resets_when", "refund_when")
    ]
    if conditions:
        parent, key = chance.choice(conditions)
        parent[key] = chance.choice((*CONDITIONS, typo(chance, str(parent[key])), typo(chance, str(parent[key]))))


def _swap(chance: random.Random, tree: Parent, parent: Any, key: Any) -> None:
    other, other_key = chance.choice(list(places_in(tree)))
    copy = json.loads(json.dumps(other[other_key]))
    other[other_key], parent[key] = json.loads(json.dumps(parent[key])), copy


def _borrow(chance: random.Random, tree: Parent, _parent: Any, _key: Any) -> None:
    """A value that stands under the same key elsewhere."""
    places = [(parent, key) for parent, key in places_in(tree) if isinstance(key, str)]
    if places:
        parent, key = chance.choice(places)
        alike = [other[key] for other, other_key in places if other_key == key]
        parent[key] = json.loads(json.dumps(chance.choice(alike)))


def _slip(chance: random.Random, _tree: Parent, parent: Any, key: Any) -> None:
    value = parent[key]
    if isinstance(value, str):
        parent[key] = typo(chance, value)
    elif isinstance(parent, dict):
        parent[typo(chance, key)] = parent.pop(key)


def _renumber(chance: random.Random, tree: Parent, _parent: Any, _key: Any) -> None:
    numbers = [(parent, key) for parent, key in places_in(tree) if isinstance(parent[key], int)]
    if numbers:
        parent, key = chance.choice(numbers)
        parent[key] = chance.choice((0, 1, 2, 3, 5, 9, 40, 1000, 10**6, -1, 10**18))


def _grow(chance: random.Random, tree: Parent, _parent: Any, _key: Any) -> None:
    """Something that is right by itself, at a place where it may stand."""
    section, additions = chance.choice((("table", ROWS), ("steps", STEPS), ("change", CHANGES)))
    holders = [(parent, key) for parent, key in places_in(tree) if key == section]
    if not holders:
        return
    parent, key = chance.choice(holders)
    addition = json.loads(json.dumps(chance.choice(additions)))
    if isinstance(parent[key], list):
        parent[key].insert(chance.randrange(len(parent[key]) + 1), addition)
    else:
        parent[key] = addition


def _declare(chance: random.Random, tree: Parent, _parent: Any, _key: Any) -> None:
    """A meter, a budget, a reason or a mode that the spec does not have yet."""
    if not isinstance(tree, dict):
        return
    meter = {"at": chance.choice(MOMENTS), "add": chance.choice((1, 0, -1, 5, "call.bytes", "turns", 10**9)),
             "when": chance.choice(CONDITIONS), "resets_when": chance.choice((None, *CONDITIONS))}  # fmt: skip
    addition = chance.choice(
        (
            {"meters": {"own": meter}, "budgets": {**_mapping(tree, "budgets"), "own": 3}},
            {"budgets": {**_mapping(tree, "budgets"), "calls": chance.choice((0, 1, 50, 10**6))}},
            {"taxonomy": {**_mapping(tree, "taxonomy"), "other:one": {"kind": "done", "says": "x", "exit_code": 9}}},
            {"plan_ends": chance.choice(("stop", "end", "never"))},
            {"errors": {"max_chars": chance.choice((None, 1, 1000)), "otherwise": "x"}},
            {
                "extends": chance.choice(
                    ("./lab.yaml", "./_base.yaml", "../x", "/dev/zero", "", 7, None, "http://x", "./\0")
                )
            },
        )
    )
    tree.update(addition)


def _mapping(tree: dict[str, Any], key: str) -> dict[str, Any]:
    value = tree.get(key)
    return value if isinstance(value, dict) else {}


MUTATIONS: tuple[Callable[[random.Random, Parent, Any, Any], None], ...] = (
    _delete, _delete, _duplicate, _replace, _replace, _replace_condition, _replace_condition, _swap, _borrow, _borrow,
    _borrow, _slip, _slip, _renumber, _grow, _grow, _declare, _declare,
)  # fmt: skip
