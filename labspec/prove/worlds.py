"""What the workspace of a fixture answers to a loop, remembered: so that a run which does nothing new needs no disk.

A loop touches its workspace in two ways: it asks whether a path is inside, and it runs tools. What comes back, and what
stands in the sandbox afterwards, depends on the sandbox that the fixture makes, on the tools, and on the calls that
were run before in this run, in their order: the history. It does not depend on the table, the meters or the budgets.
So a `World` remembers it by the history, and a mutant that makes the calls of a run that was made for real is told what
that run was told. The first call that is not remembered is a `NotKnownError`, and the whole run is made for real.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from labspec.contract.records import Problem
from labspec.contract.sandbox import Remains
from labspec.machine.runner import Machine, Result, Tools
from labspec.prove.memory import RememberingTools

History: TypeAlias = tuple[str, ...]
"""The calls of tools that have been run, each as its name and its arguments."""


class NotKnownError(Exception):
    """Nobody has done this in this workspace yet."""


class World(NamedTuple):
    """What is known of the workspace of one fixture, with the tools of one machine."""

    inside: dict[tuple[History, str], bool]
    results: dict[History, Result]
    """What the last call of a history came to."""
    remains: dict[History, Remains]

    @classmethod
    def unknown(cls) -> World:
        """Nothing is known yet."""
        return cls({}, {}, {})


class Worlds:
    """The world of each fixture and each set of tools."""

    def __init__(self) -> None:
        self._worlds: dict[tuple[str, str], World] = {}

    def of(self, fixture_id: str, machine: Machine) -> World:
        """The world of a fixture for a machine."""
        tools = json.dumps([machine.data["tools"], machine.data.get("workspace")], sort_keys=True)
        return self._worlds.setdefault((fixture_id, tools), World.unknown())


class KnownTools(Tools):
    """Tools that do nothing and answer as `world` does. They raise NotKnownError for what nobody has done."""

    def __init__(self, machine: Machine, world: World) -> None:
        super().__init__(machine)
        self._world = world
        self._history: History = ()

    def is_inside(self, path: str) -> bool:
        """Whether the path was inside."""
        answer = self._world.inside.get((self._history, path))
        if answer is None:
            raise NotKnownError
        return answer

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        """What the call came to."""
        if self.is_scripted(name):
            return super().run(name, step)
        self._history = (*self._history, _call(name, step))
        result = self._world.results.get(self._history)
        if result is None:
            raise NotKnownError
        return result

    def remains(self) -> Remains:
        """What stood in the sandbox after the calls so far."""
        remains = self._world.remains.get(self._history)
        if remains is None:
            raise NotKnownError
        return remains


class RecordingTools(RememberingTools):
    """Tools that really run in a sandbox, and tell `world` of it. `look` looks at the sandbox."""

    def __init__(
        self,
        machine: Machine,
        root: Path,
        *,
        memory: Path,
        environment: Mapping[str, str],
        world: World,
        look: Callable[[], Remains | Problem],
    ) -> None:
        super().__init__(machine, root, memory=memory, environment=environment)
        self._world = world
        self._look = look
        self._history: History = ()
        self._remember_remains()

    def is_inside(self, path: str) -> bool:
        """Whether the real path lies in an allowed root."""
        answer = super().is_inside(path)
        self._world.inside[self._history, path] = answer
        return answer

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        """Run a call that has no problem, and say what came of it."""
        result = super().run(name, step)
        if not self.is_scripted(name):
            self._history = (*self._history, _call(name, step))
            self._world.results[self._history] = result
            self._remember_remains()
        return result

    def _remember_remains(self) -> None:
        remains = self._look()
        if isinstance(remains, Remains):
            self._world.remains[self._history] = remains


def _call(name: str, step: Mapping[str, Any]) -> str:
    return json.dumps([name, step.get("args")], sort_keys=True)
