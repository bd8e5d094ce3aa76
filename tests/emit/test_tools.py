"""The emitted loop with real tools does what the reference does: record, trace and files, byte for byte."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labspec.lab.model import Budget
from labspec.machine.runner import Machine, WorkspaceTools, fresh_workspace, run
from labspec.machine.simulation import simulate

from .labs import BUILTIN, exit_row, meter, refuse_row
from .loops import emitted_loop, record_of
from .test_loop import STRANGE, random_labs
from .tool_labs import (
    GREEN,
    READ,
    RED,
    STOP,
    TABLE,
    WEATHER,
    WRITE,
    call_of,
    lab_of,
    second_lab,
    tool_loop,
    with_results,
)

if TYPE_CHECKING:
    from labspec.lab.model import Lab

    from .loops import RunLoop

CHANGES: dict[str, Any] = {
    "files": {"fixtures/notes.txt": None, "fixtures-evil/x": "twin\n", "fixtures/é f.txt": "é"},
    "links": {
        "fixtures/link": "../secret.txt",
        "fixtures/dangling": "../nothing.txt",
        "fixtures/up": "..",
        "fixtures/loop": "loop",
        "fixtures/inner": "app.txt",
    },
}
PATHS = [
    "fixtures/app.txt",
    "fixtures/new.txt",
    "fixtures/./app.txt",
    "fixtures/../fixtures/app.txt",
    "fixtures/é f.txt",
    "fixtures/inner",
    "fixtures/no folder/x",
    "fixtures/app.txt/x",
    "fixtures",
    "fixtures/",
    "fixtures/link",
    "fixtures/dangling",
    "fixtures/up/secret.txt",
    "fixtures/loop",
    "fixtures-evil/x",
    "fixtures/../secret.txt",
    "../.env",
    ".",
    "/nowhere/at all",
    "",
    "nul\0",
    "half \ud800",
    None,
    7,
    ["fixtures/app.txt"],
]
CONTENTS = ["", "x", "x\n", "é\n", "four\nline\n", "\r\n", "half \udfff", "twelve bytes", "thirteen byte", None, 7]
STEPS: list[Any] = [
    STOP,
    {"type": "stop"},
    {"type": "other"},
    {"type": "tool"},
    {"type": "tool", "name": " "},
    {"type": "tool", "name": "read_file"},
    {"type": "tool", "name": "write_file", "args": []},
    {"type": "tool", "name": "write_file", "args": None},
    call_of("read_file", file="fixtures/app.txt"),
    call_of("write_file", file="fixtures/app.txt", contents="x\n"),
    call_of("constructor"),
    call_of("__proto__", file="fixtures/app.txt"),
    {"name": "get_weather", "ok": True, "final": True},
    {"name": "get_weather", "ok": False, "error": "a\nb"},
    None,
]


def steps_of(lab: Lab) -> st.SearchStrategy[Any]:
    """Steps for the tools of a lab, most of them reads and writes."""
    reads = st.builds(lambda file: call_of("read_file", file=file), st.sampled_from(PATHS))
    writes = st.builds(
        lambda file, contents: call_of("write_file", file=file, contents=contents),
        st.sampled_from(PATHS),
        st.sampled_from(CONTENTS),
    )
    commands = [call_of(tool.name) for tool in lab.tools if tool.kind == "command"]
    return st.one_of(reads, writes, writes, st.sampled_from([*STEPS, *commands[:1]]), st.sampled_from(STEPS))


def left_by(root: Path) -> dict[str, str | bytes]:
    """Every file and link below a folder."""
    found: dict[str, str | bytes] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def agree(lab: Lab, run_loop: RunLoop, fixture: dict[str, Any], folder: Path) -> None:
    """The emitted loop leaves what the reference leaves, in the ledger, in the trace and in the workspace."""
    machine = Machine(lab.machine)
    ours, theirs = folder / "ours.jsonl", folder / "theirs.jsonl"
    traces = {"ours": folder / "ours.json", "theirs": folder / "theirs.json"} if lab.traced else {}
    for path in (ours, theirs, *traces.values()):
        path.unlink(missing_ok=True)
    given = {"trace": traces["ours"]} if lab.traced else {}
    with fresh_workspace(machine, fixture) as root:
        ending = run(machine, fixture, "r", theirs, traces.get("theirs"), WorkspaceTools(machine, root))
        files = left_by(root.parent)
    with fresh_workspace(machine, fixture) as root, contextlib.chdir(root):
        event = run_loop("r", fixture, ours, **given)
        assert left_by(root.parent) == files, fixture
    assert record_of(event) == record_of(ending), fixture
    assert ours.read_bytes() == theirs.read_bytes()
    if lab.traced:
        assert traces["ours"].read_text("ascii") == traces["theirs"].read_text("ascii"), fixture


# --- random plans ---


def test_random_plans_come_to_what_reference_and_simulation_say(tmp_path: Path) -> None:
    lab = second_lab()
    machine = Machine(lab.machine)

    @settings(max_examples=100, deadline=None)
    @given(st.lists(steps_of(lab), max_size=9), st.sampled_from([{}, {"tool_calls": 9}, {"turns": 3}]))
    def check(plan: list[Any], limits: dict[str, int]) -> None:
        fixture = {"id": "f", "planned_calls": plan, "budgets": limits, "workspace": CHANGES}
        agree(lab, run_loop, fixture, tmp_path)
        simulated = simulate(machine, {**fixture, "planned_calls": [with_results(step) for step in plan]})
        assert json.loads((tmp_path / "ours.json").read_text("ascii")) == simulated.events
        assert json.loads((tmp_path / "ours.jsonl").read_text("ascii"))["reason"] == simulated.ending.reason

    with emitted_loop(lab) as run_loop:
        check()


def tool_lab(*rows: Any, traced: bool = True, **changes: Any) -> Lab:
    """A lab with a table of its own, and no fixtures."""
    return lab_of(tool_loop(*rows, **changes), traced=traced)


EVERYTHING = tool_lab(tools=(READ, WRITE, GREEN, RED, WEATHER))
OTHERS = {
    "read only": tool_lab(tools=(READ,)),
    "write only": tool_lab(tools=(WRITE,)),
    "commands only": tool_lab(tools=(GREEN, RED)),
    "scripted only": tool_lab(tools=(WEATHER,)),
    "every kind of tool": EVERYTHING,
    "no trace": tool_lab(traced=False, tools=(READ, WRITE, WEATHER)),
    "nothing is refused": tool_lab(*(row for row in TABLE if row.verb == "exit")),
    "a plan that ends": tool_lab(
        *TABLE[1:3], exit_row(4, "budget:turns", "turn", "plan.ended or turns > budgets.turns"), plan_ends="end"
    ),
    "an exit at a call takes every charge back": tool_lab(
        exit_row(1, "budget:write_bytes", "call", "lines > budgets.lines or asked > budgets.lines"),
        exit_row(2, "budget:turns", "turn", "waits > budgets.waits or plan.ended"),
        exit_row(3, "stopped_red", "result", "failures > budgets.failures or reds > budgets.failures"),
        meters=(
            *BUILTIN,
            meter("lines", "call", "call.inside", "call.lines", refund_when="call.lines == 1 or not result.ok"),
            meter("asked", "call", resets_when='call.name == "read_file"'),
            meter("waits", "turn", add="2"),
            meter("reds", "result", "not result.ok", resets_when="result.ok"),
        ),
        budgets=(
            Budget("lines", 2, ("lines", "asked")),
            Budget("waits", 9, ("waits",)),
            Budget("failures", 2, ("failures", "reds")),
        ),
        plan_ends="end",
    ),
    "names that the loop needs itself": tool_lab(
        exit_row(1, "budget:turns", "turn", "trace + model + call > budgets.turns or plan.ended"),
        meters=(*BUILTIN, meter("trace", "turn"), meter("model", "call"), meter("call", "result")),
        budgets=(Budget("turns", 5, ("trace", "model", "call")),),
        plan_ends="end",
    ),
    "what is seen of a call": tool_lab(
        refuse_row(1, "long", "call.lines > 1 or call.bytes > 8"),
        refuse_row(2, "here", 'call.path == "."', counted=False),
        exit_row(3, "stopped_red", "result", 'result.error == "not_readable" and call.path != "fixtures"'),
        exit_row(4, "tests_green", "decision", 'decision.type != "tool"', "none"),
    ),
}


@pytest.mark.parametrize("lab", OTHERS.values(), ids=OTHERS.keys())
def test_other_labs_with_tools_agree_with_the_reference(lab: Lab, tmp_path: Path) -> None:
    @settings(max_examples=25, deadline=None, derandomize=True, database=None)
    @given(plan=st.lists(steps_of(lab), max_size=7))
    def check(plan: list[Any]) -> None:
        agree(lab, run_loop, {"id": "f", "planned_calls": plan, "workspace": CHANGES}, tmp_path)

    with emitted_loop(lab) as run_loop:
        check()


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(random_labs(), st.lists(st.lists(st.sampled_from(STRANGE), max_size=5), min_size=1, max_size=8))
def test_traces_of_random_tables_agree_with_the_reference(tmp_path: Path, lab: Lab, plans: list[list[Any]]) -> None:
    lab = traced(lab)
    machine = Machine(lab.machine)
    with emitted_loop(lab) as run_loop:
        for plan in plans:
            fixture = {"id": "f", "planned_calls": plan}
            run_loop("r", fixture, tmp_path / "l", tmp_path / "ours.json")
            run(machine, fixture, "r", None, tmp_path / "theirs.json")
            assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes(), plan


def traced(lab: Lab) -> Lab:
    """A lab whose runs leave a trace, with a budget for every meter that its rows could read."""
    budgets = tuple(budget._replace(meters=("turns", "failures", "red_tests")) for budget in lab.budgets)
    loop = tool_loop(*lab.table)._replace(
        budgets=budgets,
        meters=lab.meters,
        tools=lab.tools,
        workspace=None,
        plan_ends=lab.plan_ends,
        taxonomy=lab.taxonomy,
    )
    return lab_of(loop)._replace(errors=lab.errors, taxonomy=lab.taxonomy)
