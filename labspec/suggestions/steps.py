"""From the steps of the explorer to steps of a spec: real paths, texts of the right size, codes that fixtures use.

The explorer says only what can be seen of a call. Here each step becomes a call that looks like that, tried out on the
workspace in memory as the plan goes along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from labspec.machine.alphabet import Step
from labspec.machine.runner import Call, Loop, Machine, take
from labspec.machine.simulation import SimulatedTools
from labspec.suggestions.evidence import Evidence
from labspec.suggestions.habits import Habits

_LINE: Final = 80
_OUTSIDE: Final = ("../outside.txt", "../missing.txt")


class StepError(Exception):
    """A step that no fixture can hold; the sentence says which."""


class Script(NamedTuple):
    """The steps of a fixture, as a spec says them.

    `unproven` are the commands whose result no fixture of the lab shows; `refuted` those that come to something else.
    """

    steps: list[dict[str, Any]]
    unproven: tuple[str, ...]
    refuted: tuple[str, ...]


class Scribe:
    """Writes the steps of plans for one lab."""

    def __init__(self, machine: Machine, habits: Habits, evidence: Evidence) -> None:
        self._machine = machine
        self._habits = habits
        self._evidence = evidence

    def write(
        self, plan: tuple[Step, ...], budgets: Mapping[str, int], workspace: Mapping[str, Any] | None, *, freely: bool
    ) -> Script:
        """The steps of `plan` in a workspace that differs from the lab's by `workspace`.

        With `freely`, a write may be one of the lab's own fixtures instead of one of the exact size, if a later command
        is known to come to what the plan says after it. Raises StepError.
        """
        walk = _Walk(self._machine, budgets, SimulatedTools(self._machine, {"workspace": workspace}))
        written: list[dict[str, Any]] = []
        unproven, refuted = dict[str, None](), dict[str, None]()
        for number, step in enumerate(plan):
            spec = self._step(step, plan[number + 1 :], walk, freely=freely)
            if "result" in spec:
                says = self._evidence.says(spec["call"], walk.tools.state(), walk.commands)
                if says is None:
                    unproven[spec["call"]] = None
                elif says != (spec["result"] == "ok"):
                    refuted[spec["call"]] = None
            walk.take(step, spec)
            written.append(spec)
        return Script(written, tuple(unproven), tuple(refuted))

    def _step(self, step: Step, later: tuple[Step, ...], walk: _Walk, *, freely: bool) -> dict[str, Any]:
        type = step.get("type", "tool")
        if type == "stop":
            return {"stop": self._stop(step["reason"])}
        if type != "tool":
            return {"malformed": "not_a_call"}
        if "name" not in step:
            return {"malformed": "no_name"}
        name = step["name"]
        kind = self._machine.kinds.get(name)
        if kind == "builtin":
            return {"call": name, "args": self._arguments(step, later, walk, freely=freely)}
        if kind == "command":
            return {"call": name, "result": "ok" if step["ok"] else "failed"}
        if kind == "scripted":
            return self._scripted(name, step)
        return {"call": name, **({} if self._machine.workspace else {"payload": {}}), "unknown": True}

    def _stop(self, reason: str) -> str:
        return reason if reason in self._habits.compared["decision.reason"] else self._habits.stop()

    def _scripted(self, name: str, step: Step) -> dict[str, Any]:
        final = {"final": True} if step["final"] else {}
        if step["ok"]:
            return {"call": name, "payload": self._habits.payload(name, final=bool(final)), **final}
        return {"call": name, "error": self._error(name, step["error"]), **final}

    def _error(self, name: str, error: str) -> str:
        """The code itself if it matters: a condition compares it, or it is not one that may stand in a record."""
        matters = error in self._habits.compared["result.error"] or self._machine.code_of(error) != error
        return error if matters or not error.startswith("failed") else self._habits.error(name, self._max_chars)

    @property
    def _max_chars(self) -> int | None:
        return self._machine.error_max_chars

    def _arguments(self, step: Step, later: tuple[Step, ...], walk: _Walk, *, freely: bool) -> dict[str, Any]:
        wanted: Call = step["call"]
        if wanted.problem:
            return {}
        name = step["name"]
        command = next((one for one in later if one.get("name") == name or _is_command(self._machine, one)), None)
        best: dict[str, Any] | None = None
        best_rank = (-1, -1)
        for arguments, exact in self._candidates(name, wanted, walk.tools, freely=freely):
            look = walk.tools.look(name, {"args": arguments})
            if look.inside != wanted.inside or look.problem:
                continue
            trial = walk.tools.copy()
            as_wanted = trial.run(name, {"args": arguments}).ok == step["ok"]
            shown = self._shows(command, trial, walk.commands)
            rank = (int(as_wanted), int(shown) * 2 + int(exact))
            if rank > best_rank and (exact or shown):
                best, best_rank = arguments, rank
        if best is None:
            raise StepError(f"no path of this workspace makes `{name}` look as the plan needs it")
        return best

    def _shows(self, command: Step | None, tools: SimulatedTools, earlier: int) -> bool:
        """Whether fixtures show that the command that comes next will come to what the plan says."""
        if command is None or not _is_command(self._machine, command):
            return False
        passes: bool = command["ok"]
        return self._evidence.says(command["name"], tools.state(), earlier) == passes

    def _candidates(
        self, name: str, wanted: Call, tools: SimulatedTools, *, freely: bool
    ) -> Iterator[tuple[dict[str, Any], bool]]:
        """Arguments worth trying, each with whether it is of the exact size. Those that fixtures use come first."""
        writes = name == "write_file"
        for path in self._paths(name, wanted, tools):
            if writes:
                yield {"file": path, "contents": self._contents(wanted)}, True
            else:
                yield {"file": path}, True
        if writes and freely:
            compared = self._habits.compared["call.path"]
            for arguments in self._habits.arguments(name):
                if arguments["file"] == wanted.path or not compared & {arguments["file"], wanted.path}:
                    yield {"file": arguments["file"], "contents": arguments.get("contents", "")}, False

    def _paths(self, name: str, wanted: Call, tools: SimulatedTools) -> Iterator[str]:
        compared = self._habits.compared["call.path"]
        if wanted.path in compared:
            yield wanted.path
            return
        roots = [root.rstrip("/") for root in (self._machine.workspace or {}).get("roots", [])]
        made_up = [f"{root}/{end}" for root in roots for end in ("missing.txt", "missing/folder.txt")]
        used = (arguments["file"] for arguments in self._habits.arguments(name))
        yield from (
            path for path in dict.fromkeys([*used, *tools.after(), *made_up, *_OUTSIDE]) if path not in compared
        )

    def _contents(self, wanted: Call) -> str:
        """A text of exactly these bytes, in lines that people can read if no condition counts them."""
        most = self._habits.most_lines(wanted.lines)
        readable = -(-wanted.size // _LINE)
        lines = readable if most is None else min(readable, most)
        return _text(wanted.size, max(wanted.lines, lines))


def _text(size: int, lines: int) -> str:
    """A text of `size` bytes in `lines` lines, of about the same length, each of which has an end."""
    if size == 0:
        return ""
    letters = size - lines
    each, more = divmod(letters, lines)
    return "".join("x" * (each + (number < more)) + "\n" for number in range(lines))


def _is_command(machine: Machine, step: Step) -> bool:
    return machine.kinds.get(step.get("name", "")) == "command"


class _Walk:
    """The run as it goes along: the loop of the reference, and the workspace."""

    def __init__(self, machine: Machine, budgets: Mapping[str, int], tools: SimulatedTools) -> None:
        self.tools = tools
        self.commands = 0
        self._loop: Loop | None = Loop(machine, budgets)
        self._machine = machine

    def take(self, step: Step, spec: Mapping[str, Any]) -> None:
        """Take one more step. After the reference has ended, calls are made all the same: a mutant may still run."""
        runs = {key: value for key, value in step.items() if key != "call"} | {"args": spec.get("args")}
        runs["result"] = spec.get("result")
        if self._loop is not None:
            row = self._loop.turn(plan_ended=False)
            if row is None:
                row = take(self._loop, runs, self.tools)
            self._loop = None if row is not None else self._loop
        elif step.get("name") in self._machine.tools and not self.tools.look(step["name"], runs).problem:
            self.tools.run(step["name"], runs)
        self.commands += _is_command(self._machine, step)
