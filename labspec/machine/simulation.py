"""Tools without a disk or a process: what a plan does to a workspace in memory, for checking a lab in milliseconds.

Reads and writes act on the fixture's files. A command does what its step says (`result: ok` or `failed`): that is the
author's claim, which `labspec prove` holds against the real command.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from posixpath import normpath
from typing import Any, Final, NamedTuple

from labspec.machine.runner import (
    BAD_ARGUMENTS,
    CLOSING_EVENTS,
    NOT_READABLE,
    NOT_WRITABLE,
    Call,
    Ending,
    Loop,
    Machine,
    Result,
    Tools,
    Trace,
    drive,
    ending_of,
    read_fixture,
)

_ROOT: Final = ("sandbox", "workspace")

Path = tuple[str, ...]
"""The components of an absolute path, without `.`, `..` and links."""


class Simulated(NamedTuple):
    """What a run comes to: its ending, and, where the machine has a workspace, its files and events."""

    ending: Ending
    files: dict[str, str]
    events: list[dict[str, Any]]
    outside: tuple[str, ...] = ()
    """Files outside the allowed roots that were written, as seen from the folder around the workspace."""


def simulate(machine: Machine, fixture: Mapping[str, Any]) -> Simulated:
    """Run a fixture without a disk or a process. Its steps may say `result`, for commands.

    Raises MachineError if the fixture is malformed or no row ever ends the loop.
    """
    _, steps, budgets = read_fixture(machine, fixture)
    loop = Loop(machine, budgets)
    if machine.workspace is None:
        return Simulated(ending_of(loop, drive(loop, steps)), {}, [])
    tools, trace = SimulatedTools(machine, fixture), Trace()
    ending = ending_of(loop, drive(loop, steps, trace, tools))
    trace.close(loop, CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]], ending.reason)
    return Simulated(ending, tools.after(), trace.events, tools.written_outside())


class SimulatedTools(Tools):
    """The tools of a machine on a workspace in memory."""

    def __init__(self, machine: Machine, fixture: Mapping[str, Any]) -> None:
        super().__init__(machine)
        workspace = machine.workspace or {"roots": [], "files": {}}
        changes = fixture.get("workspace") or {}
        files = {**workspace["files"], **changes.get("files", {})}
        self.files = {_under_root(path): text for path, text in files.items() if text is not None}
        self.links = {_under_root(path): target for path, target in changes.get("links", {}).items()}
        self.roots = [self._real(path) for path in workspace["roots"]]
        self._outside: set[Path] = set()

    def is_inside(self, path: str) -> bool:
        """Whether the real path lies in an allowed root."""
        real = self._real(path)
        return any(real[: len(root)] == root for root in self.roots)

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        """Run a call that has no problem."""
        tool = self.machine.tools[name]
        if tool["kind"] == "command":
            ok = step.get("result") == "ok"
            return Result(ok, "" if ok else tool["error"], text="pass")
        if tool["kind"] != "builtin":
            return super().run(name, step)
        path = self._real(step["args"]["file"])
        return self._read(path) if name == "read_file" else self._write(path, step["args"]["contents"])

    def copy(self) -> SimulatedTools:
        """The same tools on a copy of the workspace as it is now."""
        twin = copy(self)
        twin.files, twin._outside = dict(self.files), set(self._outside)
        return twin

    def state(self) -> tuple[object, ...]:
        """The workspace as it is now, as a value that can be compared: its files and its links."""
        return frozenset(self.files.items()), frozenset(self.links.items())

    def after(self) -> dict[str, str]:
        """The files of the workspace, by path, as they are now."""
        depth = len(_ROOT)
        return {"/".join(path[depth:]): text for path, text in sorted(self.files.items()) if path[:depth] == _ROOT}

    def written_outside(self) -> tuple[str, ...]:
        """The files outside the roots that were written, as seen from the folder around the workspace."""
        return tuple(sorted("/".join(path[1:]) for path in self._outside))

    def _read(self, path: Path) -> Result:
        text = self.files.get(path)
        return Result(ok=False, error=NOT_READABLE) if text is None else Result(ok=True, text=text)

    def _write(self, path: Path, contents: str) -> Result:
        in_reach = path[: len(_ROOT) - 1] == _ROOT[:-1]
        if not in_reach or self._is_folder(path) or not self._is_folder(path[:-1]):
            return Result(ok=False, error=NOT_WRITABLE)
        self.files[path] = contents
        if not any(path[: len(root)] == root for root in self.roots):
            self._outside.add(path)
        return Result(ok=True, text=f"wrote {len(contents.encode('utf-8'))} bytes")

    def _is_folder(self, path: Path) -> bool:
        return path in ((), _ROOT[:1], _ROOT) or any(file[: len(path)] == path != file for file in self.files)

    def _real(self, path: str) -> Path:
        """Where a path of the workspace really leads. A link that leads to itself is a plain name."""
        return self._resolve(_ROOT, path, {})

    def _resolve(self, folder: Path, path: str, followed: dict[Path, Path]) -> Path:
        real: Path = () if path.startswith("/") else folder
        for part in path.split("/"):
            if part == "..":
                real = real[:-1]
            elif part not in ("", "."):
                real = self._follow((*real, part), followed)
        return real

    def _follow(self, place: Path, followed: dict[Path, Path]) -> Path:
        target = self.links.get(place)
        if target is None or place in followed:
            return followed.get(place, place)
        followed[place] = place
        followed[place] = self._resolve(place[:-1], target, followed)
        return followed[place]


def _under_root(path: str) -> Path:
    return _ROOT + tuple(part for part in normpath(path).split("/") if part not in ("", "."))


class AbstractTools(Tools):
    """The tools as the explorer sees them: a step says itself what can be seen of its call and what comes of it."""

    def look(self, name: str, step: Mapping[str, Any]) -> Call:
        """What the step says of its call."""
        call = step.get("call")
        return call if isinstance(call, Call) else super().look(name, step)

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        """What the step says will come of it."""
        return Tools.run(self, name, step)


BAD_CALL: Final = Call(problem=BAD_ARGUMENTS)
"""A call of a known tool with arguments of the wrong shape."""
