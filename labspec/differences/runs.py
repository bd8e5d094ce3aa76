"""Whether some run can end differently: the explorer's proof that none can, or the shortest plan that does.

The old lab is already in the words of the new one. Endings are compared first (ledger line and exit code), then traces.
Tools that only one of the two has are left out, and so is what programs and files really do: a proof says so.
"""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from labspec.differences.model import Runs, Shown
from labspec.machine.difference import Comparison
from labspec.machine.explorer import TURN_LIMIT, Plan
from labspec.machine.runner import CLOSING_EVENTS, Loop, Machine, MachineError, Trace, drive, ending_of
from labspec.machine.simulation import AbstractTools
from labspec.suggestions.words import groups

if TYPE_CHECKING:
    from labspec.lab.model import Lab, MachineData
    from labspec.machine.runner import Ending

_TOO_MANY: Final = "There are too many states to say whether some run can {}; raise `--limit` to look further."


def compare_runs(old: Lab, new: Lab, limit: int = TURN_LIMIT) -> Runs:
    """What the explorer can say about the runs of two labs. `limit` is how many turns it takes, at about."""
    tools = _common_tools(old.machine, new.machine)
    if not tools:
        return Runs("not decided", "The labs have no tool in common, so that no plan of the one is one of the other.")
    before, after = (
        {**lab.machine, "tools": {name: lab.machine["tools"][name] for name in tools}} for lab in (old, new)
    )
    if _roots(before) != _roots(after):
        return Runs(
            "not decided", "The roots of the workspace changed, and where a path leads is not for the explorer."
        )
    found = _compare_machines(before, after, limit, _proviso(old, new, tools))
    if found.verdict not in ("same", "same with proviso") or not (old.traced and new.traced):
        return found
    traces = _ask(before, after, limit, traced=True)
    if traces.verdict == "same":
        return found._replace(
            sentence=f"No run under the lab's budgets can end differently or leave another trace{found.proviso}: "
            "proved, for every plan there is."
        )
    ends = f"No run under the lab's budgets can end differently{found.proviso}: proved."
    if traces.verdict == "not decided":
        return traces._replace(sentence=f"{ends} {_TOO_MANY.format('leave another trace')}")
    return traces._replace(sentence=f"{ends} But {traces.sentence}", proviso=found.proviso)


def _compare_machines(old: MachineData, new: MachineData, limit: int, proviso: str) -> Runs:
    """Whether runs of two machines with the same tools can end differently, under a proviso if there is one."""
    found = _ask(old, new, limit, traced=False)
    if found.verdict == "differs":
        return _with_cause(found, old, new, limit, proviso)
    if found.verdict == "not decided":
        return found
    sentence = f"No run under the lab's budgets can end differently{proviso}: proved, for every plan there is."
    return Runs("same with proviso" if proviso else "same", sentence, found.pairs, proviso=proviso)


def _proviso(old: Lab, new: Lab, tools: list[str]) -> str:
    """Under which conditions a proof about runs that call these tools is one about all runs; empty if under none.

    The explorer lets a call come to anything that it can come to, in both labs to the same. It does not read the files
    of a workspace and starts no program.
    """
    provisos = []
    if len(tools) < max(len(old.machine["tools"]), len(new.machine["tools"])):
        provisos.append("it calls only tools that both labs have and that work alike")
    if other := [f"`{name}`" for name in tools if _may_answer_otherwise(old, new, name)]:
        provisos.append(f"{' and '.join(other)} {'comes' if len(other) == 1 else 'come'} to the same")
    return f", as long as {' and '.join(provisos)}" if provisos else ""


def _may_answer_otherwise(old: Lab, new: Lab, tool: str) -> bool:
    """Whether the same call could have another result: it runs another program, or works on other files."""
    before, after = old.machine["tools"][tool], new.machine["tools"][tool]
    return before != after or (after["kind"] != "scripted" and old.workspace != new.workspace)


def _ask(old: MachineData, new: MachineData, limit: int, *, traced: bool) -> Runs:
    before, after = Machine(old), Machine(new)
    found = Comparison(Machine(_apart(old, new, traced=traced)), traced=traced, limit=limit).with_mutant(after)
    if found.verdict == "equivalent":
        return Runs("same", "", found.pairs)
    if found.plan is None or not _really_differ(before, after, found.plan, traced=traced):
        return Runs("not decided", _TOO_MANY.format("end differently"), found.pairs)
    told = tuple(group.told for group in groups(found.plan, after.kinds)) or ("a plan without steps",)
    if traced:
        event = _first_events_apart(before, after, found.plan)
        sentence = "some traces are different; no plan shorter than this one shows it."
        return Runs("traces differ", sentence, found.pairs, Shown(found.plan, told, *event))
    shown = Shown(found.plan, told, _told(before, found.plan), _told(after, found.plan))
    return Runs("differs", "No plan shorter than this one ends differently.", found.pairs, shown)


def _with_cause(found: Runs, old: MachineData, new: MachineData, limit: int, proviso: str) -> Runs:
    """The same, and whether the limits of the budgets are the whole cause."""
    if old["budgets"] == new["budgets"] or set(old["budgets"]) != set(new["budgets"]):
        return found
    if _ask(old, {**new, "budgets": old["budgets"]}, limit, traced=False).verdict != "same":
        return found
    cause = f"Only the budgets are the cause: under the old ones none would{proviso}, which is proved."
    return found._replace(sentence=f"{found.sentence} {cause}")


def _common_tools(old: MachineData, new: MachineData) -> list[str]:
    """The tools that both have and that work alike, as far as can be seen without running a program."""
    return [
        name
        for name, tool in new["tools"].items()
        if name in old["tools"] and all(old["tools"][name].get(key) == tool.get(key) for key in ("kind", "error"))
    ]


def _roots(machine: MachineData) -> object:
    return None if machine["workspace"] is None else machine["workspace"]["roots"]


def _apart(old: MachineData, new: MachineData, *, traced: bool) -> MachineData:
    """The old machine, in which each reason that shows otherwise than now has a name of its own.

    Rows with the same outcome count as the same to the explorer, and so would another exit code of it, or another
    closing event of a trace, which follows from its kind.
    """
    keys = ("exit_code", "kind") if traced else ("exit_code",)
    apart = {
        name: f"{name} as it was"
        for name, reason in old["reasons"].items()
        if name in new["reasons"] and any(new["reasons"][name][key] != reason[key] for key in keys)
    }
    rows = [{**row, "outcome": apart.get(row["outcome"], row["outcome"])} for row in old["rows"]]
    return {**old, "reasons": {apart.get(name, name): reason for name, reason in old["reasons"].items()}, "rows": rows}


def record(machine: Machine, plan: Plan, *, traced: bool) -> tuple[Ending | None, list[dict[str, Any]]]:
    """What a run of a plan leaves: its ending, or None if it never ends, and with `traced` its events."""
    loop, trace = Loop(machine), Trace()
    try:
        ending = ending_of(loop, drive(loop, plan, trace, AbstractTools(machine)))
    except MachineError:
        return None, []
    trace.close(loop, CLOSING_EVENTS[machine.reasons[ending.reason]["kind"]], ending.reason)
    return ending, trace.events if traced else []


def _really_differ(old: Machine, new: Machine, plan: Plan, *, traced: bool) -> bool:
    (before, events), (after, other_events) = (record(machine, plan, traced=traced) for machine in (old, new))
    seen = None if before is None else before.seen(), None if after is None else after.seen()
    return seen[0] != seen[1] or events != other_events


def _told(machine: Machine, plan: Plan) -> str:
    ending, _ = record(machine, plan, traced=False)
    return "never ends" if ending is None else ending_told(ending)


def ending_told(ending: Ending) -> str:
    """How a run ended, and the row that decided it."""
    turns = f"{ending.turns} turn{'' if ending.turns == 1 else 's'}"
    error = "no last error" if ending.last_error is None else f'last error "{ending.last_error}"'
    calls = f"{len(ending.tool_names)} call{'' if len(ending.tool_names) == 1 else 's'}"
    return (
        f"{ending.reason} (exit code {ending.exit_code}) after {turns}, {calls}, {error};"
        f" row `{ending.row}` decides at {ending.at}"
    )


def _first_events_apart(old: Machine, new: Machine, plan: Plan) -> tuple[str, str]:
    """The first event in which two traces differ, as either has it."""
    pair = zip_longest(*(record(machine, plan, traced=True)[1] for machine in (old, new)))
    before, after = next(events for events in pair if events[0] != events[1])
    return _event(before), _event(after)


def _event(event: dict[str, Any] | None) -> str:
    return "no such event" if event is None else json.dumps(event)
