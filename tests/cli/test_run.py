"""`labspec run`: the record on stdout, the turns and the row on stderr, the exit code of the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labspec.contract import exit_signature
from labspec.pipeline import load

from .runs import cases, shown
from .users import INVALID, ROOT, SPEC, labspec

BUDGET = ROOT / "specs" / "loop-budget.yaml"
GUARDRAILS = ROOT / "specs" / "loop-guardrails.yaml"


@pytest.mark.parametrize(
    ("fixture", "code", "reason", "row"),
    [
        ("weather_timeout_v1", 0, "completed", "row `completed` decided at `result` of turn 2\n"),
        ("five_timeouts_v1", 2, "turn_cap", "row `turn_cap` decided at `turn` of turn 5\n"),
        ("hidden_late_schema_v1", 1, "schema_mismatch", "row `schema_mismatch` decided at `decision` of turn 4\n"),
    ],
)
def test_the_record_is_printed_and_the_exit_code_is_the_runs(
    fixture: str, code: int, reason: str, row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger, trace = tmp_path / "a folder" / "ledger.jsonl", tmp_path / "trace.json"
    done = labspec(capsys, "run", SPEC, fixture, "--ledger", ledger, "--trace", trace, "--run-id", "me")
    assert (done.code, done.err.splitlines(keepends=True)[-1]) == (code, row)
    assert done.out == ledger.read_text(encoding="ascii")
    record = json.loads(done.out)
    assert (record["run_id"], record["fixture_id"], record["reason"]) == ("me", fixture, reason)
    assert json.loads(trace.read_bytes())[-1]["reason"] == reason


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_run_is_shown_as_reviewed(case: Path) -> None:
    """Turn by turn, with the budgets, the rows that fired and the record; or all of it as JSON."""
    assert shown(case) == case.read_text(encoding="utf-8"), "run `python -m tests.regen` and read the diff"


def test_the_json_form_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "run", "--json", SPEC, "weather_timeout_v1")
    told = json.loads(done.out)
    assert (done.code, done.err) == (told["exit_code"], "")
    assert told["decided"] == {"row": "completed", "at": "result", "turn": 2}
    assert [turn["meters"]["failures"] for turn in told["turns"]] == [1, 1]


@pytest.mark.parametrize("fixture", ["repairs_it_v1", "red_once_v1", "follows_a_link_v1"])
def test_tools_really_run_in_a_fresh_workspace(
    fixture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run ends as the spec says, and leaves nothing where it was started."""
    monkeypatch.chdir(tmp_path)
    lab = load(GUARDRAILS).lab
    assert lab is not None
    ending = lab.fixture(fixture).ending
    done = labspec(capsys, "run", GUARDRAILS, fixture)
    record = json.loads(done.out)
    assert done.code == ending.exit_code
    assert exit_signature(record) == exit_signature({**ending._asdict(), "tool_names": list(ending.tool_names)})
    assert list(tmp_path.iterdir()) == []


def test_a_tool_that_cannot_run_here_is_no_failed_tool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fixture that does not call it runs all the same."""
    monkeypatch.setenv("PATH", str(tmp_path))
    done = labspec(capsys, "run", BUDGET, "happy_path_v1")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error[no-node] loop-budget: can't be run here, because there is no `node` on PATH\n")
    assert labspec(capsys, "run", BUDGET, "no_turns_v1").code == 2


@pytest.mark.parametrize(
    "changes",
    [
        7,
        {"files": {"../../evil.txt": "x"}},
        {"files": {"/evil.txt": "x"}},
        {"files": {"a": {"b": "x"}}},
        {"links": {"door": "..", "door/evil.txt": "x"}},
    ],
)
def test_a_fixture_file_cannot_reach_out_of_the_workspace(
    changes: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "fixture.json"
    file.write_text(json.dumps({"id": "f", "planned_calls": [], "workspace": changes}), encoding="utf-8")
    done = labspec(capsys, "run", GUARDRAILS, file)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"Error: {file}: the fixture changes the workspace in a wrong way\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_run_needs_no_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert labspec(capsys, "run", SPEC, "empty_plan_v1").code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_fixture_file_can_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"id": "mine", "planned_calls": [], "budgets": {"turns": 9}}), encoding="utf-8")
    done = labspec(capsys, "run", SPEC, file)
    assert (done.code, json.loads(done.out)["fixture_id"]) == (2, "mine")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("weather_timeot_v1", "the lab has no fixture `weather_timeot_v1`, and there is no such file. "
                              "Did you mean `weather_timeout_v1`?"),
        ("nothing/like/it", "the lab has no fixture `nothing/like/it`, and there is no such file.\n"),
    ],
)  # fmt: skip
def test_an_unknown_fixture_is_wrong_usage(name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "run", SPEC, name)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a fixture file"),
        ("[" * 100_000, "is not a fixture file"),
        ("7", "a fixture is a mapping"),
        ('{"id": "f", "planned_calls": [], "budgets": {"none": 1}}', "a budget 'none'"),
    ],
)
def test_a_broken_fixture_file_is_told_in_a_sentence(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "fixture.json"
    file.write_text(text, encoding="utf-8")
    done = labspec(capsys, "run", SPEC, file)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"Error: {file}")
    assert says in done.err


@pytest.mark.parametrize("place", ["a file/ledger.jsonl", "/dev/full"])
def test_a_record_that_cannot_be_written_is_told_with_its_place(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if place == "/dev/full" and not Path(place).exists():
        pytest.skip("this system has no /dev/full")
    (tmp_path / "a file").write_text("", encoding="utf-8")
    done = labspec(capsys, "run", SPEC, "empty_plan_v1", "--ledger", tmp_path / place)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: can't write /")
    assert "None" not in done.err


def test_a_broken_spec_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "run", INVALID / "budget-zero.yaml", "recovers")
    assert (done.code, done.out) == (1, "")
    assert "error[budget-is-zero]" in done.err
