"""Labs with tools that really run, made by hand; what their fixtures come to, the reference says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labspec.lab.model import (
    Budget,
    Check,
    Command,
    ErrorText,
    Fixture,
    Gate,
    Goal,
    Lab,
    Loop,
    ManualItem,
    Reason,
    Starter,
    Stretch,
    Tool,
    Workspace,
    Zero,
)
from labspec.machine.build import to_machine
from labspec.machine.runner import Machine
from labspec.machine.simulation import simulate

from .labs import BUILTIN, FIXTURES, exit_row, first_lab, meter, refuse_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from labspec.lab.model import Row

FILES = (
    ("fixtures/app.txt", "hello\nworld\n"),
    ("fixtures/notes.txt", "read me\n"),
    ("secret.txt", "do not read me\n"),
    ("pass.py", "raise SystemExit(0)\n"),
    ("fail.py", "raise SystemExit(3)\n"),
)
WORKSPACE = Workspace(("fixtures",), FILES)
READ, WRITE = Tool("read_file", "builtin", None), Tool("write_file", "builtin", "Replaces a text file.")
GREEN = Tool("green_tests", "command", "Always green", Command(("python", "-I", "-S", "pass.py"), 10, "command_failed"))
RED = Tool("red_tests", "command", None, Command(("python", "-I", "-S", "fail.py"), 10, "test_failed"))
WEATHER = Tool("get_weather", "scripted", "Looks up the weather")
RESULTS = {"green_tests": "ok", "red_tests": "failed"}
"""What each command comes to, as the steps of a spec would say it."""

TAXONOMY = (
    Reason("tests_green", "done", 0, "The tests are green", None),
    Reason("budget:turns", "budget", 2, "The turns are used up", None),
    Reason("budget:tool_calls", "budget", 2, "The calls are used up", None),
    Reason("budget:write_bytes", "budget", 2, "The bytes are used up", None),
    Reason("stopped_red", "error", 1, "The model stopped", None),
    Reason("protocol_error", "error", 1, "No call and no stop", None),
)
METERS = (*BUILTIN, meter("green", "result", 'call.name == "green_tests" and result.ok'))
TABLE = (
    exit_row(1, "budget:turns", "turn", "turns > budgets.turns"),
    exit_row(2, "protocol_error", "decision", "not call.named"),
    exit_row(3, "tests_green", "decision", 'decision.type == "stop" and green > 0', "none"),
    exit_row(4, "stopped_red", "decision", 'decision.type == "stop"'),
    refuse_row(5, "unknown_tool", "not call.known", counted=False),
    exit_row(6, "budget:tool_calls", "call", "tool_calls > budgets.tool_calls"),
    refuse_row(7, "path_escape", "not call.inside"),
    exit_row(8, "budget:write_bytes", "call", "write_bytes > budgets.write_bytes"),
)
BUDGETS = (
    Budget("turns", 8, ("turns",)),
    Budget("tool_calls", 4, ("tool_calls",)),
    Budget("write_bytes", 12, ("write_bytes",)),
)


def call_of(name: str, **args: Any) -> dict[str, Any]:
    """A step that calls a tool."""
    return {"type": "tool", "name": name, "args": args}


STOP = {"type": "stop", "reason": "done"}
HAPPY = (
    call_of("read_file", file="fixtures/app.txt"),
    call_of("write_file", file="fixtures/app.txt", contents="hi\n"),
    call_of("green_tests"),
    STOP,
)
RUNAWAY = (*(call_of("write_file", file="fixtures/new.txt", contents="x") for _ in range(6)), STOP)
ESCAPE = (
    call_of("write_file", file="../.env", contents="x"),
    call_of("write_file", file="fixtures/link", contents="y"),
    STOP,
)


def with_results(step: Any) -> Any:
    """A step as a spec has it: what a command will come to included."""
    known = isinstance(step, dict) and isinstance(step.get("name"), str) and step["name"] in RESULTS
    return {**step, "result": RESULTS[step["name"]]} if known else step


def tool_fixture(loop: Loop, name: str, title: str, steps: Iterable[Any], **more: Any) -> Fixture:
    """A fixture, and what the reference comes to on it."""
    data = {"id": name, "goal": title, "planned_calls": list(steps), **more}
    simulated = {**data, "planned_calls": [with_results(step) for step in data["planned_calls"]]}
    reached = simulate(Machine(to_machine(loop)), simulated)
    return Fixture(
        name,
        title,
        None,
        False,
        data,
        simulated,
        more.get("budgets", {}),
        reached.ending,
        reached.files,
        reached.events,
    )


def tool_loop(
    *rows: Row,
    tools: tuple[Tool, ...] = (READ, WRITE, GREEN, RED),
    meters: tuple[Any, ...] = METERS,
    budgets: tuple[Budget, ...] = BUDGETS,
    workspace: Workspace | None = WORKSPACE,
    plan_ends: Any = "stop",
) -> Loop:
    """A loop with real tools, by default that of the second lab."""
    return Loop(budgets, meters, tools, workspace, plan_ends, ErrorText(80, "tool_error"), TAXONOMY, rows or TABLE)


def lab_of(loop: Loop, fixtures: tuple[Fixture, ...] = FIXTURES, *, traced: bool = True) -> Lab:
    """A lab around a loop; its fixtures matter only to those who run them."""
    names = tuple(fixture.id for fixture in fixtures)
    kinds: tuple[str, ...] = ("exit", "exit_code", "one_line", "fields", "workspace", "inside")
    kinds += ("trace", "closing", "use", "report") if traced else ()
    gate = Gate("runs", 100, "Every run ends as the table says", tuple(Check(kind, names) for kind in kinds))
    return first_lab()._replace(
        id="tool-lab",
        traced=traced,
        machine=to_machine(loop),
        fixtures=fixtures,
        mistakes=(),
        exercises=(),
        rubric=() if fixtures is FIXTURES else (gate,),
        starter=Starter("todo", "given", "todo", "todo"),
        **loop._asdict(),
    )


def second_lab(**changes: Any) -> Lab:
    """A small loop-budget lab: three fixtures, a workspace and a trace."""
    loop = tool_loop()
    links = {"workspace": {"files": {"fixtures/notes.txt": None}, "links": {"fixtures/link": "../secret.txt"}}}
    fixtures = (
        tool_fixture(loop, "happy_path", "Read, repair, test, stop", HAPPY),
        tool_fixture(loop, "runaway", "Write and write", RUNAWAY, budgets={"tool_calls": 3}),
        tool_fixture(loop, "escape", "Out of the workspace", ESCAPE, **links),
    )
    zero = (Zero("missing"), Zero("hangs"), Zero("changed"), Zero("wrote_outside"))
    lab = lab_of(loop, fixtures)._replace(zero_if=zero)
    return lab._replace(rubric=(lab.rubric[0]._replace(zero_if=zero[:2]),))._replace(**changes)


def stretched_lab() -> Lab:
    """The second lab with a stretch goal, and something that a person grades."""
    table = (*TABLE[:7], refuse_row(8, "diff_too_long", "call.lines > 2"), TABLE[7]._replace(number=9))
    loop = tool_loop(*table)
    steps = (call_of("write_file", file="fixtures/new.txt", contents="1\n2\n3\n"), STOP)
    fixture = tool_fixture(loop, "long_diff", "A write of three lines", steps)
    machine = to_machine(loop)
    goal = Goal(
        "diff_cap", "Diff cap", "Refuse long writes.", 10, loop, machine, (fixture,), (Check("exit", ("long_diff",)),)
    )
    stretch = Stretch(10, 1, ("runs",), (goal,), loop, machine)
    return second_lab(stretch=stretch, manual=(ManualItem("notes", 5, "What you would cut from the goal"),))
