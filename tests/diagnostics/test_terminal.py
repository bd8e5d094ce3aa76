"""Findings as people see them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Diagnostic, Related, Report, Severity, Span
from labspec.diagnostics.terminal import MAX_WIDTH, to_terminal


def span(line: int, column: int, end: int) -> Span:
    return Span("lab.yaml", line, column, line, end)


def show(text: str, at: Span | None, colour: bool = False) -> str:
    report = Report()
    report.error("code", "message", at)
    return to_terminal(report, {"lab.yaml": text}, colour)


def excerpt(text: str, column: int, end: int) -> tuple[str, str]:
    """The source line and the carets, both from the same column on."""
    lines = show(text, span(1, column, end)).split("\n")
    assert lines[2].startswith("     | ")
    return lines[1][len("   1 | ") :], lines[2][len("     | ") :]


def test_a_finding_shows_place_sentence_source_line_carets_help_and_related_places() -> None:
    report = Report()
    at, first = span(3, 9, 11), span(1, 1, 5)
    report.error("points-do-not-add-up", "7 points, not 10", at, help="change it", related=(Related("see", first),))
    report.warning("unused", "nothing reads this", span(1, 1, 5))
    report.error("file-not-found", "there is no file `x`", None)
    assert to_terminal(report, {"lab.yaml": "name: a\n\npoints: 10\n"}, colour=False) == (
        "error[file-not-found] there is no file `x`\n"
        "\n"
        "lab.yaml:1:1: warning[unused] nothing reads this\n"
        "   1 | name: a\n"
        "     | ^^^^\n"
        "\n"
        "lab.yaml:3:9: error[points-do-not-add-up] 7 points, not 10\n"
        "   3 | points: 10\n"
        "     |         ^^\n"
        "  help: change it\n"
        "  lab.yaml:1:1: see\n"
        "   1 | name: a\n"
        "     | ^^^^\n"
        "\n"
        "2 errors, 1 warning\n"
    )


def test_no_findings_show_nothing() -> None:
    assert to_terminal(Report(), {}, colour=True) == ""


def test_the_same_finding_is_shown_and_counted_once() -> None:
    report = Report([Diagnostic("a", "b", None, Severity.NOTE)] * 3)
    assert to_terminal(report, {}, colour=False) == "note[a] b\n\n1 note\n"


def test_a_place_in_a_file_without_text_has_no_excerpt() -> None:
    assert show("", Span("other.yaml", 3, 4, 3, 5)) == "other.yaml:3:4: error[code] message\n\n1 error\n"
    assert show("a", span(9, 1, 2)) == "lab.yaml:9:1: error[code] message\n\n1 error\n"


def test_a_place_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert show("abc\ndef\n", Span("lab.yaml", 1, 2, 2, 3)).split("\n")[2] == "     |  ^^"


@pytest.mark.parametrize(
    ("text", "column", "end", "line", "carets"),
    [
        ("漢字: x", 5, 6, "漢字: x", "      ^"),
        ("x: 漢字", 4, 6, "x: 漢字", "   ^^^^"),
        ("e\u0301: x", 5, 6, "e\u0301: x", "   ^"),
        ("\U0001f600: x", 4, 5, "\U0001f600: x", "    ^"),
        ("a:\tx", 4, 5, "a:    x", "      ^"),
        ("a: \x1b[31m", 4, 5, "a: \\x1b[31m", "   ^^^^"),
        ("a: \u202ex", 5, 6, "a: \\u202ex", "         ^"),
        ("a: \udce9", 4, 5, "a: \\xe9", "   ^^^^"),
        ("a: \U000e0001", 4, 5, "a: \\U000e0001", "   ^^^^^^^^^^"),
        ("abc", 4, 4, "abc", "   ^"),
        ("abc", 99, 99, "abc", "   ^"),
    ],
)
def test_the_carets_stand_under_what_is_marked(text: str, column: int, end: int, line: str, carets: str) -> None:
    assert excerpt(text, column, end) == (line, carets)


@pytest.mark.parametrize("start", [0, 50, 99, 101, 500, 100_000, 199_990])
def test_a_long_line_is_cut_around_the_marked_part(start: int) -> None:
    line, carets = excerpt("x" * start + "MARK" + "x" * (200_000 - start), start + 1, start + 5)
    assert line[carets.index("^") : len(carets)] == "MARK"
    assert len(line) <= MAX_WIDTH + 3
    assert line.startswith("...") == (start + 4 > MAX_WIDTH)
    assert line.endswith("...") == (start < 199_000)


def test_a_mark_wider_than_the_line_shown_ends_with_it() -> None:
    line, carets = excerpt("a: " + "x" * 5_000, 4, 5_004)
    assert len(carets) == len(line) - 3 == MAX_WIDTH


def test_colour_adds_escape_sequences_and_nothing_else() -> None:
    text, at = "a: 1\n", span(1, 4, 5)
    coloured = show(text, at, colour=True)
    assert "\x1b[1;31m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == show(text, at)


@settings(max_examples=300)
@given(
    text=st.text(st.characters()), message=st.text(st.characters()), column=st.integers(1, 200), width=st.integers(0, 9)
)
def test_no_text_reaches_the_terminal_as_a_command(text: str, message: str, column: int, width: int) -> None:
    report = Report()
    report.error(message, message, Span(message, 1, column, 1, column + width), help=message)
    shown = to_terminal(report, {message: text}, colour=False)
    assert all(line.replace("\u200c", "").replace("\u200d", "").isprintable() for line in shown.split("\n"))
    assert shown.encode()


def test_printing_findings_imports_nothing_heavy() -> None:
    code = "import sys, labspec.diagnostics.terminal; print(sorted({'yaml', 'rich', 'json'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert result.stdout.strip() == "[]"
