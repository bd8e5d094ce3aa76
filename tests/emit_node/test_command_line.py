"""The given command line: what it leaves, how it ends, and what it makes of any implementation of the loop."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from labspec.contract import exit_signature

from ..emit.tool_labs import second_lab
from .played import STARTER, built, node

if TYPE_CHECKING:
    from pathlib import Path

LOOP = "tool-lab.mjs"


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solution in a path with spaces, which no test changes."""
    return built(second_lab(), tmp_path_factory.mktemp("a place with é") / "a lab")


@pytest.fixture
def own(solution: Path, tmp_path: Path) -> Path:
    """A copy of the solution, to be changed."""
    return shutil.copytree(solution, tmp_path / "own lab")


def run(folder: Path, fixture: str = "happy_path", *words: str, **more: Any) -> tuple[int, str]:
    """Run a fixture; the exit code, and what was said."""
    done = node("lab.mjs", "run", f"fixtures/{fixture}.json", *words, cwd=folder, **more)
    return done.returncode, done.stdout + done.stderr


def record(ledger: Path) -> dict[str, Any]:
    """The last record of a ledger."""
    found: dict[str, Any] = json.loads(ledger.read_text("utf-8").splitlines()[-1])
    return found


@pytest.mark.parametrize(
    ("fixture", "code", "reason"),
    [("happy_path", 0, "tests_green"), ("runaway", 2, "budget:tool_calls"), ("escape", 1, "stopped_red")],
)
def test_run_leaves_a_sorted_line_and_ends_with_the_code_of_its_reason(
    solution: Path, tmp_path: Path, fixture: str, code: int, reason: str
) -> None:
    ledger, trace = tmp_path / "new" / "exits.jsonl", tmp_path / "other" / "trace.json"
    words = ("--ledger", str(ledger), "--trace", str(trace), "--run-id", "run 0043 c")
    assert run(solution, fixture, *words)[0] == code
    line = record(ledger)
    assert list(line) == sorted(line)
    assert (line["run_id"], line["fixture_id"], line["reason"]) == ("run 0043 c", fixture, reason)
    assert json.loads(trace.read_text("utf-8"))[-1]["reason"] == reason
    assert not [*tmp_path.rglob("*.tmp"), *solution.rglob("*.tmp")]


def test_two_runs_leave_the_same_bytes_from_any_folder(solution: Path, tmp_path: Path) -> None:
    traces = []
    for number, folder in enumerate((tmp_path, solution)):
        words = ("--ledger", str(tmp_path / "l"), "--trace", str(tmp_path / f"{number}.json"), "--run-id", "r")
        node(str(solution / "lab.mjs"), "run", str(solution / "fixtures/escape.json"), *words, cwd=folder)
        traces.append((tmp_path / f"{number}.json").read_bytes())
    first, second = (tmp_path / "l").read_text("utf-8").splitlines()
    assert first == second
    assert traces[0] == traces[1]


def test_workspace_of_the_repository_stays_as_it_is(solution: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in solution.rglob("*") if path.is_file()}
    run(solution, "happy_path", "--ledger", str(tmp_path / "l"))
    assert {path: path.read_bytes() for path in solution.rglob("*") if path.is_file()} == before


def test_given_workspace_is_where_the_tools_work(solution: Path, tmp_path: Path) -> None:
    shutil.copytree(solution / "workspace", tmp_path / "prepared")
    run(solution, "happy_path", "--workspace", str(tmp_path / "prepared"), "--ledger", str(tmp_path / "l"))
    assert (tmp_path / "prepared" / "fixtures" / "app.txt").read_text("utf-8") == "hi\n"


def test_loop_alone_runs_the_first_fixture_also_through_a_link(solution: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.mjs"
    link.symlink_to(solution / LOOP)
    (tmp_path / "folder").symlink_to(solution, target_is_directory=True)
    for program in (solution / LOOP, link, tmp_path / "folder" / LOOP):
        done = node(str(program), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "tests_green: 4 turns, 3 tool calls; see trace.json\n"
        events = json.loads((tmp_path / "trace.json").read_text("utf-8"))
        assert [event["type"] for event in events].count("tool") == 3
        (tmp_path / "trace.json").unlink()


def test_command_line_works_through_a_link(solution: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.mjs"
    link.symlink_to(solution / "lab.mjs")
    done = node(str(link), "run", str(solution / "fixtures/happy_path.json"), "--ledger", "l", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert record(tmp_path / "l")["reason"] == "tests_green"


def test_torn_last_line_of_a_ledger_keeps_its_place(solution: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "l"
    ledger.write_bytes(b'{"run_id": "kil')
    run(solution, "happy_path", "--ledger", str(ledger))
    torn, line, rest = ledger.read_bytes().split(b"\n")
    assert (torn, rest) == (b'{"run_id": "kil', b"")
    assert json.loads(line)["reason"] == "tests_green"


def test_signatures_are_those_of_the_contract(solution: Path, tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"run_id": "é", "fixture_id": "f", "reason": "a", "turns": 3, "tool_names": ["x\x7f", "\U0001f600"]},
        {"last_error": None, "reason": "b\n", "turns": 0, "tool_names": []},
        {},
    ]
    ledger = tmp_path / "l"
    ledger.write_text("\n".join(json.dumps(each, ensure_ascii=False) for each in records), "utf-8")
    done = node("lab.mjs", "signature", str(ledger), cwd=solution)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == [exit_signature(each) for each in records]
    assert lines[0][1:] == ['"\\u00e9"', '"f"']


def test_fixtures_are_listed(solution: Path) -> None:
    done = node("lab.mjs", "fixtures", cwd=solution)
    assert done.stdout.splitlines() == [
        "fixtures/escape.json (3 steps)",
        "fixtures/happy_path.json (4 steps)",
        "fixtures/runaway.json (7 steps)",
    ]


# --- the fuel report ---


@pytest.mark.parametrize("words", [["report.mjs"], ["lab.mjs", "report"]])
def test_report_tells_the_fuel_of_a_trace(solution: Path, tmp_path: Path, words: list[str]) -> None:
    trace = tmp_path / "t.json"
    run(solution, "runaway", "--ledger", str(tmp_path / "l"), "--trace", str(trace))
    done = node(*words, str(trace), cwd=solution)
    assert done.stdout.splitlines() == [
        "turns: 4 of 8",
        "tool calls: 3 of 3",
        "write bytes: 3 of 12",
        "ended: budget (budget:tool_calls)",
    ]
    assert done.returncode == 0


@pytest.mark.parametrize("events", [[], [{"type": "turn"}], [None], [{"type": "stop"}, 7]])
def test_report_of_a_trace_that_is_not_closed_says_so(solution: Path, tmp_path: Path, events: list[Any]) -> None:
    (tmp_path / "t.json").write_text(json.dumps(events), "utf-8")
    done = node("lab.mjs", "report", str(tmp_path / "t.json"), cwd=solution)
    assert (done.returncode, done.stdout) == (1, "ended: no closing event\n")


# --- wrong use ---


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "this is no command"),
        (["walk"], "this is no command"),
        (["constructor"], "this is no command"),
        (["run"], "usage:"),
        (["run", "a", "b"], "usage:"),
        (["run", "fixtures/happy_path.json", "--ledgr", "l"], "Unknown option"),
        (["run", "nowhere.json"], "the fixture cannot be read"),
        (["run", "README.md"], "the fixture is not JSON"),
        (["run", "list.json"], "a fixture is a JSON object"),
        (["run", "empty.json"], 'needs a text "id" and a list "planned_calls"'),
        (["run", "unknown_budget.json"], "there is no budget fuel"),
        (["run", "no_number.json"], "the budget turns is no whole number"),
        (["run", "negative.json"], "the budget turns is no whole number"),
        (["run", "fixtures/happy_path.json", "--workspace", "nowhere"], "there is no workspace"),
        (["report", "nowhere.json"], "the trace cannot be read"),
        (["report", "empty.json"], "a trace is a list"),
        (["signature", "nowhere.jsonl"], "the ledger cannot be read"),
        (["signature", "list.json"], "is not a JSON object"),
    ],
)
def test_wrong_use_is_told_apart_from_a_crash(own: Path, words: list[str], sentence: str) -> None:
    fixture: dict[str, Any] = {"id": "f", "planned_calls": []}
    files = {
        "list": [],
        "empty": {},
        "unknown_budget": {**fixture, "budgets": {"fuel": 1}},
        "no_number": {**fixture, "budgets": {"turns": "1"}},
        "negative": {**fixture, "budgets": {"turns": -1}},
    }
    for name, content in files.items():
        (own / f"{name}.json").write_text(json.dumps(content), "utf-8")
    done = node("lab.mjs", *words, cwd=own)
    assert done.returncode == 64, done.stderr
    assert sentence in done.stderr
    assert not (own / "artifacts").exists()


def test_help_is_no_error(solution: Path) -> None:
    done = node("lab.mjs", "--help", cwd=solution)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--workspace" in done.stdout


# --- any implementation ---

HEAD = """
export const DEFAULT_BUDGET = { maxTurns: 8, maxToolCalls: 4, maxWriteBytes: 12 };
export const createTracer = () => {
  const events = [];
  const dump = async (file) => (await import("node:fs")).writeFileSync(file, JSON.stringify(events));
  return { events, push: (event) => events.push(event), dump };
};
export const scriptedModel = () => ({});
"""


def foreign(own: Path, body: str, head: str = HEAD) -> tuple[int, str]:
    """Put another implementation in the place of the loop, and run a fixture."""
    (own / LOOP).write_text(f"{head}\nexport async function runLoop({{ tracer, budget }}) {{\n{body}\n}}\n", "utf-8")
    return run(own, "runaway", "--trace", "trace.json")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("throw new TypeError('x is not a function')", "it crashed: x is not a function"),
        ("null.x", "Cannot read properties of null"),
        ("throw 'a b'", "it crashed: a b was thrown"),
        ("throw undefined", "it crashed: undefined was thrown"),
        ("tracer.push({type: 'error', reason: 'crash'}); throw new Error('boom')", "it crashed: boom"),
        ("return undefined", "it crashed: the run ended without a reason"),
        ("return {ok: true, reason: 7}", "it crashed: the run ended without a reason"),
        ("process.exit(0)", "the process ended before the loop did"),
        ("process.exitCode = 0; await new Promise(() => {})", "the process ended before the loop did"),
        ("setTimeout(() => { throw new Error('later') }); await new Promise(() => {})", "later"),
        ("Promise.reject(new Error('unseen')); await new Promise(() => {})", "unseen"),
    ],
)
def test_crash_of_the_loop_is_no_exit_of_the_table(own: Path, body: str, sentence: str) -> None:
    code, said = foreign(own, body)
    assert code == 70
    assert sentence in said
    assert not (own / "artifacts" / "exits.jsonl").exists()


@pytest.mark.parametrize("source", ["export const x = 1;", "export function (", "throw new Error('at import');"])
def test_file_without_a_loop_is_a_crash(own: Path, source: str) -> None:
    (own / LOOP).write_text(source, "utf-8")
    code, said = run(own)
    assert code == 70
    assert "it crashed" in said


def test_what_shows_the_line_of_a_syntax_error_is_named_and_shows_it(own: Path) -> None:
    """Node tells the line of a module that cannot be loaded only to itself."""
    (own / LOOP).write_text("export async function runLoop() {\n  while (true {}\n}\n", "utf-8")
    _, said = run(own)
    assert f'"node --check ./{LOOP}" shows the line' in said
    assert f"{LOOP}:2" in node("--check", f"./{LOOP}", cwd=own).stderr
    (own / LOOP).write_text("export async function runLoop() {\n  JSON.parse('{');\n}\n", "utf-8")
    _, said = run(own)
    assert "it crashed" in said
    assert "--check" not in said


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        ("tracer.push({type: 'stop', reason: 'tests_green'}); return {ok: true}", 0, "tests_green"),
        ("return {ok: true, reason: 'tests_green'}", 0, "tests_green"),
        ("throw Object.assign(new Error('budget:turns'), {code: 'BUDGET'})", 2, "budget:turns"),
        ("throw Object.assign(new Error('stopped_red'), {code: 'ERROR'})", 1, "stopped_red"),
        # The code was dropped, so the process does not end as a budget's death does.
        ("throw new Error('budget:turns')", 1, "budget:turns"),
        # Reasons that are not in the taxonomy are recorded: the tests say what is wrong with them.
        ("throw new Error('protocol:no_such_reason')", 1, "protocol:no_such_reason"),
        ("tracer.push({type: 'stop', reason: 'that is all'}); return {ok: true}", 0, "that is all"),
        # The event and the error disagree: the reason is the event's, the exit code the error's.
        (
            "tracer.push({type: 'stop', reason: 'tests_green'});"
            "throw Object.assign(new Error('budget:turns'), {code: 'BUDGET'})",
            2,
            "tests_green",
        ),
    ],
)
def test_reason_and_exit_code_come_from_what_any_loop_leaves(own: Path, body: str, code: int, reason: str) -> None:
    assert foreign(own, body)[0] == code
    assert record(own / "artifacts" / "exits.jsonl")["reason"] == reason


def test_record_is_made_from_the_events_that_any_loop_leaves(own: Path) -> None:
    foreign(
        own,
        """
  tracer.push({ type: "turn" });
  tracer.push({ type: "tool", name: "write_file" });
  tracer.push({ type: "tool_error", error: "first" });
  tracer.push({ type: "tool_error", error: "last" });
  throw Object.assign(new Error("stopped_red"), { code: "ERROR" });
""",
    )
    assert record(own / "artifacts" / "exits.jsonl") == {
        "fixture_id": "runaway",
        "last_error": "last",
        "reason": "stopped_red",
        "run_id": "run-001",
        "stopped_on_turn": 1,
        "tool_names": ["write_file"],
        "turns": 1,
    }
    assert len(json.loads((own / "trace.json").read_text("utf-8"))) == 4


def test_loop_may_resolve_its_roots_when_it_is_loaded(own: Path) -> None:
    code, said = foreign(own, "return { reason: await where };", HEAD + "const where = process.cwd();")
    assert code == 0, said
    assert record(own / "artifacts" / "exits.jsonl")["reason"].endswith("workspace")


def test_fixture_changes_the_budget_that_the_loop_has(own: Path) -> None:
    foreign(own, "return { reason: JSON.stringify(budget) };")
    reason = record(own / "artifacts" / "exits.jsonl")["reason"]
    assert json.loads(reason) == {"maxTurns": 8, "maxToolCalls": 3, "maxWriteBytes": 12}


def test_timer_that_is_left_behind_does_not_keep_the_process(own: Path) -> None:
    assert foreign(own, "setInterval(() => {}, 1000); return { reason: 'tests_green' };")[0] == 0


# --- the loop itself ---


@pytest.mark.parametrize("limit", ["NaN", "-1", "1.5", "Infinity", "null", "undefined", '"3"'])
def test_limit_that_is_no_whole_number_is_refused(solution: Path, limit: str) -> None:
    script = f"""
const {{ runLoop, scriptedModel }} = await import("./{LOOP}");
const model = scriptedModel([]);
await runLoop({{ goal: "", model, budget: {{ maxTurns: {limit} }} }}).catch((error) => console.log(error.message));
"""
    done = node("--input-type=module", "-e", script, cwd=solution)
    assert "the limit of turns is no whole number" in done.stdout, done.stderr


def test_error_of_the_model_closes_the_trace(solution: Path) -> None:
    script = f"""
const {{ createTracer, runLoop }} = await import("./{LOOP}");
const tracer = createTracer();
const model = {{ decide() {{ throw new Error("no network"); }} }};
await runLoop({{ goal: "", model, tracer }}).catch((error) => console.log(error.message));
console.log(JSON.stringify(tracer.events.at(-1)));
"""
    done = node("--input-type=module", "-e", script, cwd=solution)
    message, event = done.stdout.splitlines()
    assert message == "no network"
    assert json.loads(event) == {
        "seq": 2,
        "type": "error",
        "turn": 1,
        "reason": "crash",
        "budgets": {"turns": 8, "tool_calls": 4, "write_bytes": 12},
        "used": {"turns": 1, "tool_calls": 0, "write_bytes": 0},
    }


def test_model_sees_the_goal_the_turn_and_what_came_of_the_last_step(solution: Path) -> None:
    script = f"""
const {{ runLoop }} = await import("./{LOOP}");
const decide = (seen) => {{
  console.log(JSON.stringify(seen));
  return seen.turn === 1 ? {{ type: "tool", name: "nothing" }} : {{ type: "stop" }};
}};
await runLoop({{ goal: "g", model: {{ decide }} }}).catch(() => {{}});
"""
    done = node("--input-type=module", "-e", script, cwd=solution)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"turn": 1, "goal": "g"},
        {
            "turn": 2,
            "goal": "g",
            "last": {"seq": 2, "type": "tool_error", "turn": 1, "name": "nothing", "error": "unknown_tool"},
        },
    ]


# --- whole repositories ---


def points(folder: Path) -> tuple[dict[str, Any], str]:
    """What the tests of a repository say of it."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    report = folder / "points.json"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env=variables | {"LAB_REPORT": str(report)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    data: dict[str, Any] = json.loads(report.read_text("utf-8"))
    return data, done.stdout


def test_solution_earns_all_points_and_passes_its_own_tests(own: Path) -> None:
    assert node("--version", cwd=own).returncode == 0  # or skipped: without Node nothing earns a point
    earned, output = points(own)
    assert earned["earned"] == earned["points"] == 100, output
    done = node("--test", "--test-reporter=tap", "tool-lab.test.mjs", cwd=own)
    assert "# pass 3" in done.stdout, done.stdout
    package = json.loads((own / "package.json").read_text("utf-8"))
    assert package["scripts"] == {"start": "node tool-lab.mjs", "test": "node --test tool-lab.test.mjs"}


def test_untouched_starter_earns_nothing_and_says_what_to_do(tmp_path: Path) -> None:
    folder = built(second_lab(), tmp_path / "lab", STARTER)
    assert node("--version", cwd=folder).returncode == 0  # or skipped: without Node the starter would not say this
    earned, output = points(folder)
    assert earned["earned"] == 0
    assert "runLoop is not written yet: open tool-lab.mjs" in output
    done = node("report.mjs", cwd=folder)
    assert done.returncode == 64
    (folder / "trace.json").write_text("[]", "utf-8")
    assert "fuelReport is not written yet: open report.mjs" in node("report.mjs", cwd=folder).stderr
