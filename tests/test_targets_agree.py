"""The explorer, the reference runner and the solutions in both languages come to the same end, and come to it twice.

The lab is the shipped `loop-budget` with all its stretch goals, on a workspace that both languages can judge. Random
plans are run by the command lines that students run, many in one process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import strategies as st

from labspec.emit import Edition, plan, render, write
from labspec.lab.model import Command, Loop, Workspace
from labspec.machine.build import to_machine
from labspec.pipeline import load
from labspec.prove.subjects import lone_runner

from .emit.test_tools import CHANGES, steps_of
from .emit.tool_labs import FILES, STOP, call_of
from .emit_node.played import node
from .emit_node.test_agreement import collected
from .explorer_verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labspec.lab.model import Lab
    from labspec.machine.simulation import SimulatedTools

SPEC = Path(__file__).parents[1] / "specs" / "loop-budget.yaml"
PLANS = 310
NODE_DRIVER = Path(__file__).with_name("drive_commands.mjs")
PYTHON_DRIVER = """
import contextlib, importlib, io, json, sys
sys.path[0] = sys.argv[1]
program = importlib.import_module(sys.argv[2])
with contextlib.redirect_stdout(io.StringIO()):
    codes = [program.main(words) for words in json.load(sys.stdin)]
print(json.dumps(codes))
"""
MODULES = {"python": "lab", "reference": "runner"}

GREEN = "x\n"
"""What `fixtures/app.txt` has to hold for the tests to be green; the random writes contain it."""
CHECKS = {
    "check.mjs": 'import fs from "node:fs";\n'
    f'process.exitCode = fs.readFileSync("fixtures/app.txt", "utf8") === {json.dumps(GREEN)} ? 0 : 1;\n',
    "check.py": f'raise SystemExit(open("fixtures/app.txt", encoding="utf-8").read() != {GREEN!r})\n',
}
COMMANDS = {"node": ("node", "check.mjs"), "python": ("python", "-I", "-S", "check.py")}

REPAIR = call_of("write_file", file="fixtures/app.txt", contents=GREEN)
TESTS = call_of("run_tests")
ESCAPE = call_of("write_file", file="../.env", contents="TOKEN=1\n")
LONG_WAYS = ([ESCAPE] * 4, [TESTS] * 4, [REPAIR] * 20, [ESCAPE, TESTS, ESCAPE, REPAIR, TESTS, STOP])
"""Plans that chance would hardly draw."""
LIMITS: list[dict[str, int]] = [
    {},
    {"turns": 3},
    {"turns": 0},
    {"tool_calls": 3},
    {"tool_calls": 0},
    {"write_bytes": 1},
    {"write_bytes": 5},
    {"write_bytes": 0},
    {"turns": 100, "tool_calls": 100, "write_bytes": 100},
]


class Left(NamedTuple):
    """What one run left: its exit code, the bytes of its ledger and of its trace."""

    exit_code: int
    ledger: bytes
    trace: bytes

    def seen(self) -> dict[str, Any]:
        """What has to be the same in every language."""
        record, closing = json.loads(self.ledger), json.loads(self.trace)[-1]
        names = ("reason", "turns", "stopped_on_turn", "tool_names", "last_error")
        use = {name: closing[name] for name in ("type", "reason", "budgets", "used")}
        return {**{name: record[name] for name in names}, "closing": use, "exit_code": self.exit_code}

    def events(self) -> list[dict[str, Any]]:
        """The events of the trace, without what only the given command line of Node reads."""
        return [{key: event[key] for key in event if key != "last_error"} for event in json.loads(self.trace)]


def both_can_judge(lab: Lab, target: Any) -> Lab:
    """The lab as its solution solves it, for a target, with a workspace and tests that are the same for all."""
    lab = lab.solved()
    command = Command(COMMANDS[target], 10, "test_failed")
    tools = tuple(tool._replace(command=command) if tool.kind == "command" else tool for tool in lab.tools)
    workspace = Workspace(("fixtures",), (*FILES, *CHECKS.items()))
    parts = {name: getattr(lab, name) for name in Loop._fields}
    loop = Loop(**{**parts, "tools": tools, "workspace": workspace})
    return lab._replace(target=target, stretch=None, machine=to_machine(loop), **loop._asdict())


@pytest.fixture(scope="module")
def loop_budget() -> Lab:
    """The shipped lab."""
    lab = load(SPEC).lab
    assert lab is not None
    return lab


@pytest.fixture(scope="module")
def solutions(loop_budget: Lab, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of the solution for each target."""
    folder = tmp_path_factory.mktemp("solutions")
    return {
        target: write(render(plan(both_can_judge(loop_budget, target), Edition(solution=True))), folder / target).target
        for target in COMMANDS
    }


def is_green(tools: SimulatedTools) -> bool:
    """What the tests of the workspace come to."""
    return tools.after().get("fixtures/app.txt") == GREEN


def random_fixtures(lab: Lab) -> list[dict[str, Any]]:
    """Random plans, the same every time. Few of them run commands, because each costs a process."""
    steps = steps_of(both_can_judge(lab, "python"))
    without = steps.filter(lambda step: step != TESTS)
    quiet = [st.lists(without, min_size=longest // 2, max_size=longest) for longest in range(2, 16)]
    repaired = st.builds(lambda before, after: [*before, REPAIR, TESTS, *after, STOP], quiet[0], quiet[4])
    drawn = st.tuples(st.one_of(*quiet, repaired), st.sampled_from(LIMITS))
    return [
        {"id": f"plan_{number}", "planned_calls": steps, "budgets": budgets, "workspace": CHANGES}
        for number, (steps, budgets) in enumerate([*((steps, {}) for steps in LONG_WAYS), *collected(PLANS, drawn)])
    ]


def exit_codes(target: str, solution: Path, jobs: Sequence[Sequence[str]]) -> list[int]:
    """Run command lines of a solution, all in one process; the exit code of each."""
    data = json.dumps(jobs)
    if target == "node":
        done = node(str(NODE_DRIVER), str(solution), cwd=solution.parent, input=data)
    else:
        words = [sys.executable, "-B", "-c", PYTHON_DRIVER, str(solution), MODULES[target]]
        done = subprocess.run(
            words, cwd=solution.parent, input=data, capture_output=True, encoding="utf-8", timeout=120, check=False
        )
    assert done.returncode == 0, done.stderr
    codes: list[int] = json.loads(done.stdout)
    return codes


def runs(target: str, solution: Path, fixtures: Sequence[dict[str, Any]], folder: Path) -> list[Left]:
    """What a run of each fixture leaves."""
    folder.mkdir()
    jobs = []
    for fixture in fixtures:
        name = fixture["id"]
        (folder / f"{name}.fixture").write_text(json.dumps(fixture), "ascii")
        places = ("--ledger", str(folder / f"{name}.jsonl"), "--trace", str(folder / f"{name}.json"))
        jobs.append(("run", str(folder / f"{name}.fixture"), *places, "--run-id", "run-001"))
    codes = exit_codes(target, solution, jobs)
    return [
        Left(code, (folder / f"{name}.jsonl").read_bytes(), (folder / f"{name}.json").read_bytes())
        for code, name in zip(codes, (fixture["id"] for fixture in fixtures), strict=True)
    ]


@pytest.fixture(scope="module")
def reference(loop_budget: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the reference runner, alone beside its machine."""
    folder = tmp_path_factory.mktemp("reference") / "runner"
    lone_runner(both_can_judge(loop_budget, "python").machine, folder)
    return folder


def test_random_plans_end_alike_for_explorer_reference_and_both_solutions_and_alike_each_time(
    loop_budget: Lab, solutions: dict[str, Path], reference: Path, tmp_path: Path
) -> None:
    fixtures = random_fixtures(loop_budget)
    assert len(fixtures) >= 300
    left: dict[str, list[Left]] = {}
    for target, solution in {**solutions, "reference": reference}.items():
        left[target] = runs(target, solution, fixtures, tmp_path / target)
        again = runs(target, solution, fixtures, tmp_path / f"{target} again")
        for fixture, first, second in zip(fixtures, left[target], again, strict=True):
            assert first == second, (target, fixture)
    for fixture, ours, theirs in zip(fixtures, left["python"], left["node"], strict=True):
        assert ours.seen() == theirs.seen(), fixture
        assert ours.events() == theirs.events(), fixture
    machine = both_can_judge(loop_budget, "python").machine
    for fixture, ours, theirs in zip(fixtures, left["python"], left["reference"], strict=True):
        assert ours.seen() == theirs.seen() == verdict(machine, fixture, is_green), fixture
    ends = Counter(one.seen()["reason"] for one in left["python"])
    assert set(ends) == {reason.name for reason in loop_budget.solved().taxonomy}, "every end was reached"


@pytest.mark.parametrize("spec", sorted(SPEC.parent.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_explorer_ends_every_fixture_as_the_reference_does(spec: Path) -> None:
    lab = load(spec).lab
    assert lab is not None
    for fixture in lab.fixtures:
        expected = verdict(lab.machine, fixture.simulated)
        ending = fixture.ending
        seen = (
            *(expected[name] for name in ("reason", "turns")),
            tuple(expected["tool_names"]),
            expected["last_error"],
        )
        assert (*seen, expected["stopped_on_turn"], expected["exit_code"]) == ending.seen(), fixture.id
        assert expected["closing"]["used"] == ending.used, fixture.id
