"""What a scalar means: only what every YAML reader reads alike is a value."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Report
from labspec.source.nodes import Plain, plain
from labspec.source.parse import parse
from labspec.source.scalars import Refused, resolve


def read_text(text: str) -> Plain:
    report = Report()
    root = parse(text, "lab.yaml", report)
    assert root is not None, report.diagnostics
    return plain(root)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-7", -7),
        ("999999999999999999", 999999999999999999),
        ("1.10", 1.1),
        ("-0.5", -0.5),
        ("1.0.0", "1.0.0"),
        ("3rd", "3rd"),
        ("12:75", "12:75"),
        ("2026-10", "2026-10"),
        ("yes please", "yes please"),
        ("result.ok and not result.final", "result.ok and not result.final"),
        ("failures > budgets.retries", "failures > budgets.retries"),
        ("hello {{ name }}", "hello {{ name }}"),
        ('"yes"', "yes"),
        ("'0755'", "0755"),
        ('"null"', "null"),
        ('""', ""),
        ("[]", []),
        ("{}", {}),
        ("|\n  yes\n", "yes\n"),
        (">-\n  1\n  2\n", "1 2"),
    ],
)
def test_values_are_what_they_look_like(written: str, value: Plain) -> None:
    read = read_text(f"key: {written}")
    assert isinstance(read, dict)
    assert (type(read["key"]), read["key"]) == (type(value), value)


def test_keys_are_always_the_text_that_was_written() -> None:
    assert read_text("on: push\n1: a\n1.10: b\nnull: c\n~: d\n0755: e\n'true': f\n'<<': g") == {
        "on": "push", "1": "a", "1.10": "b", "null": "c", "~": "d", "0755": "e", "true": "f", "<<": "g"
    }  # fmt: skip


NUMBER_LIKE = st.from_regex(re.compile(r"[-+]?[0-9._:eExob-]{1,8}", re.ASCII), fullmatch=True)
WORDS = st.sampled_from(["y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", ".nan", "~", "=", "<<"])
CASES = st.sampled_from([str.lower, str.upper, str.title])


def old_tag(text: str) -> str:
    """What YAML 1.1 takes an unquoted scalar for, by PyYAML's own rules."""
    resolver: Any = yaml.SafeLoader("")
    return str(resolver.resolve(yaml.ScalarNode, text, (True, False))).rpartition(":")[2]


CORE_SCHEMA = re.compile(
    r"null|Null|NULL|~|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
"""What YAML 1.2 takes for something else than text."""


@settings(max_examples=500)
@given(text=st.one_of(NUMBER_LIKE, st.builds(lambda case, word: case(word), CASES, WORDS)))
def test_text_is_text_and_a_number_the_same_number_under_yaml_1_1_and_1_2(text: str) -> None:
    value = resolve(text)
    if isinstance(value, str):
        assert old_tag(text) == "str"
        assert not CORE_SCHEMA.fullmatch(text)
    elif not isinstance(value, Refused):
        assert old_tag(text) == {int: "int", float: "float", bool: "bool", type(None): "null"}[type(value)]
        assert CORE_SCHEMA.fullmatch(text)
        assert yaml.safe_load(text) == value


@settings(max_examples=300)
@given(text=NUMBER_LIKE)
def test_what_a_finding_suggests_is_accepted(text: str) -> None:
    value = resolve(text)
    if isinstance(value, Refused):
        for suggestion in re.findall(r"`([^`]*)`", value.help):
            assert isinstance(read_text(f"key: {suggestion}"), dict)


@settings(max_examples=200)
@given(
    text=st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"], exclude_characters="\ufffe\uffff"))
)
def test_quoted_text_comes_back_as_it_was_written(text: str) -> None:
    single = text.replace("'", "''")
    double = text.replace("\\", "\\\\").replace('"', '\\"')
    assert read_text(f"single: '{single}'\ndouble: \"{double}\"") == {"single": text, "double": text}


def test_a_question_in_braces_needs_no_quotes() -> None:
    assert read_text("{id: a, title: What went wrong?}") == {"id": "a", "title": "What went wrong?"}
