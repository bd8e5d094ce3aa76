"""What `check_types` says about conditions that make no sense: `findings.txt` holds the cases."""

from __future__ import annotations

from typing import cast

import pytest

from labspec.conditions import FACTS, MOMENTS, Moment, Names, check_types, parse
from tests.conditions.tables import cases, marked

NAMES = Names(frozenset({"turns", "failures", "tool_calls"}), frozenset({"turns", "retries"}))


@pytest.mark.parametrize(("asked", "expected"), cases("findings.txt"))
def test_every_finding_is_marked_and_explained(asked: str, expected: str) -> None:
    text, _, moment = asked.rpartition(" @ ")
    findings = check_types(parse(text), cast("Moment", moment), NAMES)
    assert "\n".join(f"{marked(finding)}\n  code: {finding.code}" for finding in findings) == expected


@pytest.mark.parametrize("name", FACTS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_fact_can_be_asked_exactly_where_it_exists(name: str, moment: Moment) -> None:
    findings = check_types(parse(f"{name} == {name}"), moment, NAMES)
    assert (findings == []) == FACTS[name].exists_at(moment)


def test_where_a_number_is_expected_a_condition_is_a_finding() -> None:
    (finding,) = check_types(parse("failures > 1"), "result", NAMES, expects="number")
    assert finding.message == "`failures > 1` is true or false, but a number is needed here"
    assert check_types(parse("call.bytes + 1"), "call", NAMES, expects="number") == []


def test_a_long_part_of_a_condition_is_shortened_in_messages() -> None:
    (finding,) = check_types(parse(" + ".join(["failures"] * 8)), "turn", NAMES)
    shown = "`failures + failures + failures + failure...`"
    assert finding.message == f"{shown} is a number, but a condition is true or false"
