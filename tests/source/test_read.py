"""Reading a file: what is accepted, what is refused, and that nothing is raised."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Report
from labspec.source import plain, read
from labspec.source.events import MAX_DEPTH, PureParser, make_parser
from labspec.source.parse import MAX_FINDINGS, MAX_NODES, parse
from labspec.source.read import MAX_BYTES
from labspec.source.text import MAX_CHARACTER_FINDINGS, decode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from labspec.source import Plain
    from labspec.source.events import EventParser


def places(data: bytes) -> list[tuple[str, int, int]]:
    """The code, line and column of each finding about the characters of a file."""
    report = Report()
    decode(data, "lab.yaml", report)
    return [(finding.code, finding.span.line, finding.span.column) for finding in report.sorted() if finding.span]


def value_of(path: Path) -> Plain:
    report = Report()
    source = read(path, report)
    assert source is not None, report.diagnostics
    return plain(source.root)


def codes(path: Path) -> list[str]:
    report = Report()
    assert read(path, report) is None
    return [finding.code for finding in report.sorted()]


def test_windows_editors_are_welcome(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: |\r\n  x\r\n  y\r\n")
    assert value_of(path) == {"a": 1, "b": "x\ny\n"}


def test_line_ends_and_byte_order_mark_change_no_place(tmp_path: Path) -> None:
    unix, windows = tmp_path / "unix.yaml", tmp_path / "windows.yaml"
    unix.write_bytes("a: 1\n\U0001f600: [x, yz]\n".encode())
    windows.write_bytes(b"\xef\xbb\xbf" + unix.read_bytes().replace(b"\n", b"\r\n"))
    assert read(unix, Report(), shown_as="f") == read(windows, Report(), shown_as="f")


def test_the_text_is_kept_for_showing_source_lines_even_if_there_are_findings(tmp_path: Path) -> None:
    path, texts = tmp_path / "lab.yaml", dict[str, str]()
    path.write_bytes(b"a: yes\r\n")
    assert read(path, Report(), shown_as="shown.yaml", texts=texts) is None
    assert texts == {"shown.yaml": "a: yes\n"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a: 1\nb: caf\xe9\n", [("not-utf-8", 2, 7)]),
        ("é: ".encode() + b"\xff\xfe\n", [("not-utf-8", 1, 4)]),
        (b"a: \xed\xa0\x80", [("not-utf-8", 1, 4)]),
        ("a: 1".encode("utf-16"), [("not-utf-8", 1, 1)]),
        ("a: 1".encode("utf-16-le"), [("not-utf-8", 1, 1)]),
        ("a: 1".encode("utf-32"), [("not-utf-8", 1, 1)]),
        (b"a: 1\r\nb: 2\rc: 3\n", [("lone-carriage-return", 2, 5)]),
        (b"a: 1\nb: x\x00y\n", [("control-character", 2, 5)]),
        (b"\na: \x1b[31m\n", [("control-character", 2, 4)]),
        ("a: \u0085\n".encode(), [("line-separator", 1, 4)]),
        ("a: x\u2028y\u2029".encode(), [("line-separator", 1, 5), ("line-separator", 1, 7)]),
        ("\U0001f600: \u202ex\u202c\n".encode(), [("bidi-control", 1, 4), ("bidi-control", 1, 6)]),
        ("a: \u2066\u200f\u061c".encode(), [("bidi-control", 1, 4), ("bidi-control", 1, 5), ("bidi-control", 1, 6)]),
        ("a: \ufeff\uffff".encode(), [("control-character", 1, 4), ("control-character", 1, 5)]),
    ],
)
def test_a_character_with_two_meanings_is_found_at_its_line_and_column(
    data: bytes, expected: list[tuple[str, int, int]]
) -> None:
    assert places(data) == expected


def test_a_binary_file_gives_a_bounded_number_of_findings() -> None:
    assert len(places(b"x\x01\n" * 100_000)) == MAX_CHARACTER_FINDINGS + 1


def test_a_missing_file_is_a_finding(tmp_path: Path) -> None:
    assert codes(tmp_path / "lab.yaml") == ["file-not-found"]


def test_a_path_with_nul_is_a_finding(tmp_path: Path) -> None:
    assert codes(tmp_path / "a\0b") == ["file-unreadable"]


def test_a_path_through_a_file_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert codes(tmp_path / "file" / "lab.yaml") == ["file-unreadable"]


def test_a_directory_is_a_finding(tmp_path: Path) -> None:
    assert codes(tmp_path) == ["not-a-file"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_without_a_writer_is_a_finding_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lab.yaml")
    assert codes(tmp_path / "lab.yaml") == ["not-a-file"]


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no endless device")  # noqa: PTH110  # no Path
def test_an_endless_device_is_a_finding_at_once(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").symlink_to("/dev/zero")
    assert codes(tmp_path / "lab.yaml") == ["not-a-file"]


def test_a_file_above_the_limit_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_bytes(b"a: 1\n" + b"#" * (MAX_BYTES - 5))
    assert value_of(path) == {"a": 1}
    path.write_bytes(b"a: 1\n" + b"#" * (MAX_BYTES - 4))
    assert codes(path) == ["file-too-large"]


def test_a_file_name_that_is_not_utf8_can_be_printed(tmp_path: Path) -> None:
    report = Report()
    assert read(tmp_path / os.fsdecode(b"\xff.yaml"), report) is None
    assert report.diagnostics[0].message.encode()


PARSERS: list[Callable[[str], EventParser]] = [make_parser, PureParser]


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: " + "[" * 1_000_000, "nested-too-deep"),
        ("{a: " * 250_000, "nested-too-deep"),
        ("a:\n" + "- " * 300_000, "nested-too-deep"),
        ("a: " + "[\n" * 300_000, "nested-too-deep"),
        ("a: [" + "1," * 400_000 + "]", "too-many-values"),
        ("\n".join(f"k{number}: 1" for number in range(60_000)), "too-many-values"),
        ("a:\n" + "- yes\n" * 150_000, "too-many-findings"),
        ("a: " + "9" * 100_000, "number-too-long"),
        ("a: " + "1_" * 100_000, "ambiguous-value"),
    ],
    ids=["brackets", "braces", "dashes", "lines", "values", "keys", "findings", "digits", "underscores"],
)
def test_a_hostile_file_is_refused_well_under_a_second(
    parser: Callable[[str], EventParser], text: str, code: str
) -> None:
    report, start = Report(), time.process_time()
    assert parse(text, "lab.yaml", report, parser=parser) is None
    assert time.process_time() - start < 1
    assert report.diagnostics[-1].code == code
    assert len(report.diagnostics) <= MAX_FINDINGS + 1


@pytest.mark.parametrize("parser", PARSERS)
def test_the_limits_are_exact(parser: Callable[[str], EventParser]) -> None:
    def codes_of(text: str) -> list[str]:
        report = Report()
        parse(text, "lab.yaml", report, parser=parser)
        return [finding.code for finding in report.diagnostics]

    inner = MAX_DEPTH - 2
    assert codes_of("a: " + "[" * inner + "1" + "]" * inner) == []
    assert codes_of("a: " + "[" * (inner + 1) + "1" + "]" * (inner + 1)) == ["nested-too-deep"]
    assert codes_of("a: [" + "1," * (MAX_NODES - 3) + "]") == []
    assert codes_of("a: [" + "1," * (MAX_NODES - 2) + "]") == ["too-many-values"]


YAML_PIECES = st.sampled_from(
    ["a", "b", ": ", ":", "- ", "\n", "  ", "\t", "[", "]", "{", "}", ",", "'", '"', "|", ">", "&x", "*x", "!", "!!t ",
     "%", "---", "...", "?", "#", "{{", "}}", "{%", "<<", "yes", "0755", "1e3", "\\", "\\x0", "\\ud800", "\\U00110000",
     "@", "`", "\r", "\x00", "\u2028", "\U0001f600", "\ufeff", "null", "1"]
)  # fmt: skip
ANY_BYTES = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(YAML_PIECES, max_size=25).map(lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")),
)


@settings(max_examples=300, deadline=None)
@given(data=ANY_BYTES)
@pytest.mark.parametrize("parser", PARSERS)
def test_any_bytes_are_read_or_diagnosed(parser: Callable[[str], EventParser], data: bytes) -> None:
    report = Report()
    text = decode(data, "lab.yaml", report)
    root = None if report.diagnostics else parse(text, "lab.yaml", report, parser=parser)
    assert (root is None) == report.has_errors
    lines = text.split("\n")
    for finding in report.diagnostics:
        assert finding.span is not None
        assert 1 <= finding.span.line <= len(lines)
        assert 1 <= finding.span.column <= len(lines[finding.span.line - 1]) + 1
        assert finding.span.line == finding.span.end_line
        assert finding.span.column < finding.span.end_column


@settings(max_examples=300, deadline=None)
@given(data=ANY_BYTES)
def test_both_parsers_read_the_same_or_one_of_them_nothing(data: bytes) -> None:
    report = Report()
    text = decode(data, "lab.yaml", report)
    if not report.diagnostics:
        fast, pure = (parse(text, "lab.yaml", Report(), parser=parser) for parser in PARSERS)
        assert fast is None or pure is None or plain(fast) == plain(pure)
