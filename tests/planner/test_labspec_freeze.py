"""`labspec freeze`: what a live model did with the reference runner, printed as a fixture of the spec."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.diagnostics import Report
from labspec.emit.templates import template_root
from labspec.freeze.facts import has_planner, planner_facts, real_tools
from labspec.freeze.yaml import YamlError, list_item
from labspec.lab.model import Lab
from labspec.pipeline import load
from labspec.source import plain
from labspec.source.parse import parse
from labspec.source.text import forbidden_character

from . import fake_server as fake
from .fake_server import FakeServer, script, serving
from .planners import HERE, KEY, ROOT, environment, start

SPEC: Final = HERE / "live_lab.yaml"
READ: Final = {"name": "read_file", "args": {"file": "fixtures/app.txt"}}
GREEN: Final = {"name": "write_file", "args": {"file": "fixtures/app.txt", "contents": "green\n"}}
TESTS: Final = {"name": "run_tests", "args": {}}


def freeze(server: FakeServer, *options: str, spec: Path = SPEC, **changes: str) -> Any:
    """Freeze a run of `spec` as my_run_v1."""
    command = [sys.executable, "-m", "labspec", "freeze", str(spec), "--goal", "Be green", "--id", "my_run_v1"]
    return start([*command, *options], environment(server.url, **changes))


def pasted(text: str, folder: Path, spec: Path = SPEC) -> Lab:
    """The lab with a fixture pasted at the start of its `fixtures`, which must be sound."""
    path = folder / "pasted.yaml"
    path.write_text(spec.read_text("utf-8").replace("\nfixtures:\n", f"\nfixtures:\n{text}"), encoding="utf-8")
    loaded = load(path)
    assert loaded.lab is not None, [diagnostic.message for diagnostic in loaded.report.diagnostics]
    return loaded.lab


RUNS: Final[dict[str, tuple[Sequence[object], str]]] = {
    "goes well": ([READ, TESTS, GREEN, TESTS], "stopped"),
    "is refused": ([{"name": "write_file", "args": {"file": "../.env", "contents": "x"}}], "stopped"),
    "calls nonsense": ([{"name": "constructor", "args": {"a": [1, None, True, 0.5]}}], "stopped"),
    "is malformed": (["I would rather not."], "protocol"),
    "has bad arguments": ([{"name": "read_file", "args": ["x"]}, {"name": "run_tests", "args": {"x": "y"}}], "stopped"),
    "uses up its calls": ([READ, READ, READ, READ, READ], "budget:tool_calls"),
    "writes other scripts": (
        [{"name": "write_file", "args": {"file": "fixtures/é.txt", "contents": "é 🎉\n\n \t{{ x }}: - #\n"}}],
        "stopped",
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_becomes_a_fixture_that_the_spec_accepts(name: str, tmp_path: Path) -> None:
    """The printed text can be pasted into the spec, whose reference agrees with what it expects."""
    steps, reason = RUNS[name]
    with serving(*script(steps)) as server:
        done = freeze(server)
    assert done.returncode == 0, done.stderr
    record, row, replay = done.stderr.splitlines()
    assert json.loads(record)["reason"] == reason
    assert row.startswith("row `")
    assert replay == "replay: the same record and the same trace"
    fixture = pasted(done.stdout, tmp_path).fixture("my_run_v1")
    assert (fixture.ending.reason, fixture.stated) == (reason, True)
    assert fixture.data["goal"] == "Be green"
    assert list(fixture.ending.tool_names) == json.loads(record)["tool_names"]
    calls = [step for step in fixture.data["planned_calls"] if step["type"] == "tool"]
    wanted = [{"type": "tool", **step} for step in steps if isinstance(step, dict)]
    assert calls == wanted


def test_the_fixture_reads_as_a_person_would_write_it() -> None:
    """Short steps stand on one line, and a text of several lines is a block."""
    poem = {"name": "write_file", "args": {"file": "fixtures/app.txt", "contents": "roses\n  are red\n\nyes\n"}}
    with serving(*script([READ, poem, TESTS])) as server:
        done = freeze(server, "--budgets", "turns=5", "--budgets", "tool_calls=3")
    assert done.stdout == (
        "  - id: my_run_v1\n"
        '    title: "Be green"\n'
        '    goal: "Be green"\n'
        "    budgets: {turns: 5, tool_calls: 3}\n"
        "    steps:\n"
        "      - {call: read_file, args: {file: fixtures/app.txt}}\n"
        "      - call: write_file\n"
        "        args:\n"
        "          file: fixtures/app.txt\n"
        "          contents: |\n"
        "            roses\n"
        "              are red\n"
        "\n"
        "            yes\n"
        "      - {call: run_tests, result: failed}\n"
        "      - {stop: out_of_ideas}\n"
        "    expect: {reason: stopped, turns: 4, tools: [read_file, write_file, run_tests], last_error: null}\n"
    )


def test_a_budget_ends_the_run_without_another_question(tmp_path: Path) -> None:
    """The model is asked once for each turn that begins, and the plan is longer than the run."""
    with serving(fake.says(READ)) as server:
        done = freeze(server, "--budgets", "turns=2")
    assert done.returncode == 0, done.stderr
    assert len(server.asked) == 2
    assert "      - {stop: never_reached}\n" in done.stdout
    fixture = pasted(done.stdout, tmp_path).fixture("my_run_v1")
    assert (fixture.ending.reason, fixture.ending.turns) == ("budget:turns", 2)


def test_the_model_sees_results() -> None:
    """The last event of the trace is what the model is told."""
    with serving(*script([READ, TESTS])) as server:
        freeze(server)
    told = [message["content"] for message in server.asked[-1].body["messages"] if message["role"] == "user"]
    assert told == [
        "Goal: Be green",
        '{"type":"tool_result","name":"read_file","result":"red\\n"}',
        '{"type":"tool_error","name":"run_tests","error":"test_failed"}',
    ]


REFUSED: Final[dict[str, tuple[list[str], int, str]]] = {
    "an unknown budget": (["--budgets", "turn=3"], 1, "a budget 'turn'"),
    "no limit": (["--budgets", "turns"], 2, "turns=8"),
    "too large a limit": (["--budgets", "turns=1000001"], 2, "at most 1000000"),
    "a taken id": (["--id", "stops_v1"], 2, "`stops_v1` already"),
    "no id": (["--id", "../x"], 2, "an id has"),
    "no goal": (["--goal", " "], 2, "a goal is one line"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_senseless_options_are_refused(name: str) -> None:
    """One sentence, and no question to the endpoint."""
    options, code, said = REFUSED[name]
    with serving(fake.says(TESTS)) as server:
        done = freeze(server, *options)
    assert (done.returncode, done.stdout, server.asked) == (code, "", [])
    assert said in done.stderr


def test_a_failing_endpoint_freezes_nothing() -> None:
    """The author is told what the endpoint did, and gets no half fixture."""
    with serving(fake.says(READ), fake.status(401)) as server:
        done = freeze(server)
    assert (done.returncode, done.stdout) == (1, "")
    assert "it answers with status 401" in done.stderr
    assert "Error: nothing was frozen" in done.stderr
    assert KEY not in done.stderr


def test_settings_are_checked() -> None:
    """The same variables with the same rules as for students."""
    with serving(fake.says(READ)) as server:
        done = freeze(server, LAB_MODEL="")
    assert (done.returncode, done.stderr) == (1, "Error: LAB_MODEL names no model\n")


def test_scripted_labs_cannot_be_frozen() -> None:
    """A lab whose steps carry the results has nothing that a model could run."""
    with serving(fake.says(TESTS)) as server:
        done = freeze(server, spec=ROOT / "specs" / "loop-exit-ledger.yaml")
    assert done.returncode == 1
    assert "freezing needs tools that really run" in done.stderr
    assert server.asked == []


def test_a_planner_is_told_about_real_tools() -> None:
    """`planner.json` names the tools with their arguments; a lab whose tools are all scripted gets none."""
    lab = load(SPEC).lab
    assert lab is not None
    assert has_planner(lab)
    facts = planner_facts(lab)
    assert facts == {"lab": "live-lab", "tools": real_tools(lab)}
    assert [(tool["name"], tool["args"]) for tool in facts["tools"]] == [
        ("read_file", ["file"]),
        ("write_file", ["file", "contents"]),
        ("run_tests", []),
    ]
    assert facts["tools"][1]["says"] == "Writes."
    scripted = load(ROOT / "specs" / "loop-exit-ledger.yaml").lab
    assert scripted is not None
    assert not has_planner(scripted)


def test_both_planners_are_among_the_templates() -> None:
    assert (template_root() / "python" / "planner.py").is_file()
    assert (template_root() / "node" / "planner.mjs").is_file()


# --- writing YAML ---

LETTERS = st.characters(codec="utf-8").filter(lambda letter: forbidden_character(letter) is None)
TEXTS = st.text(st.one_of(LETTERS, st.sampled_from(" \n\t:#-'\"{}[]|>&*!%@`\\,?=~")), max_size=40)
KEYS = st.one_of(TEXTS, st.sampled_from(["yes", "1e3", "null", "0755", "10:25", "2026-10-05", "file", "-", "?"]))
NUMBERS = st.one_of(
    st.integers(-(10**17), 10**17), st.decimals(-1000, 1000, places=3).map(float).filter(lambda x: "e" not in repr(x))
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, KEYS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(VALUES, st.integers(0, 6))
def test_everything_reads_back_as_it_was(value: object, indent: int) -> None:
    """Whatever a model's arguments hold, what is printed means the same to our reader."""
    item = {"id": "x", "args": value}
    report = Report()
    root = parse(f"list:\n{list_item(item, indent)}", "f", report)
    assert root is not None
    assert plain(root) == {"list": [item]}


@pytest.mark.parametrize(
    "value", [10**18, 1e300, 1e-9, float("nan"), {"x" * 2000: 1}, "\ud800", "\x1b", "\u2028", object()]
)
def test_what_a_spec_cannot_hold_is_an_error(value: object) -> None:
    """A value is never changed to fit."""
    with pytest.raises(YamlError, match=re.compile("a spec cannot hold")):
        list_item({"args": value})
