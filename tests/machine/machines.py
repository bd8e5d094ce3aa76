"""Machines and plans for these tests: small ones made by hand, and random ones for Hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from labspec.conditions import parse, to_json
from labspec.machine.runner import Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

Step = dict[str, Any]

OK: Step = {"name": "a", "ok": True, "payload": {}, "final": False}
FINAL: Step = {**OK, "final": True}
FAIL: Step = {"name": "a", "ok": False, "error": "timeout", "final": False}
UNNAMED: Step = {"ok": True, "payload": {}, "final": False}
UNKNOWN: Step = {**OK, "name": "x"}
STOP: Step = {"type": "stop", "reason": "done"}
OTHER: Step = {"type": "other"}
STEPS = {
    "ok": OK, "final": FINAL, "fail": FAIL, "unnamed": UNNAMED, "unknown": UNKNOWN, "stop": STOP, "other": OTHER,
    "busy": {**FAIL, "error": "busy"}, "fail_final": {**FAIL, "final": True}, "empty": {**OK, "name": ""},
    "number": {**OK, "name": 7}, "b": {**OK, "name": "b"}, "b_final": {**FINAL, "name": "b"},
    "b_fail": {**FAIL, "name": "b"}, "b_busy": {**FAIL, "name": "b", "error": "busy"},
    "ff_busy": {**FAIL, "error": "busy", "final": True}, "give_up": {"type": "stop", "reason": "give_up"},
}  # fmt: skip
"""Steps by short names, so that a plan is one line of words."""

REASONS = {"done": ("done", 0), "used_up": ("budget", 2), "broken": ("error", 1)}
METERS = {
    "turns": {"at": "turn", "when": "not plan.ended"},
    "tool_calls": {"at": "call"},
    "failures": {"at": "result", "when": "not result.ok"},
}


def plan(words: str) -> list[Step]:
    """The steps that `words` name."""
    return [STEPS[word] for word in words.split()]


def meter(at: str, add: str = "1", **conditions: str) -> dict[str, Any]:
    """A meter as data; `conditions` are when, resets_when and refund_when, as texts."""
    keys = ("when", "resets_when", "refund_when")
    return {"at": at, "add": condition(add), **{key: condition(conditions.get(key)) for key in keys}}


def condition(text: str | None) -> Any:
    """A condition as data."""
    return None if text is None else to_json(parse(text))


def rows(lines: Sequence[str]) -> list[dict[str, Any]]:
    """Rows as data, from lines such as `used_up at turn: turns > budgets.turns` or `refuse no: not call.known`.

    `!` after the code of a refusal says that it is not counted; `= none` or `= TEXT` is the last error of an exit.
    """
    made: list[dict[str, Any]] = []
    for number, line in enumerate(lines):
        head, _, when = line.partition(":")
        head, _, text = head.partition("=")
        words, text = head.split(), text.strip()
        refuse = words[0] == "refuse"
        error = {"from": "error" if not text else "none" if text == "none" else "text", "text": text or None}
        made.append(
            {
                "id": f"row_{number}",
                "verb": "refuse" if refuse else "exit",
                "outcome": words[1].rstrip("!") if refuse else words[0],
                "at": "call" if refuse else words[2],
                "when": condition(when.strip() or None),
                "last_error": error,
                "counted": not words[1].endswith("!"),
            }
        )
    return made


def data(
    *lines: str,
    budgets: dict[str, int] | None = None,
    meters: dict[str, Any] | None = None,
    plan_ends: str = "end",
    recorder: dict[str, Any] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """A machine as data, with tools `a` and `b`, budgets of 3 turns and 1 retry, and one reason of each kind."""
    limits = {"turns": 3, "retries": 1} if budgets is None else budgets
    built_in = {name: meter(**one) for name, one in METERS.items()}
    built_in["write_bytes"] = meter("call", "call.bytes", refund_when="not result.ok")
    return {
        "plan_ends": plan_ends,
        "tools": {"a": {"kind": "scripted"}, "b": {"kind": "scripted"}},
        "budgets": limits,
        "measures": {"turns": ["turns"], "retries": ["failures"]},
        "meters": {**built_in, **(meters or {})},
        "errors": {"max_chars": 80, "otherwise": "tool_error"},
        "reasons": {name: {"kind": kind, "exit_code": code} for name, (kind, code) in REASONS.items()},
        "rows": rows(lines),
        "recorder": recorder or {},
        **changes,
    }


def machine(*lines: str, **changes: Any) -> Machine:
    """A machine ready to run; see `data`."""
    return Machine(data(*lines, **changes))


CAP = "used_up at turn: turns > budgets.turns"
ENDED = "broken at turn: plan.ended"

_FACTS = {
    "turn": ("plan.ended", "not plan.ended"),
    "decision": ("call.named", "not call.named", 'decision.type == "stop"', 'decision.reason == "give_up"'),
    "call": ("call.known", "not call.known", 'call.name == "a"', 'call.name != "a"', 'call.name in ["b", "x"]'),
    "result": ("result.ok", "not result.ok", "result.final", 'result.error == "busy"', 'result.error != "timeout"'),
}
_MOMENTS = tuple(_FACTS)


def _conditions(at: str, meters: Sequence[str], budgets: Sequence[str]) -> st.SearchStrategy[str]:
    """Conditions that can stand at a moment."""
    facts = [fact for moment in _MOMENTS[1 : _MOMENTS.index(at) + 1] for fact in _FACTS[moment]]
    simple = (
        st.sampled_from([*facts, *(_FACTS["turn"] if at == "turn" else ())]) if facts or at == "turn" else st.nothing()
    )
    compared = st.builds(
        "{} {} {}".format,
        st.sampled_from(meters),
        st.sampled_from((">", ">=", "==", "<")),
        st.sampled_from((*(f"budgets.{name}" for name in budgets), "0", "1", *meters)),
    )
    one = simple | compared
    return one | st.builds("{} {} {}".format, one, st.sampled_from(("and", "or")), one)


@st.composite
def machines(draw: st.DrawFn) -> dict[str, Any]:
    """Random machines of 2 to 6 rows and 1 to 3 budgets. Their turns are bounded, as those of every sound lab are."""
    own_at = draw(st.sampled_from(_MOMENTS))
    meters = ("turns", "tool_calls", "failures", "own")
    budgets = ("turns", *(name for name in ("retries", "calls") if draw(st.booleans())))
    own = {
        "when": draw(st.none() | _conditions(own_at, meters, budgets)),
        "resets_when": draw(st.none() | _conditions(own_at, meters, budgets)),
    }
    if own_at == "call":
        own["refund_when"] = draw(st.none() | _conditions("result", meters, budgets))
    rows_at = st.sampled_from(_MOMENTS).flatmap(lambda at: _row(at, meters, budgets))
    lines = draw(st.lists(rows_at, min_size=1, max_size=4))
    lines.insert(draw(st.integers(0, len(lines))), CAP)
    plan_ends = draw(st.sampled_from(("end", "stop")))
    made = data(
        *(line.replace("refuse code", f"refuse code_{number}") for number, line in enumerate(lines)),
        *([ENDED] if draw(st.booleans()) else []),
        budgets={name: draw(st.integers(0, 2)) for name in budgets},
        meters={"own": meter(own_at, **{key: text for key, text in own.items() if text is not None})},
        plan_ends=plan_ends,
    )
    measured = {"turns": ["turns", "own"], "retries": ["failures", "tool_calls"], "calls": ["tool_calls"]}
    return {**made, "measures": {name: measured[name] for name in budgets}}


def _row(at: str, meters: Sequence[str], budgets: Sequence[str]) -> st.SearchStrategy[str]:
    heads = [f"{reason} at {at}{error}" for reason in REASONS for error in ("", " = none", " = fixed text")]
    heads += ["refuse code", "refuse code!"] * 2 if at == "call" else []
    return st.builds("{}: {}".format, st.sampled_from(heads), _conditions(at, meters, budgets))


plans = st.lists(st.sampled_from(list(STEPS.values())), max_size=6)
