"""How conditions come out as English, Python and JavaScript: `prints.txt` holds the cases."""

from __future__ import annotations

import pytest

from labspec.conditions import FACTS, Name, parse
from labspec.conditions.english import to_english
from labspec.conditions.javascript import to_javascript
from labspec.conditions.phrases import NUMBERS, TEXTS, TRUTHS, Phrases
from labspec.conditions.python import to_python
from labspec.conditions.source import to_source
from tests.conditions.tables import cases


def _variable(name: str) -> str:
    return name.replace(".", "_")


@pytest.mark.parametrize(("text", "expected"), cases("prints.txt"))
def test_a_condition_reads_well_in_every_language(text: str, expected: str) -> None:
    expr = parse(text)
    printed = [to_english(expr), to_python(expr, _variable), to_javascript(expr, _variable)]
    assert "\n".join(f"  {line}" for line in printed) == expected


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("((a))", "a"),
        ("(a and b) or c", "a and b or c"),
        ("a and (b and c)", "a and (b and c)"),
        ("not (a == b)", "not a == b"),
        ("(not a) == b", "(not a) == b"),
        ("(a+b)-(c-1)", "a + b - (c - 1)"),
        ("(a == b) in [true]", "(a == b) in [true]"),
        (r"x not in ['it\'s','\n']", r'x not in ["it' "'" r's", "\n"]'),
    ],
)
def test_the_canonical_source_has_the_parentheses_it_needs(written: str, canonical: str) -> None:
    assert to_source(parse(written)) == canonical


def test_every_fact_has_words() -> None:
    assert {*TRUTHS, *TEXTS, *NUMBERS} >= set(FACTS)


def test_a_caller_chooses_nouns_and_how_code_is_marked() -> None:
    phrases = Phrases({"red_tests": "runs with red tests"}, code=lambda text: f"<code>{text}</code>")
    said = to_english(parse("red_tests > budgets.red"), phrases)
    assert said == "runs with red tests exceed the <code>red</code> budget"


def test_a_name_comes_out_as_the_caller_says() -> None:
    assert to_python(Name("result.ok"), lambda name: f'facts["{name}"]') == 'facts["result.ok"]'
