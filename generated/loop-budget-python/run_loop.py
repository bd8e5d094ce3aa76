"""The loop of the lab: Stop an agent loop on a budget, and leave a trace"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loop_exit import LoopExit
from model import Model

MAX_TURNS = 16
MAX_TOOL_CALLS = 12
MAX_WRITE_BYTES = 8192
ROOTS = ("fixtures",)


def run_loop(
    run_id: str,
    fixture: dict[str, Any],
    ledger: Path,
    trace: Path | None = None,
    model: Model | None = None,
) -> LoopExit:
    """Ask a model for step after step, and record why the loop stopped.

    Appends one line to the ledger, whatever happens, and returns what it says.
    Writes the trace to the file `trace`, if one is given, also when the loop crashes.
    The tools work in the current folder. Without a model the fixture's plan is followed.
    """
    # This is yours to write. One way to do it, step by step:
    #
    # 1. Find the limits: the constants above, unless fixture["budgets"] names another
    #    number for one of them. Make a Workspace (tools.py) of the current folder and
    #    ROOTS, and without a model, a ScriptedModel of fixture["planned_calls"].
    # 2. Ask `model.decide` for one step after the other. Pass the four moments of each
    #    turn in order (turn, decision, call, result). At each moment, first charge what
    #    README.md says is counted there, then ask the rows of its decision table in order.
    #    A row that stops the loop before an act takes its charge back.
    # 3. Let the workspace `look` at a call before you decide about it, and then `run` it.
    #    Keep the name of every call that counts, and the code of the last failure.
    # 4. The first row that holds decides. Fill in a LoopExit, hand it to append_exit
    #    (import it from loop_exit) and return it. Every way out leaves one line.
    # 5. Push an event to a Trace (loop_trace.py) for every turn, call and result, and one
    #    that closes it: README.md lists them. Write the trace on every way out, also when
    #    a budget ends the loop, and when it crashes.
    #
    # Gates this earns, with their points: happy_path (25), kill_switch (25), trace
    # (20), fuel_report (15), path_jail (15).
    raise NotImplementedError("run_loop is not written yet: open run_loop.py")
