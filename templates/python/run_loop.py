{{ module }}

from __future__ import annotations

{% if solved and result_used %}
from dataclasses import dataclass
{% endif %}
from pathlib import Path
from typing import Any

{% for line in imports %}
{{ line }}
{% endfor %}

{% for constant in constants %}
{{ constant }}
{% endfor %}
{% if solved %}
{% if error_chars and not workspace %}
LONGEST_ERROR = {{ error_chars }}
{% endif %}
{% if traced and workspace %}
LONGEST_TEXT = 200
{% endif %}
{% if script_ends_with_stop %}
SCRIPT_EXHAUSTED = {"type": "stop", "reason": "script_exhausted"}
{% endif %}
{% if result_used %}


@dataclass(frozen=True)
class ToolResult:
    """What a tool answered. A failure has a short code, `error`."""

    ok: bool
    error: str = ""
{% if final_used %}
    final: bool = False
{% endif %}
{% endif %}


def decision_type(step: Any) -> str:
    """What the model decided: tool, stop, or other for anything malformed."""
    kind = step.get("type", "tool") if isinstance(step, dict) else "other"
    return str(kind) if kind in ("tool", "stop") else "other"
{% if reason_used %}


def stop_reason(step: Any) -> str:
    """The reason a decision gives, empty if it gives none."""
    reason = step.get("reason") if isinstance(step, dict) else None
    return reason if isinstance(reason, str) else ""
{% endif %}


def tool_name(step: Any) -> str:
    """The name of the tool that a decision calls, empty if it has no usable one."""
    name = step.get("name") if decision_type(step) == "tool" else None
    return name if isinstance(name, str) and name.strip() else ""
{% if result_used %}


def error_code(error: Any) -> str:
{% if error_chars %}
    """What a record may say about a failure: one short line, or a code instead."""
{% else %}
    """What a record may say about a failure: its text, or a code if there is none."""
{% endif %}
    if not isinstance(error, str) or not error.strip():
        return {{ error_otherwise }}
{% if error_chars %}
    if len(error) > LONGEST_ERROR or not error.isprintable():
        return {{ error_otherwise }}
{% endif %}
    return error


def call_tool(name: str, step: dict[str, Any]) -> ToolResult:
    """Run a tool. A scripted step carries the result; an unknown tool has none."""
    if name not in TOOLS:
        return ToolResult(ok=False, error="unknown_tool")
    ok = step.get("ok") is True
    error = "" if ok else error_code(step.get("error"))
{% if final_used %}
    return ToolResult(ok, error, final=step.get("final") is True)
{% else %}
    return ToolResult(ok, error)
{% endif %}
{% endif %}
{% endif %}


{% if workspace %}
def run_loop(
    run_id: str,
    fixture: dict[str, Any],
    ledger: Path,
{% if traced %}
    trace: Path | None = None,
{% endif %}
    model: Model | None = None,
) -> LoopExit:
    """Ask a model for step after step, and record why the loop stopped.

    Appends one line to the ledger, whatever happens, and returns what it says.
{% if traced %}
    Writes the trace to the file `trace`, if one is given, also when the loop crashes.
{% endif %}
    The tools work in the current folder. Without a model the fixture's plan is followed.
    """
{% elif traced %}
def run_loop(
    run_id: str, fixture: dict[str, Any], ledger: Path, trace: Path | None = None
) -> LoopExit:
    """Follow the plan of a fixture, and record why the loop stopped.

    Appends one line to the ledger, whatever happens, and returns what it says. Writes
    the trace to the file `trace`, if one is given, also when the loop crashes.
    """
{% else %}
def run_loop(run_id: str, fixture: dict[str, Any], ledger: Path) -> LoopExit:
    """Follow the plan of a fixture, and record why the loop stopped.

    Appends one line to the ledger, whatever happens, and returns what it says.
    """
{% endif %}
{% if solved %}
{% if limits_used %}
{{ limits }}
{% endif %}
{% if workspace %}
    if model is None:
        model = ScriptedModel(fixture["planned_calls"])
    goal = fixture.get("goal", "")
    workspace = Workspace(Path.cwd(), ROOTS)
{% else %}
    plan = fixture["planned_calls"]
{% endif %}
{% if traced %}
    events = Trace()
{% endif %}
{% for counter in counters %}
    {{ counter }}
{% endfor %}
    tool_names: list[str] = []
{% if last_error_kept %}
    last_error: str | None = None
{% endif %}
{% if traced %}

    def close(kind: str, reason: str) -> None:
{{ used }}
        events.push(
            kind,
            turn=turns,
            reason=reason,
            budgets=budgets,
            used={name: min(used[name], limit) for name, limit in budgets.items()},
        )
        if trace is not None:
            events.write(trace)
{% endif %}

    def stop(reason: ExitReason, error: str | None) -> LoopExit:
{% if traced %}
        close(CLOSING_EVENTS[reason], reason)
{% endif %}
        event = LoopExit(
            run_id=run_id,
            fixture_id=fixture["id"],
            reason=reason,
            turns=turns,
            tool_names=tuple(tool_names),
            last_error=error,
            stopped_on_turn=turns,
        )
        append_exit(ledger, event)
        return event

{% if traced %}
    try:
        while True:
{% for moment in moments %}
{{ moment }}
{% endfor %}
    except BaseException:
        if not events.closed:
            close("error", "crash")
        raise
{% else %}
    while True:
{% for moment in moments %}
{{ moment }}
{% endfor %}
{% endif %}
{% else %}
    # This is yours to write. One way to do it, step by step:
    #
{% if workspace %}
    # 1. Find the limits: the constants above, unless fixture["budgets"] names another
    #    number for one of them. Make a Workspace (tools.py) of the current folder and
    #    ROOTS, and without a model, a ScriptedModel of fixture["planned_calls"].
    # 2. Ask `model.decide` for one step after the other. Pass the four moments of each
    #    turn in order (turn, decision, call, result). At each moment, first charge what
    #    README.md says is counted there, then ask the rows of its decision table in order.
    #    A row that stops the loop before an act takes its charge back.
    # 3. Let the workspace `look` at a call before you decide about it, and then `run` it.
    #    Keep the name of every call that counts, and the code of the last failure.
{% else %}
    # 1. Read the plan, fixture["planned_calls"], and the limits: the constants above,
    #    unless fixture["budgets"] names another number for one of them.
    # 2. Take the decisions of the plan one at a time. Pass the four moments of each
    #    turn in order (turn, decision, call, result), count what the budgets limit,
    #    and at each moment ask the rows of the decision table (README.md) in order.
    # 3. Keep the name of every tool that was called, and the code of the last failure:
{% if error_chars %}
    #    its "error" if that is one line of at most {{ error_chars }} characters, and
{% else %}
    #    its "error" if that is text, and
{% endif %}
    #    {{ error_otherwise }} if it is not. A call of a tool that is not in TOOLS
    #    fails with the code "unknown_tool".
{% endif %}
    # 4. The first row that holds decides. Fill in a LoopExit, hand it to append_exit
    #    (import it from loop_exit) and return it. Every way out leaves one line.
{% if traced %}
    # 5. Push an event to a Trace (loop_trace.py) for every turn, call and result, and one
    #    that closes it: README.md lists them. Write the trace on every way out, also when
    #    a budget ends the loop, and when it crashes.
{% endif %}
    #
    {{ gates }}
    raise NotImplementedError("run_loop is not written yet: open run_loop.py")
{% endif %}
