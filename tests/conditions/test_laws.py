"""Laws of the condition language, tried on random conditions, random facts and random text."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labspec.conditions import Arithmetic, ConditionError, Expr, Name, check_types, from_json, names_in, parse, to_json
from labspec.conditions.english import to_english
from labspec.conditions.javascript import to_javascript
from labspec.conditions.parse import MAX_DEPTH, MAX_LENGTH
from labspec.conditions.python import python_text, to_python
from labspec.conditions.source import to_source
from labspec.conditions.tidy import tidy
from labspec.conditions.trees import depth_of, nodes_of
from labspec.machine.runner import compile_expression
from tests.conditions.strategies import NAMES, Facts, conditions, facts, texts

NODE = shutil.which("node")

# Time limits on single examples fail on a busy machine for no fault of ours.
_UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _lookup(name: str) -> str:
    return f"facts[{json.dumps(name)}]"


def _ask_python(expr: Expr, known: Facts) -> object:
    # The text is what our own printer made of a tree; the language itself never evaluates text.
    return eval(to_python(expr, _lookup), {"facts": known, "__builtins__": {}})  # noqa: S307 - see above


@_UNHURRIED
@given(conditions, facts)
def test_python_and_the_closure_agree(expr: Expr, known: Facts) -> None:
    assert _ask_python(expr, known) is compile_expression(to_json(expr))(known)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_javascript_and_the_closure_agree() -> None:
    assert NODE is not None
    cases: list[tuple[Expr, Facts]] = []

    @settings(_UNHURRIED, max_examples=300, database=None)
    @given(conditions, facts)
    def collect(expr: Expr, known: Facts) -> None:
        cases.append((expr, known))

    collect()
    program = _node_program(cases)
    done = subprocess.run([NODE, "-"], input=program, capture_output=True, encoding="utf-8", timeout=60, check=True)
    answers = json.loads(done.stdout)
    for (expr, known), answer in zip(cases, answers, strict=True):
        expected = compile_expression(to_json(expr))(known)
        assert answer is expected, (to_source(expr), to_javascript(expr, _lookup), known)


def _node_program(cases: list[tuple[Expr, Facts]]) -> str:
    functions = ",\n".join(f"(facts) => {to_javascript(expr, _lookup)}" for expr, _ in cases)
    known_facts = json.dumps([known for _, known in cases])
    return f"const all = {known_facts}; console.log(JSON.stringify([{functions}].map((ask, i) => ask(all[i]))));"


@_UNHURRIED
@given(conditions)
def test_the_source_of_a_tree_parses_to_that_tree(expr: Expr) -> None:
    source = to_source(expr)
    if len(source) <= MAX_LENGTH and depth_of(expr) <= MAX_DEPTH:
        assert parse(source) == expr


@_UNHURRIED
@given(conditions)
def test_json_brings_a_tree_back(expr: Expr) -> None:
    assert from_json(json.loads(json.dumps(to_json(expr)))) == expr


@_UNHURRIED
@given(conditions)
def test_a_well_typed_condition_has_no_findings(expr: Expr) -> None:
    assert check_types(expr, "result", NAMES) == []


@_UNHURRIED
@given(conditions)
def test_tidying_twice_changes_nothing_more(expr: Expr) -> None:
    assert tidy(tidy(expr)) == tidy(expr)


@_UNHURRIED
@given(conditions)
def test_a_condition_is_said_in_one_line(expr: Expr) -> None:
    assert len(to_english(expr).splitlines()) == 1


@_UNHURRIED
@given(texts)
def test_a_python_text_is_ascii_and_means_the_text(text: str) -> None:
    printed = python_text(text)
    assert printed.isascii()
    assert ast.literal_eval(printed) == text


def test_the_formatter_leaves_python_texts_and_conditions_alone() -> None:
    samples = [
        "",
        "plain",
        "it's",
        'say "x"',
        "both ' and \"",
        '""\'',
        "back\\slash",
        "line\nbreak",
        "\u00e9\u20ac\U0001f600\x7f",
    ]
    written = [f"x = {python_text(sample)}" for sample in samples]
    written.append("x = " + to_python(parse('not (a in ["b", "c"]) and (d or e) and 1 < f - (g + 1)'), str))
    source = "\n".join(written) + "\n"
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "-"]
    done = subprocess.run(command, input=source, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert done.stdout == source


_WORDS = "and or not in true false result.ok failures budgets.turns is None null elif 0 7 1.5 007 \"a\" 'b'"
_SIGNS = "== != < <= > >= + - ( ) [ ] , \" ' \\ && || ! = === . .. {{ }} \u00e9 \u2264 \x00 \u2028"
_fragments = st.lists(st.sampled_from([*_WORDS.split(" "), *_SIGNS.split(" "), " ", "\n"]), max_size=25)
_texts_to_read = st.text(max_size=60) | _fragments.map(" ".join) | _fragments.map("".join)


def _parsed(text: str) -> Expr | ConditionError:
    try:
        return parse(text)
    except ConditionError as error:
        return error


@settings(_UNHURRIED, max_examples=500)
@given(_texts_to_read)
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    read = _parsed(text)
    if isinstance(read, ConditionError):
        assert 0 <= read.start <= read.end <= len(text)
        assert len(read.message.splitlines()) == 1
        return
    assert parse(to_source(read)) == read
    assert all(0 <= node.start < node.end <= len(text) for node in nodes_of(read))
    for finding in check_types(read, "decision", NAMES):
        assert 0 <= finding.start < finding.end <= len(text)


@_UNHURRIED
@given(conditions)
def test_every_node_knows_the_text_it_was_read_from(expr: Expr) -> None:
    source = to_source(expr)
    if len(source) > MAX_LENGTH:
        return
    for node in nodes_of(parse(source)):
        assert parse(source[node.start : node.end]) == node


_DEEP = {
    "parentheses": "(" * 240 + "a" + ")" * 240,
    "not": "not " * 120 + "a",
    "sum": " + ".join(["a"] * 120),
    "open": "(" * 499,
    "brackets": "[" * 499,
    "in": "x in [" * 80,
    "digits": "1" * 500,
}


@pytest.mark.parametrize("text", _DEEP.values(), ids=_DEEP.keys())
def test_a_condition_that_is_too_deep_is_a_finding(text: str) -> None:
    with pytest.raises(ConditionError):
        parse(text)


@_UNHURRIED
@given(conditions)
def test_the_names_of_a_condition_are_all_it_reads(expr: Expr) -> None:
    asked: set[str] = set()

    def remember(name: str) -> str:
        asked.add(name)
        return name

    to_python(expr, remember)
    assert asked == names_in(expr)


def test_arithmetic_keeps_the_shape_it_was_written_in() -> None:
    a, b, c = Name("a"), Name("b"), Name("c")
    assert parse("a - b - c") == Arithmetic("-", Arithmetic("-", a, b), c)
    assert parse("a - (b - c)") == Arithmetic("-", a, Arithmetic("-", b, c))
