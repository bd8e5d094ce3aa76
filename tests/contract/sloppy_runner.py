"""A small runner of the exit ledger lab that can be told to make one slip.

`python sloppy_runner.py [--slip NAME] run FIXTURE --ledger LEDGER --run-id ID`
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_CODES = {"completed": 0, "retry_exhausted": 2, "turn_cap": 2, "schema_mismatch": 1, "tool_error": 1}


@dataclass
class Loop:
    """The state of one run: it is over when `reason` is set."""

    fixture: dict[str, Any]
    slip: str
    turns: int = 0
    failures: int = 0
    names: list[str] = field(default_factory=list)
    error: str | None = None
    reason: str | None = None

    def run(self) -> None:
        """Go on until the decision table says why to stop."""
        while self.reason is None:
            self.ask()

    def ask(self) -> None:
        """One turn, unless the turns or the plan are used up."""
        plan = self.fixture["planned_calls"]
        if self.turns == len(plan):
            self.reason = "tool_error" if self.failures else "turn_cap"
            if self.slip == "ended plan reported as completed":
                self.reason = "completed"
        elif self.turns >= self.turn_cap():
            self.reason = "turn_cap"
        else:
            self.turns += 1
            self.call(plan[self.turns - 1])

    def call(self, step: dict[str, Any]) -> None:
        """Run the tool, if the decision names one."""
        name = step.get("name")
        if not isinstance(name, str) or not name:
            self.reason, self.error = "schema_mismatch", "missing tool name"
            if self.slip == "names dropped on schema_mismatch":
                self.names = []
            return
        self.names.append(name)
        final = step["final"]
        if step["ok"] or (final and self.slip == "final honoured on a failed call"):
            self.succeed(final=final)
        else:
            self.fail(step.get("error"))

    def succeed(self, *, final: bool) -> None:
        """The tool answered."""
        if self.slip == "retries reset by a success":
            self.failures = 0
        if final:
            self.reason, self.error = "completed", None

    def fail(self, text: object) -> None:
        """The tool failed."""
        self.failures += 1
        self.error = self.clean(text)
        if self.failures > self.fixture.get("budgets", {}).get("retries", 1):
            self.reason = "retry_exhausted"

    def clean(self, text: object) -> str:
        """The text if it may stand in a record, or the code that stands for any other."""
        if not isinstance(text, str):
            return "tool_error"
        if self.slip in ("error text as it came", "wrong last_error"):
            return text if self.slip == "error text as it came" else "error"
        return text if text and len(text) <= 80 and text.isprintable() else "tool_error"

    def turn_cap(self) -> int:
        """How many turns there are."""
        caps = {"cap off by one": 5, "cap removed": 10**6}
        return caps.get(self.slip, 4)

    def record(self, run_id: str) -> dict[str, Any]:
        """The ledger line, with the slips that concern single fields."""
        record = {
            "run_id": run_id,
            "fixture_id": self.fixture["id"],
            "reason": self.reason,
            "turns": self.turns,
            "tool_names": self.names,
            "last_error": self.error,
            "stopped_on_turn": self.turns,
        }
        return record | FIELD_SLIPS.get(self.slip, {}) | self.computed_slips()

    def computed_slips(self) -> dict[str, Any]:
        """Slips whose value depends on the run."""
        slips: dict[str, dict[str, Any]] = {
            "wrong turns": {"turns": self.turns - 1},
            "turns as a float": {"turns": float(self.turns)},
            "turns as a boolean": {"turns": bool(self.turns)},
            "another reason each time": {"last_error": uuid.uuid4().hex},
        }
        return slips.get(self.slip, {})


FIELD_SLIPS: dict[str, dict[str, Any]] = {
    "an added timestamp": {"timestamp": "2026-01-01T00:00:00Z"},
    "stopped_on_turn always 0": {"stopped_on_turn": 0},
    "run id hard-coded": {"run_id": "run-0001"},
    "fixture id hard-coded": {"fixture_id": "retry_then_final"},
    "wiped last_error": {"last_error": None},
    "not a number": {"stopped_on_turn": float("nan")},
}


def write(ledger: Path, record: dict[str, Any], slip: str) -> None:
    """Append the record, with the slips that concern the file."""
    line = json.dumps(record, sort_keys=slip != "unsorted keys") + "\n"
    mode = "w" if slip == "file opened for overwriting" else "a"
    if slip == "no newline":
        line = line.rstrip("\n")
    if slip == "a key twice":
        line = line.replace("{", '{"fixture_id": "", ', 1)
    if slip == "two lines":
        line *= 2
    if slip == "ledger read and written anew" and ledger.exists():
        earlier = [json.loads(text) for text in ledger.read_text("utf-8").splitlines()]
        line = "".join(json.dumps(each, sort_keys=True) + "\n" for each in (*earlier, record))
        mode = "w"
    if slip != "line only on success" or record["reason"] == "completed":
        with ledger.open(mode, encoding="utf-8", newline="\r\n" if slip == "line ends of Windows" else "\n") as file:
            file.write(line)


def main(arguments: Sequence[str]) -> int:
    """Run one fixture; the exit code of its reason."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--slip", default="")
    parser.add_argument("command", choices=["run"])
    parser.add_argument("fixture", type=Path)
    parser.add_argument("--ledger", type=Path, required=True)
    parser.add_argument("--run-id", required=True)
    given = parser.parse_args(arguments)
    loop = Loop(json.loads(given.fixture.read_text("utf-8")), given.slip)
    loop.run()
    write(given.ledger, loop.record(given.run_id), given.slip)
    return 0 if given.slip == "exit code always 0" else EXIT_CODES[loop.reason or ""]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
