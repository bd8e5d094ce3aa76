"""The live planner that authors use is the one that students get: the file among the templates, loaded as a module."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, Protocol

from labspec.emit.templates import template_root

_MODULE = "labspec_live_planner"


class FreezeError(Exception):
    """There is nothing to freeze; the sentence says why."""


class Planner(Protocol):
    """A live model. It never raises; `failed` says that it had to stop because its endpoint gave no answer."""

    steps: list[dict[str, Any]]
    failed: bool

    def decide(self, turn: int, goal: str, last: Mapping[str, Any] | None) -> dict[str, Any]:
        """The next step towards `goal`; `last` is the last event of the trace."""


def live_planner(tools: Sequence[Mapping[str, Any]], environment: Mapping[str, str] = os.environ) -> Planner:
    """A planner for these tools (see `facts`) that asks the endpoint which LAB_ENDPOINT and its companions name.

    Raises FreezeError if the variables make no sense.
    """
    module: Any = _module()
    try:
        planner: Planner = module.LivePlanner(module.Endpoint.from_environment(environment), tools)
    except module.SettingsError as error:
        raise FreezeError(str(error)) from error
    return planner


@cache
def _module() -> ModuleType:
    path = template_root() / "python" / "planner.py"
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module
