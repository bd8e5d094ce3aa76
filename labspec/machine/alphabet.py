"""The alphabet of the explorer: one step for each kind of decision that the conditions of a machine can tell apart.

What a condition compares a fact with decides which values of the fact are worth trying: for a text those it is
compared with and one other, for a number the limits and one more. Fewer letters mean fewer states.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from labspec.machine.runner import NOT_READABLE, NOT_WRITABLE, Call, Machine
from labspec.machine.simulation import BAD_CALL

Step = Mapping[str, Any]

BUDGET_PREFIX: Final = "budgets."
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


class Vocabulary:
    """The facts that decide what machines do, and the values each of them is compared with.

    Meters count only if a row reads them, directly or through the condition of another meter that counts; with
    `reported`, the meters that a trace reports as the use of a budget count as well. Meters are followed `slack`
    further than they have to be.
    """

    def __init__(self, *machines: Machine, reported: bool = False, slack: int = 0) -> None:
        self._slack = slack
        self.names: set[str] = set()
        self._limits: Mapping[str, int] = {}
        self._values: dict[str, set[Any]] = {}
        self._linked: list[set[str]] = []
        self._mixed: set[str] = set()
        for machine in machines:
            self._limits = machine.budgets
            self._add_machine(machine, reported=reported)
        self._share()

    def texts(self, fact: str) -> list[str]:
        """The texts that a fact is compared with."""
        return sorted(value for value in self._values.get(fact, ()) if isinstance(value, str))

    def cap(self, meter: str) -> int | None:
        """A value of a meter from which on more makes no difference: one above all that it is compared with.

        None if there is no such value, because the meter takes part in a sum or is compared with another fact.
        """
        return None if meter in self._mixed else max(self._numbers(meter), default=0) + 1 + self._slack

    def follows(self, other: Vocabulary, meters: Iterable[str]) -> bool:
        """Whether everything that `other` has to know of these meters is followed here as well."""
        return all(name not in other.names or self._follows(other, name) for name in meters)

    def _follows(self, other: Vocabulary, meter: str) -> bool:
        mine, wanted = self.cap(meter), other.cap(meter)
        return meter in self.names and (mine is None or (wanted is not None and wanted <= mine))

    def edges(self, fact: str) -> list[int]:
        """Each number that a fact, or a meter that adds it up, is compared with, and one more."""
        return sorted({number + more for number in self._numbers(fact) for more in (0, 1)})

    def _numbers(self, fact: str) -> list[int]:
        return [value for value in self._values.get(fact, ()) if type(value) is int and value >= 0]

    def _add_machine(self, machine: Machine, *, reported: bool) -> None:
        for row in machine.data["rows"]:
            self._add(row["when"])
        if reported:
            for name, meters in machine.measures.items():
                for meter in meters:
                    self._compare(meter, machine.budgets[name])
        waiting = dict(machine.data["meters"])
        while read := [name for name in waiting if name in self.names]:
            for name in read:
                self._add_meter(name, waiting.pop(name))

    def _add_meter(self, name: str, meter: Mapping[str, Any]) -> None:
        added, _ = self._leaves(meter["add"])
        self._linked.append({name, *added})
        self._mixed |= added
        for key in ("add", "when", "resets_when", "refund_when"):
            self._add(meter[key])

    def _add(self, condition: Any) -> None:
        if condition is None:
            return
        kind, *parts = condition
        if kind in ("and", "or", "not"):
            for part in parts:
                self._add(part)
            return
        line = self._line(["-", *parts]) if kind in _COMPARISONS else None
        if line is not None and len(line.names) == 1:
            ((name, factor),) = line.names.items()
            if abs(factor) == 1:
                self._compare(name, -line.constant * factor)
                return
        names, values = self._leaves(condition)
        self.names |= names
        self._linked.append(names)
        if len(names) > 1 or any(side[0] in ("+", "-") for side in parts if isinstance(side, list) and side):
            self._mixed |= names
        for name in names:
            self._values.setdefault(name, set()).update(values)

    def _compare(self, name: str, value: int) -> None:
        self.names.add(name)
        self._values.setdefault(name, set()).add(value)

    def _line(self, expression: Any) -> _Line | None:
        """A sum of names and numbers, put together; None if there is anything else in it."""
        kind, *parts = expression
        if kind == "value":
            return _Line({}, parts[0]) if type(parts[0]) is int else None
        if kind == "name":
            limit = self._limit(parts[0])
            return _Line({parts[0]: 1}, 0) if limit is None else _Line({}, limit)
        if kind not in ("+", "-"):
            return None
        left, right = map(self._line, parts)
        return None if left is None or right is None else left.plus(right, 1 if kind == "+" else -1)

    def _limit(self, name: str) -> int | None:
        return self._limits.get(name.removeprefix(BUDGET_PREFIX)) if name.startswith(BUDGET_PREFIX) else None

    def _leaves(self, expression: Any) -> tuple[set[str], set[Any]]:
        """The names in a comparison or a sum, and the values beside them; a budget is the value of its limit."""
        kind, *parts = expression
        if kind == "value":
            return set(), {parts[0]}
        if kind == "name":
            limit = self._limit(parts[0])
            return ({parts[0]}, set()) if limit is None else (set(), {limit})
        if kind in ("in", "not in"):
            names, _ = self._leaves(parts[0])
            return names, set(parts[1])
        sides = [self._leaves(part) for part in parts]
        return set[str]().union(*(names for names, _ in sides)), set().union(*(values for _, values in sides))

    def _share(self) -> None:
        """Facts that are compared with each other, or added up in one meter, are compared with the same values."""
        groups: list[set[str]] = []
        for names in self._linked:
            apart = [group for group in groups if group.isdisjoint(names)]
            groups = [*apart, names.union(*(group for group in groups if not group.isdisjoint(names)))]
        for group in groups:
            together = set().union(*(self._values.get(name, set()) for name in group))
            self._values.update(dict.fromkeys(group, together))


class _Line(NamedTuple):
    """A sum: how often each name is in it, and the constant."""

    names: dict[str, int]
    constant: int

    def plus(self, other: _Line, sign: int) -> _Line:
        names = {name: self.names.get(name, 0) + sign * other.names.get(name, 0) for name in self.names | other.names}
        return _Line({name: factor for name, factor in names.items() if factor}, self.constant + sign * other.constant)


def alphabet(machine: Machine, vocabulary: Vocabulary | None = None, errors: Sequence[str] = ()) -> tuple[Step, ...]:
    """One step for each kind of decision that the machine's conditions can tell apart.

    `vocabulary` is that of the machine, or of the machine and its mutant; `errors` are further texts with which
    scripted calls are to fail.
    """
    return tuple(_steps(machine, vocabulary or Vocabulary(machine), errors))


def _steps(machine: Machine, vocabulary: Vocabulary, errors: Sequence[str]) -> Iterator[Step]:
    yield from _calls(machine, vocabulary, errors)
    yield {"ok": True, "payload": {}, "final": False}
    named = vocabulary.texts("call.name")
    unknown = [text for text in named if text.strip() and text not in machine.tools]
    for name in (_fresh("no_such_tool", [*machine.tools, *named]), *unknown):
        yield {"name": name, "ok": True, "payload": {}, "final": False}
    # Where no condition asks for it, a decision that is no call still is a turn without a call, a result or a failure.
    yield {"type": "other"}
    reasons = vocabulary.texts("decision.reason")
    yield from ({"type": "stop", "reason": reason} for reason in (_fresh("model_stop", reasons), *reasons))


def _calls(machine: Machine, vocabulary: Vocabulary, errors: Sequence[str]) -> Iterator[Step]:
    """A call of each tool that the conditions can tell from the others, in each way it can look and end."""
    named = vocabulary.texts("call.name")
    seen: set[tuple[str, bool]] = set()
    for name, tool in machine.tools.items():
        looks = (tool["kind"], name == "write_file")
        if name not in named and looks in seen:
            continue
        if name not in named:
            seen.add(looks)
        for call in _looks(name, tool, vocabulary):
            for ending in _endings(tool, name, vocabulary, errors):
                yield {"name": name, "call": call, **ending}
        if tool["kind"] == "builtin":
            yield {"name": name, "call": BAD_CALL}


def _looks(name: str, tool: Mapping[str, Any], vocabulary: Vocabulary) -> Iterator[Call]:
    if tool["kind"] != "builtin":
        yield Call()
        return
    writes = list(_writes(vocabulary)) if name == "write_file" else [(0, 0)]
    for inside in (True, False) if "call.inside" in vocabulary.names else (True,):
        for path in (_fresh("a file", vocabulary.texts("call.path")), *vocabulary.texts("call.path")):
            for size, lines in writes:
                yield Call(path, inside, size, lines)


def _writes(vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """The bytes and lines of writes worth trying: nothing, and each edge. A line takes at least one byte."""
    sizes, lines = vocabulary.edges("call.bytes"), vocabulary.edges("call.lines")
    counts = sorted({1, *lines} - {0})
    yield 0, 0
    for size in sorted({*sizes, *(counts if lines else ())} - {0}):
        yield from ((size, count) for count in counts if count <= size)


def _endings(tool: Mapping[str, Any], name: str, vocabulary: Vocabulary, errors: Sequence[str]) -> Iterator[Step]:
    finals = (False, True) if "result.final" in vocabulary.names and tool["kind"] == "scripted" else (False,)
    compared = vocabulary.texts("result.error")
    codes: dict[str, list[str]] = {
        "scripted": [_fresh("failed", compared), *compared, *errors],
        "builtin": [NOT_WRITABLE if name == "write_file" else NOT_READABLE],
        "command": [tool.get("error", "")],
    }
    for final in finals:
        yield {"ok": True, "payload": {}, "final": final}
        for code in codes[tool["kind"]]:
            yield {"ok": False, "error": code, "final": final}


def _fresh(word: str, taken: Collection[str]) -> str:
    """A text like `word` that no condition compares anything with."""
    while word in taken:
        word += "_"
    return word
