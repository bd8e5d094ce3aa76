"""Findings as programs read them: JSON, and GitHub's workflow commands."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Related, Report, Span
from labspec.diagnostics.github import to_github
from labspec.diagnostics.json_format import to_json

AT = Span("specs/lab.yaml", 3, 9, 3, 11)


def report_of(message: str, at: Span | None = AT, help: str | None = None) -> Report:
    report = Report()
    report.error("some-code", message, at, help=help)
    return report


def test_json_is_one_document_with_every_finding_and_the_counts() -> None:
    report = report_of("second", help="do this")
    report.error("first", "no place", None, related=(Related("see", AT),))
    report.warning("third", "later", Span("specs/lab.yaml", 9, 1, 9, 2))
    place = {"file": "specs/lab.yaml", "line": 3, "column": 9, "end_line": 3, "end_column": 11}
    document = json.loads(to_json(report))
    assert [finding["code"] for finding in document["diagnostics"]] == ["first", "some-code", "third"]
    assert document["errors"] == 2
    assert document["warnings"] == 1
    assert document["diagnostics"][0]["line"] is None
    assert document["diagnostics"][0]["related"] == [{**place, "message": "see"}]
    assert document["diagnostics"][1] == {
        **place,
        "severity": "error",
        "code": "some-code",
        "message": "second",
        "help": "do this",
        "related": [],
    }


def test_json_of_no_findings_is_a_document_too() -> None:
    assert json.loads(to_json(Report())) == {"diagnostics": [], "errors": 0, "warnings": 0}


def test_github_gets_one_command_for_each_finding() -> None:
    report = report_of("wrong", help="do this")
    report.warning("later", "odd", Span("specs/lab.yaml", 9, 1, 10, 2))
    assert to_github(report) == (
        "::error file=specs/lab.yaml,line=3,col=9,endLine=3,endColumn=11,title=some-code::wrong%0Ahelp: do this\n"
        "::warning file=specs/lab.yaml,line=9,endLine=10,title=later::odd\n"
    )


def test_github_shows_related_places_in_the_message() -> None:
    report = Report()
    report.error("twice", "second", AT, related=(Related("first", Span("a.yaml", 1, 2, 1, 3)),))
    assert to_github(report).endswith("::second%0Aa.yaml:1:2: first\n")


def test_github_finding_without_a_place_has_only_a_title() -> None:
    assert to_github(report_of("wrong", at=None)) == "::error title=some-code::wrong\n"


def test_github_properties_and_messages_are_escaped() -> None:
    report = report_of("100%: a,b\r\n::error::x", Span("a:b,c%.yaml", 1, 1, 1, 2))
    assert to_github(report) == (
        "::error file=a%3Ab%2Cc%25.yaml,line=1,col=1,endLine=1,endColumn=2,title=some-code"
        "::100%25: a,b\\x0d\\n::error::x\n"
    )


@settings(max_examples=200)
@given(text=st.text(st.characters()))
def test_no_text_makes_a_second_command_or_breaks_the_document(text: str) -> None:
    report = report_of(text, Span(text, 1, 1, 1, 2), help=text)
    assert len(to_github(report).splitlines()) == 1
    assert json.loads(to_json(report))["diagnostics"][0]["message"] == text
