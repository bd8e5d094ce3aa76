"""What a run leaves: one whole line in the ledger, and a whole trace with its end, on every path."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from labspec.machine import runner
from labspec.machine.runner import Machine, MachineError, append_lines, run, write_trace

from .machines import CAP, ENDED, machine, machines, plan, plans

TABLE = (
    "done at result = none: result.ok and result.final",
    "used_up at result: failures > budgets.retries",
    "broken at decision = no name: not call.named",
    CAP,
    ENDED,
    'refuse forbidden: call.name == "b"',
)
PATHS = {
    "final": ("stop", 0), "fail fail": ("budget", 2), "unnamed": ("error", 1), "ok ok ok ok": ("budget", 2),
    "": ("error", 1), "b b": ("budget", 2), "unknown stop": ("error", 1),
}  # fmt: skip
"""A plan for each way out, with its closing event and its exit code."""


def fixture(steps: str) -> dict[str, Any]:
    return {"id": "f", "planned_calls": plan(steps)}


@pytest.mark.parametrize(
    ("earlier", "after"),
    [
        (None, b"new\n"),
        (b"", b"new\n"),
        (b"old\n", b"old\nnew\n"),
        (b"old", b"old\nnew\n"),
        (b'{"torn": "li', b'{"torn": "li\nnew\n'),
        (b"old\r\n", b"old\r\nnew\n"),
        (b"old\r", b"old\r\nnew\n"),
        (b"\xff\x00", b"\xff\x00\nnew\n"),
        (b"\n", b"\nnew\n"),
    ],
)
def test_a_line_is_appended_to_whole_lines_only(earlier: bytes | None, after: bytes, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    if earlier is not None:
        ledger.write_bytes(earlier)
    append_lines(ledger, b"new\n")
    assert ledger.read_bytes() == after
    assert machine(*TABLE).recorder.ledger_after(earlier, b"new\n") == after
    append_lines(ledger, b"one\n", overwrite=True)
    assert ledger.read_bytes() == b"one\n"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    place = tmp_path / "a folder" / "deeper"
    run(machine(*TABLE), fixture("final"), "r", place / "ledger.jsonl", place / "more" / "trace.json")
    assert sorted(path.name for path in place.iterdir()) == ["ledger.jsonl", "more"]


def test_lines_of_several_processes_do_not_mix(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    folder = str(Path(runner.__file__).parent)
    program = (
        f"import sys; sys.path.insert(0, {folder!r}); import runner, pathlib\n"
        "for number in range(50): runner.append_lines(pathlib.Path(sys.argv[1]), sys.argv[2].encode() * 5000 + b'\\n')"
    )
    command = [sys.executable, "-I", "-S", "-c", program, str(ledger)]
    children = [subprocess.Popen([*command, letter]) for letter in "abcd"]
    assert [child.wait(timeout=60) for child in children] == [0] * 4
    assert sorted(ledger.read_bytes().split(b"\n")) == [
        b"",
        *(letter * 5000 for letter in (b"a", b"b", b"c", b"d") for _ in range(50)),
    ]


def test_lines_of_several_threads_do_not_mix(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    tried = machine(*TABLE)
    threads = [
        threading.Thread(target=lambda name=name: [run(tried, fixture("final"), name, ledger) for _ in range(20)])
        for name in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = [json.loads(line)["run_id"] for line in ledger.read_text(encoding="ascii").splitlines()]
    assert sorted(names) == sorted("abcd" * 20)


def test_the_line_is_the_record_and_nothing_else(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    run(machine(*TABLE), {"id": "é\u2028", "planned_calls": plan("fail unknown")}, 'r"\n', ledger)
    assert ledger.read_bytes() == (
        b'{"fixture_id": "\\u00e9\\u2028", "last_error": "unknown_tool", "reason": "used_up", "run_id": "r\\"\\n", '
        b'"stopped_on_turn": 2, "tool_names": ["a", "x"], "turns": 2}\n'
    )


@pytest.mark.parametrize("steps", PATHS)
def test_every_way_out_leaves_one_line_and_a_trace_with_its_end(steps: str, tmp_path: Path) -> None:
    ledger, trace = tmp_path / "ledger.jsonl", tmp_path / "trace.json"
    closing, exit_code = PATHS[steps]
    ended = run(machine(*TABLE), fixture(steps), "r", ledger, trace)
    assert ended.exit_code == exit_code
    assert ledger.read_bytes().count(b"\n") == 1
    events = json.loads(trace.read_bytes())
    assert [event["type"] for event in events if event["type"] in ("stop", "budget", "error")] == [closing]
    assert events[-1] == {
        "seq": len(events), "type": closing, "turn": ended.turns, "reason": ended.reason, "budgets": ended.limits,
        "used": ended.used,
    }  # fmt: skip


def test_the_trace_tells_every_turn(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    run(machine(*TABLE, budgets={"turns": 9, "retries": 9}), fixture("ok b stop fail final"), "r", None, trace)
    told = [
        {key: value for key, value in event.items() if key != "seq"} for event in json.loads(trace.read_bytes())[:-1]
    ]
    assert told == [
        {"type": "turn", "turn": 1},
        {"type": "tool", "turn": 1, "name": "a"},
        {"type": "tool_result", "turn": 1, "name": "a", "final": False},
        {"type": "turn", "turn": 2},
        {"type": "tool", "turn": 2, "name": "b"},
        {"type": "tool_error", "turn": 2, "name": "b", "error": "forbidden"},
        {"type": "turn", "turn": 3},
        {"type": "turn", "turn": 4},
        {"type": "tool", "turn": 4, "name": "a"},
        {"type": "tool_error", "turn": 4, "name": "a", "error": "timeout"},
        {"type": "turn", "turn": 5},
        {"type": "tool", "turn": 5, "name": "a"},
        {"type": "tool_result", "turn": 5, "name": "a", "final": True},
    ]


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(made=machines(), steps=plans)
def test_a_trace_agrees_with_its_ledger_line(
    made: dict[str, Any], steps: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    places = [(folder / f"{number}.jsonl", folder / f"{number}.json") for number in range(2)]
    try:
        for ledger, trace in places:
            run(Machine(made), {"id": "f", "planned_calls": steps}, "r", ledger, trace)
    except MachineError:  # no ledger line, and a trace that is closed all the same
        assert not places[0][0].exists()
        assert json.loads(places[0][1].read_bytes())[-1]["reason"] == "crash"
        return
    assert len({(ledger.read_bytes(), trace.read_bytes()) for ledger, trace in places}) == 1
    record, events = (json.loads(path.read_bytes()) for path in places[0])
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert sum(event["type"] == "turn" for event in events) == record["turns"] == events[-1]["turn"]
    assert events[-1]["reason"] == record["reason"]


def test_a_trace_replaces_the_one_before(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text("x" * 100_000, encoding="ascii")
    write_trace(trace, [{"seq": 1}])
    assert json.loads(trace.read_bytes()) == [{"seq": 1}]
    assert list(tmp_path.iterdir()) == [trace]


def test_a_trace_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "trace.json").mkdir()
    with pytest.raises(OSError, match=r"trace\.json"):
        write_trace(tmp_path / "trace.json", [{"seq": 1}])
    with pytest.raises(TypeError):
        write_trace(tmp_path / "other.json", [{"seq": object()}])
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]


@pytest.mark.parametrize(
    ("slip", "plan_of", "what"),
    [
        ({"lines": 0}, "final", None),
        ({"lines": 2}, "final", {"lines": 2}),
        ({"only_on": "done"}, "final", {"lines": 1}),
        ({"only_on": "done"}, "", None),
        ({"run_id": "fixed", "fixture_id": "same"}, "final", {"run_id": "fixed", "fixture_id": "same"}),
        ({"turns_offset": -1}, "ok final", {"turns": 1, "stopped_on_turn": 1}),
        ({"stopped_on_turn": 0}, "ok final", {"turns": 2, "stopped_on_turn": 0}),
        ({"drop_names_on": ["done"]}, "final", {"tool_names": []}),
        ({"drop_names_on": ["done"]}, "ok", {"tool_names": ["a"]}),
        ({"extra": {"at": 7}}, "final", {"at": 7}),
        ({"sort_keys": False}, "final", {"first": "run_id"}),
    ],
)
def test_a_slip_of_the_recorder_shows_in_the_ledger(
    slip: dict[str, Any], plan_of: str, what: dict[str, Any] | None, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger.jsonl"
    run(machine(*TABLE, recorder=slip), fixture(plan_of), "r", ledger)
    if what is None:
        assert not ledger.exists()
        return
    lines = ledger.read_bytes().splitlines()
    record = json.loads(lines[-1])
    seen = {**record, "lines": len(lines), "first": next(iter(record))}
    assert {key: seen[key] for key in what} == what


@pytest.mark.parametrize(
    ("slip", "plan_of", "types"),
    [
        ({"trace": "never"}, "final", None),
        ({"trace": "done"}, "", None),
        ({"trace": "done"}, "final", ["turn", "tool", "tool_result", "stop"]),
        ({"closing_event": False}, "final", ["turn", "tool", "tool_result"]),
    ],
)
def test_a_slip_of_the_recorder_shows_in_the_trace(
    slip: dict[str, Any], plan_of: str, types: list[str] | None, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.json"
    run(machine(*TABLE, recorder=slip), fixture(plan_of), "r", None, trace)
    assert (types is not None) == trace.exists()
    if types is not None:
        assert [event["type"] for event in json.loads(trace.read_bytes())] == types


def test_an_exit_code_can_be_a_slip() -> None:
    tried = machine(*TABLE, recorder={"exit_code": 0})
    ended = run(tried, fixture("fail fail"), "r")
    assert (ended.exit_code, tried.recorder.exit_code_of(ended)) == (2, 0)
