"""Fixtures of a small lab with a workspace and a trace, and what must come of them."""

from __future__ import annotations

import contextlib
import io
import json
from itertools import count
from typing import TYPE_CHECKING, Any

from labspec.contract import Bench, Expected, Observation, Problem
from labspec.contract.sandbox import build_sandbox
from labspec.contract.setting import Setting

from . import traced_runner

if TYPE_CHECKING:
    from pathlib import Path

BASE = {"fixtures/app.js": "// app\n", "fixtures-evil/keep.js": "// keep\n", "check.mjs": "// check\n"}
STOP = {"type": "stop", "reason": "tests_green"}
ROOTS = ("fixtures",)


def write(file: str, contents: str = "new\n") -> dict[str, Any]:
    """A step that writes a file."""
    return {"type": "tool", "name": "write_file", "args": {"file": file, "contents": contents}}


PLANS: dict[str, dict[str, Any]] = {
    "happy": {"planned_calls": [write("fixtures/app.js"), write("fixtures/b.js"), STOP]},
    "too_many": {"planned_calls": [write("fixtures/app.js")] * 3},
    "up": {"planned_calls": [write("../.env"), STOP]},
    "round_about": {"planned_calls": [write("fixtures/../../.env"), STOP]},
    "twin": {"planned_calls": [write("fixtures-evil/keep.js"), STOP]},
    "link": {
        "planned_calls": [write("fixtures/out"), STOP],
        "workspace": {"links": {"fixtures/out": "../../.env"}},
    },
    "dangling": {
        "planned_calls": [write("fixtures/out"), STOP],
        "workspace": {"links": {"fixtures/out": "../created.txt"}},
    },
    "root_is_a_link": {
        "planned_calls": [write("fixtures/app.js"), STOP],
        "workspace": {"files": {"fixtures/app.js": None, "real/app.js": "// real\n"}, "links": {"fixtures": "real"}},
    },
    "odd_names": {"planned_calls": [write("fixtures/a b.js"), write("fixtures/\u00e9.js"), STOP]},
}

ESCAPES = ("up", "round_about", "twin", "link", "dangling")


def steps(*results: str | None) -> tuple[tuple[str, int, str | None, str | None], ...]:
    """The events of calls with these errors, None for those that went well, and of a last turn without a call."""
    events: list[tuple[str, int, str | None, str | None]] = []
    for turn, error in enumerate(results, start=1):
        events += [("turn", turn, None, None), ("tool", turn, "write_file", None)]
        events.append(("tool_error" if error else "tool_result", turn, "write_file", error))
    return (*events, ("turn", len(results) + 1, None, None))


def expected(
    calls: int, error: str | None = None, reason: str = "tests_green", files: dict[str, str | None] | None = None
) -> Expected:
    """What is expected of so many calls that end alike, and of a last turn. `files` differ from the base."""
    kind = "stop" if reason == "tests_green" else "budget"
    turns = calls + 1
    return Expected(
        reason,
        turns,
        ("write_file",) * calls,
        error,
        0 if kind == "stop" else 2,
        f"row `{reason}`",
        trace=steps(*[error] * calls),
        closing=(kind, reason),
        budgets=traced_runner.BUDGETS,
        used={"turns": turns, "tool_calls": calls},
        report=(f"turns: {turns} of 4", f"tool calls: {calls} of 2", f"ended: {kind} ({reason})"),
        files={**BASE, **(files or {})},
    )


EXPECTED: dict[str, Expected] = {
    "happy": expected(2, files={"fixtures/app.js": "new\n", "fixtures/b.js": "new\n"}),
    "too_many": expected(2, reason="budget:tool_calls", files={"fixtures/app.js": "new\n"}),
    **{name: expected(1, "path_escape") for name in ESCAPES},
    "root_is_a_link": expected(1, files={"fixtures/app.js": None, "real/app.js": "new\n"}),
    "odd_names": expected(2, files={"fixtures/a b.js": "new\n", "fixtures/\u00e9.js": "new\n"}),
}


def write_repository(root: Path) -> Path:
    """Write the fixtures and the workspace of the lab."""
    for path, text in BASE.items():
        (root / "workspace" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "workspace" / path).write_text(text, encoding="utf-8", newline="\n")
    (root / "fixtures").mkdir()
    for name, plan in PLANS.items():
        (root / "fixtures" / f"{name}.json").write_text(json.dumps({"id": name, **plan}), encoding="utf-8")
    return root


def setting_of(root: Path) -> Setting:
    """The setting of the lab in a repository."""
    return Setting(traced=True, workspace=root / "workspace", roots=ROOTS)


class InProcess:
    """Runs the traced runner in this process, each fixture once, in sandboxes below `folder`."""

    def __init__(self, root: Path, folder: Path, slip: str) -> None:
        self.root = root
        self.folder = folder
        self.slip = slip
        self.numbers = count(1)
        self.seen: dict[str, Observation] = {}

    def bench(self) -> Bench:
        """A bench that uses it."""
        return Bench(lambda fixture_id, _run_id, _earlier: self.run(fixture_id), self.report)

    def run(self, fixture_id: str) -> Observation:
        """What a run of a fixture leaves."""
        if fixture_id not in self.seen:
            self.seen[fixture_id] = self.run_anew(fixture_id, self.folder / str(next(self.numbers)))
        return self.seen[fixture_id]

    def run_anew(self, fixture_id: str, folder: Path) -> Observation:
        folder.mkdir()
        changes = PLANS[fixture_id].get("workspace", {})
        sandbox = build_sandbox(folder / "sandbox", self.root / "workspace", changes, ROOTS)
        ledger, trace = folder / "ledger.jsonl", folder / "trace.json"
        places = ["--ledger", str(ledger), "--trace", str(trace), "--workspace", str(sandbox.workspace)]
        fixture = str(self.root / "fixtures" / f"{fixture_id}.json")
        code = traced_runner.main(["--slip", self.slip, "run", fixture, "--run-id", "run-1", *places])
        remains = sandbox.look()
        assert not isinstance(remains, Problem)
        return Observation(
            code,
            ledger.read_bytes(),
            trace=trace.read_bytes() if trace.exists() else None,
            files=remains.files,
            outside=remains.outside,
        )

    def report(self, trace: bytes) -> Observation:
        """What the runner reports of a trace."""
        file = self.folder / "reported.json"
        file.write_bytes(trace)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            code = traced_runner.main(["--slip", self.slip, "report", str(file)])
        return Observation(code, None, stdout=printed.getvalue())
