"""A ledger of any content is checked: nothing is raised, everything is counted, and memory does not grow with it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.cli import main
from labspec.contract.records import MAX_BYTES as MAX_LINE_BYTES
from labspec.diagnostics import Report
from labspec.diagnostics.json_format import to_json
from labspec.diagnostics.terminal import to_terminal
from labspec.ledger import Checked, check_ledgers
from labspec.ledger import check as check_module
from labspec.ledger.faults import read_record
from labspec.ledger.judge import Judge
from labspec.ledger.lines import Memory, read_lines
from labspec.machine.runner import Recorder
from labspec.pipeline import load
from tests.ledger.cases import LAB, check_cases
from tests.ledger.ledgers import HOSTILE, line, lines, small_lab

SPECS = sorted((Path(__file__).resolve().parents[2] / "specs").glob("*.yaml"))


def check_bytes(data: bytes, folder: Path, shown: int = 3) -> tuple[Checked, Report]:
    path = folder / "ledger.jsonl"
    path.write_bytes(data)
    report = Report()
    (checked,) = check_ledgers([path], small_lab(), report, shown)
    return checked, report


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ledgers")


@given(data=st.one_of(HOSTILE, st.lists(lines(), max_size=6).map(b"".join)))
def test_any_bytes_are_sound_or_diagnosed_with_a_place_on_their_line(folder: Path, data: bytes) -> None:
    checked, report = check_bytes(data, folder)
    assert checked.lines == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    assert 0 <= checked.sound <= checked.lines
    assert (checked.sound < checked.lines) == report.has_errors
    for finding in report.diagnostics:
        assert finding.span is not None
        assert 1 <= finding.span.line <= checked.lines
        raw = data.split(b"\n")[finding.span.line - 1]
        assert 1 <= finding.span.column < finding.span.end_column <= max(len(raw), 1) + 1
    assert (to_terminal(report, {}, colour=False) + to_json(report)).encode()


@given(data=st.lists(st.one_of(lines(), st.sampled_from([b"\n", b"{}\n", line(turns=9)])), max_size=30).map(b"".join))
def test_what_is_not_shown_is_counted_all_the_same(folder: Path, data: bytes) -> None:
    few, report = check_bytes(data, folder, shown=1)
    all_of_them, whole = check_bytes(data, folder, shown=1000)
    assert few == all_of_them
    shown = [finding.code for finding in whole.diagnostics]
    assert {code: shown.count(code) for code in shown} == few.codes
    assert len(report.diagnostics) <= 2 * len(few.codes)


@given(ledger=st.lists(lines(), min_size=1, max_size=8), run_ids=st.lists(st.text("ab-1 ", max_size=3), min_size=8))
def test_what_is_remembered_of_a_line_is_what_is_said_without_memory(ledger: list[bytes], run_ids: list[str]) -> None:
    judge = Judge(small_lab())
    memory = Memory(judge.look)
    for raw in ledger:
        record = read_record(raw).record
        again = [] if record is None else [json.dumps(record | {"run_id": one}).encode() + b"\n" for one in run_ids]
        for one in (raw, *again, raw):
            remembered, fresh = memory.look(one), judge.look(one)[0]
            assert remembered[1:] == fresh[1:]
            assert [fault[:3] for fault in remembered.faults] == [fault[:3] for fault in fresh.faults]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_what_the_reference_leaves_is_sound_and_ends_as_the_table_says(spec: Path, tmp_path: Path) -> None:
    """In each lab we ship, for the fixtures of stretch goals too."""
    lab = load(spec).lab
    assert lab is not None
    ledger = tmp_path / "ledger.jsonl"
    records = [Recorder().record(one.ending, "r", one.id) for one in lab.solved().fixtures]
    ledger.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    report = Report()
    (checked,) = check_ledgers([ledger], lab, report, 5)
    assert report.diagnostics == []
    assert dict.fromkeys(checked.fixtures, (1, 1)) == checked.fixtures
    assert checked.sound == len(records) == len(checked.fixtures)


@pytest.mark.parametrize(
    ("fixture", "calls", "codes"),
    [
        ("calls_all_used_v1", 3, []),
        ("calls_all_used_v1", 4, ["ledger-over-budget"]),
        ("no_calls_v1", 1, ["ledger-over-budget"]),
        ("happy_path_v1", 12, []),
        ("happy_path_v1", 13, ["ledger-over-budget"]),
    ],
)
def test_calls_are_held_against_the_budget_of_their_fixture(fixture: str, calls: int, codes: list[str]) -> None:
    """The lab allows 12 calls in 16 turns; some fixtures have a budget of their own."""
    lab = load(SPECS[0].with_name("loop-budget.yaml")).lab
    assert lab is not None
    names = ["read_file"] * calls
    raw = line(fixture_id=fixture, reason="budget:tool_calls", turns=15, stopped_on_turn=15, tool_names=names)
    faults = Judge(lab).look(raw)[0].faults
    assert [fault.code for fault in faults] == codes
    assert {fault.field for fault in faults} <= {"tool_names"}


def test_a_ledger_of_each_kind_is_added_up(capsys: pytest.CaptureFixture[str]) -> None:
    """The document has every ledger, and the table a line for all of them together."""
    cases = [str(case) for case in check_cases()]
    code = main(["ledger", "check", *cases, cases[0], "--spec", str(LAB), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert code == 1
    assert [one["file"] for one in document["ledgers"]] == cases
    for one in document["ledgers"]:
        assert one["lines"] == one["lines_with_errors"] + sum(one["reasons"].values())
        runs = sum(fixture["runs"] for fixture in one["fixtures"].values()) + one["runs_of_unknown_fixtures"]
        assert runs == sum(one["reasons"].values())
    main(["ledger", "check", *cases, "--spec", str(LAB)])
    total = next(row for row in capsys.readouterr().out.splitlines() if row.startswith(f"all {len(cases)} "))
    assert int(total.split()[2]) == sum(one["lines"] for one in document["ledgers"])


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and links")
def test_what_is_no_plain_file_is_a_finding_and_the_others_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    Path("good.jsonl").write_bytes(line())
    Path("link").symlink_to("good.jsonl")
    words = ["pipe", "folder", "loop", "missing", "/dev/zero", "good.jsonl", "link"]
    assert main(["ledger", "check", *words, "--spec", str(LAB), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [one["file"] for one in document["ledgers"]] == ["good.jsonl", "link"]
    codes = [one["code"] for one in document["diagnostics"]]
    assert sorted(codes) == ["file-not-found", "file-unreadable", *["not-a-file"] * 3]


def test_a_ledger_of_many_megabytes_takes_little_memory(tmp_path: Path) -> None:
    """Sound lines, lines that are all different, and one line without an end."""
    path = tmp_path / "ledger.jsonl"
    with path.open("wb") as stream:
        stream.writelines(line(run_id=f"run {number}") for number in range(20_000))
        stream.writelines(line(last_error=f"error {number}", reason=f"r{number}") for number in range(20_000))
        stream.write(b"[" * 20 * MAX_LINE_BYTES)
    small_lab()
    tracemalloc.start()
    (checked,) = check_ledgers([path], small_lab(), Report(), 5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (checked.lines, checked.sound) == (40_001, 20_000)
    assert peak < 16 * MAX_LINE_BYTES


def test_the_line_after_one_that_is_too_long_is_read() -> None:
    for length in (MAX_LINE_BYTES - 1, MAX_LINE_BYTES, 3 * MAX_LINE_BYTES + 2):
        stream = io.BytesIO(b"a" * length + b"\n" + line())
        first, second = read_lines(stream, "ledger", Report())
        assert len(first) == min(length + 1, MAX_LINE_BYTES + 1)
        assert second == line()


def test_a_file_that_is_no_ledger_is_read_until_it_is_clear_that_it_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_module, "MAX_FAULTY_LINES", 50)
    checked, report = check_bytes(b"\n" * 60, tmp_path)
    assert checked.lines == checked.codes["ledger-line-unreadable"] == 50
    assert [one.message for one in report.diagnostics if one.code == "too-many-findings"] == [
        "50 lines have errors; what follows is not looked at"
    ]


def test_a_ledger_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with path.open("wb") as stream:
        stream.truncate((1 << 30) + 1)
    report = Report()
    assert check_ledgers([path], small_lab(), report, 5) == []
    assert [finding.code for finding in report.diagnostics] == ["file-too-large"]


def test_comparing_loads_neither_the_compiler_nor_anything_heavy(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(line())
    script = (
        "import sys; from labspec.cli import main; "
        "code = main(['ledger', 'compare', 'a', 'a']); print(code, *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True, timeout=60
    )
    code, *loaded = done.stderr.split()
    assert code == "0"
    assert {one.split(".")[0] for one in loaded}.isdisjoint({"jinja2", "pydantic", "pytest", "rich", "yaml"})
