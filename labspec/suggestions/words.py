"""What a suggested fixture is called, and its title: what happens, told from its steps."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from labspec.machine.alphabet import Step

_NUMBERS: Final = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_MOST_GROUPS: Final = 4
_LONGEST_ID: Final = 64


class Words(NamedTuple):
    """What a step is called: once, several times (`#` is how often), and in an id."""

    one: str
    many: str
    short: str


class Group(NamedTuple):
    """The same step several times in a row."""

    words: Words
    times: int

    @property
    def told(self) -> str:
        """The group as part of a title."""
        return self.words.one if self.times == 1 else self.words.many.replace("#", in_words(self.times))

    @property
    def named(self) -> str:
        """The group as part of an id."""
        short = self.words.short
        return short if self.times == 1 else f"{self.times}_{short}{'' if short.endswith('s') else 's'}"


def in_words(number: int) -> str:
    """A number as people write it in a sentence."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def groups(plan: Sequence[Step], kinds: Mapping[str, str]) -> list[Group]:
    """The steps of a plan, each with how often it comes in a row; `kinds` are the kinds of the tools."""
    found: list[Group] = []
    for step in plan:
        words = _words(step, kinds)
        if found and found[-1].words == words:
            found[-1] = found[-1]._replace(times=found[-1].times + 1)
        else:
            found.append(Group(words, 1))
    return found


def title_of(found: Sequence[Group], budgets: Mapping[str, int]) -> str:
    """What happens, in one line: `Two failing calls, then a stop`."""
    told = [group.told for group in found] or ["a plan without steps"]
    if len(told) > _MOST_GROUPS:
        rest = sum(group.times for group in found[_MOST_GROUPS - 1 :])
        told = [*told[: _MOST_GROUPS - 1], f"{in_words(rest)} more steps"]
    text = told[0] if len(told) == 1 else f"{', '.join(told[:-1])}, then {told[-1]}"
    limits = " and ".join(f"{name}: {limit}" for name, limit in budgets.items())
    return f"{text[0].upper()}{text[1:]}{f', with {limits}' if limits else ''}"


def id_of(row: str, found: Sequence[Group], taken: Collection[str]) -> str:
    """A name that is free, from the row that ends the run and what leads there: `turn_cap_after_5_calls_v1`."""
    steps = sum(group.times for group in found)
    after = "_".join(group.named for group in found) if len(found) <= 2 else f"{steps}_steps"
    stem = re.sub(r"[^a-z0-9]+", "_", f"{row}_after_{after or 'nothing'}").strip("_")
    names = {name.casefold() for name in taken}
    version = 1
    while (name := f"{stem[: _LONGEST_ID - 5].rstrip('_')}_v{version}") in names:
        version += 1
    return name


def _words(step: Step, kinds: Mapping[str, str]) -> Words:
    type = step.get("type", "tool")
    if type == "stop":
        return Words("a stop", "# stops", "stop")
    if type != "tool":
        return Words("an answer that is no call", "# answers that are no calls", "no_call")
    if "name" not in step:
        return Words("a call without a name", "# calls without a name", "no_name")
    name = step["name"]
    several = len(kinds) > 1
    match kinds.get(name):
        case None:
            return Words(f"a call of the unknown tool {name}", f"# calls of the unknown tool {name}", "unknown_tool")
        case "builtin":
            return _builtin(name, step)
        case "command":
            what = "passing" if step["ok"] else "failing"
            return Words(f"a {what} {name}", f"# times a {what} {name}", f"{what}_{name}")
        case _:
            return _scripted(f" of {name}" if several else "", step)


def _scripted(of: str, step: Step) -> Words:
    claims = " that claims to be final" if step["final"] else ""
    if not step["ok"]:
        short = "final_failure" if claims else "failure"
        return Words(f"a failing call{of}{claims}", f"# failing calls{of}{claims}", short)
    if step["final"]:
        return Words(f"a final result{of}", f"# final results{of}", "final_result")
    return Words(f"a call{of} that succeeds", f"# calls{of} that succeed", "call")


def _builtin(name: str, step: Mapping[str, Any]) -> Words:
    call = step["call"]
    if call.problem:
        return Words(f"a {name} without arguments", f"# times {name} without arguments", f"bad_{name}")
    verb = "write" if name == "write_file" else "read"
    size = f" of {call.size} byte{'' if call.size == 1 else 's'}" if verb == "write" else ""
    where = "" if call.inside else " outside the roots"
    fails = "" if step["ok"] or not call.inside else "failing "
    short = f"{'' if call.inside else 'outside_'}{fails.replace(' ', '_')}{verb}"
    return Words(f"a {fails}{verb}{size}{where}", f"# {fails}{verb}s{size}{where}", short)
