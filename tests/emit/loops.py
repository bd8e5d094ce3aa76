"""Runs the loop that is emitted for a lab, in this process."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from labspec.emit import Edition, plan, render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labspec.lab.model import Lab

RunLoop = Callable[..., Any]
"""`run_loop(run_id, fixture, ledger)`, in labs with a trace also with its path."""

MODULES = ("loop_exit", "loop_trace", "tools", "model", "run_loop")
"""The modules that make the loop, each after those it imports."""


def source_of(lab: Lab, path: str = "run_loop.py") -> str:
    """The text of a file of the solution."""
    return render(plan(lab, Edition(solution=True)))[path].data.decode("utf-8")


@contextmanager
def emitted_loop(lab: Lab, loop_file: str | None = None) -> Iterator[RunLoop]:
    """The `run_loop` of the lab's solution, or of `loop_file` in the place of its own.

    While it is in use, the modules beside it can be imported.
    """
    tree = render(plan(lab, Edition(solution=True)))
    names = [name for name in MODULES if f"{name}.py" in tree]
    modules = [types.ModuleType(name) for name in names]
    before = {name: sys.modules.get(name) for name in names}
    try:
        for module in modules:
            sys.modules[module.__name__] = module
            source = tree[f"{module.__name__}.py"].data.decode("utf-8")
            source = loop_file if loop_file is not None and module.__name__ == "run_loop" else source
            exec(compile(source, f"{module.__name__}.py", "exec"), module.__dict__)  # noqa: S102 - what is tested
        yield modules[-1].run_loop
    finally:
        for name, original in before.items():
            del sys.modules[name]
            if original is not None:
                sys.modules[name] = original


def record_of(event: Any) -> tuple[Any, ...]:
    """The fields of an exit that the table decides."""
    return (event.reason, event.turns, event.tool_names, event.last_error, event.stopped_on_turn)
