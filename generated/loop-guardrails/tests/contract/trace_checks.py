"""Checks of the trace and of the fuel report made from it; see `checks.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from .bench import Bench, Run
from .observation import Expected
from .signature import canonical
from .traces import Event, Trace, as_event, same_step, show_closing, show_event
from .wording import printable, show, show_exit_code, show_name

NEIGHBOURS = 2  # events shown before and after the one that differs
MAX_DIFFERENCES = 10


def check_trace(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The events before the closing one are those the decision table calls for."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    came = run.trace().steps
    wanted = [as_event(words) for words in expected.trace]
    place = _first_difference(wanted, came)
    if place is not None:
        raise run.failure(
            f"the trace of `{fixture_id}` differs at event {place + 1}",
            expected=_show_around(wanted, place),
            came=_show_around(came, place),
            decides=expected.decided_by,
        )


def check_closing(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """Exactly one closing event ends the trace, with the right type and reason."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    trace = run.trace()
    closing = _only_closing(run, trace)
    last = trace.events[-1]
    if last is not closing:
        raise run.failure(
            f"the closing event of `{fixture_id}` is not the last event of its trace",
            expected=_show_wanted(expected),
            came=f"{show_closing(closing)}, and after it {show_event(last)}",
        )
    came = (closing["type"], closing.get("reason"))
    if came != expected.closing:
        raise run.failure(
            f"the trace of `{fixture_id}` closes in another way than the table says",
            expected=_show_wanted(expected),
            came=show_closing(closing),
            decides=expected.decided_by,
        )


def check_use(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The closing event says what the limits were and what was used of each."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    closing = _only_closing(run, run.trace())
    differs = [
        *_count_problems(closing, "budgets", expected.budgets),
        *_count_problems(closing, "used", expected.used),
    ]
    if differs:
        raise run.failure(
            f"the closing event of `{fixture_id}` tells other limits or another use",
            expected=_show_use(expected.budgets, expected.used),
            came=_show_use(closing.get("budgets"), closing.get("used")),
            differs="\n".join(differs[:MAX_DIFFERENCES]),
            decides=expected.decided_by,
        )


def check_report(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The fuel report says what the trace of the run says."""
    __tracebackhide__ = True
    run = bench.run_report(bench.run(fixture_id, expected))
    seen = run.observation
    if seen.timed_out or seen.trouble is not None:
        what = seen.trouble or "did not end in time and was stopped"
        raise run.failure(f"the report of `{fixture_id}` {printable(what, 300)}")
    lines = _lines(seen.stdout)
    if lines != list(expected.report):
        raise run.failure(
            f"the report of `{fixture_id}` does not say what its trace says",
            expected=_show_text(expected.report),
            came=_show_text(lines),
            differs=_differing_lines(expected.report, lines),
        )
    if seen.exit_code != 0:
        raise run.failure(
            f"the report of `{fixture_id}` ended with the wrong exit code",
            expected="exit code 0, because the trace has its closing event",
            came=show_exit_code(seen.exit_code),
        )


def _first_difference(wanted: Sequence[Event], came: Sequence[Event]) -> int | None:
    for place, (one, other) in enumerate(zip_longest(wanted, came)):
        if one is None or other is None or not same_step(other, one):
            return place
    return None


def _show_around(events: Sequence[Event], place: int) -> str:
    """The event at a place and its neighbours, a line each."""
    start = max(0, place - NEIGHBOURS)
    shown = enumerate(events[start : place + NEIGHBOURS + 1], start)
    lines = [_show_numbered(number, show_event(each), place) for number, each in shown]
    if place >= len(events):
        lines.append(_show_numbered(len(events), "(no more events)", place))
    return "\n".join(lines)


def _show_numbered(number: int, words: str, place: int) -> str:
    mark = ">" if number == place else " "
    return f"{mark} {number + 1:>2}  {printable(words)}"


def _only_closing(run: Run, trace: Trace) -> Event:
    """The one closing event of a run's trace. Raises ContractFailure."""
    __tracebackhide__ = True
    if len(trace.closings) == 1:
        return trace.closings[0]
    number = len(trace.closings) or "no"
    shown = [show_closing(event) for event in trace.closings[:MAX_DIFFERENCES]]
    last = f"at its end {show_event(trace.events[-1])}" if trace.events else "no events"
    raise run.failure(
        f"the trace of `{run.fixture_id}` has {number} closing events",
        expected=f"one, at its end: {_show_wanted(run.expected)}",
        came=printable("; ".join(shown) or last, 300),
        decides=run.expected.decided_by,
    )


def _show_wanted(expected: Expected) -> str:
    if expected.closing is None:
        return "a closing event"
    type_, reason = expected.closing
    return show_closing({"type": type_, "reason": reason})


def _count_problems(closing: Event, key: str, wanted: Mapping[str, int]) -> list[str]:
    """What is wrong with the counts under a key of the closing event."""
    came = closing.get(key)
    if not isinstance(came, dict):
        return [f"{key} is {show(came)}" if key in closing else f"{key} is missing"]
    problems = []
    for name in dict.fromkeys((*wanted, *came)):
        shown = f"{key} of {show_name(name)}"
        if name not in came:
            problems.append(f"{shown} is missing")
        elif name not in wanted:
            problems.append(f"{shown}: there is no such budget")
        elif canonical(came[name]) != canonical(wanted[name]):
            problems.append(f"{shown} is {show(came[name])}, not {wanted[name]}")
    return problems


def _show_use(budgets: object, used: object) -> str:
    """Use and limits in one line: turns 4 of 8, tool_calls 3 of 12."""
    if not isinstance(budgets, Mapping) or not isinstance(used, Mapping):
        return f"budgets {show(budgets)}, used {show(used)}"
    names = list(dict.fromkeys((*budgets, *used)))
    parts = (
        f"{show_name(name)} {_show_count(used, name)} of {_show_count(budgets, name)}"
        for name in names
    )
    return printable(", ".join(parts), 300) or "nothing"


def _show_count(counts: Mapping[str, object], name: str) -> str:
    return show(counts[name]) if name in counts else "missing"


def _lines(output: str) -> list[str]:
    """The lines of an output, without the blanks at their ends and at its end."""
    return [line.rstrip() for line in output.rstrip().splitlines()]


def _show_text(lines: Sequence[str]) -> str:
    shown = [printable(line) for line in lines[:MAX_DIFFERENCES]]
    if len(lines) > MAX_DIFFERENCES:
        shown.append(f"(and {len(lines) - MAX_DIFFERENCES} more lines)")
    return "\n".join(shown) or "(nothing)"


def _differing_lines(wanted: Sequence[str], came: Sequence[str]) -> str:
    pairs = enumerate(zip_longest(wanted, came), start=1)
    numbers = [str(number) for number, (one, other) in pairs if one != other]
    return printable(f"line {', '.join(numbers)}")
