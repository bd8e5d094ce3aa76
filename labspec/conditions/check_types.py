"""The type checker says whether a condition makes sense at the moment it stands at, in the lab it belongs to.

Runs after `parse` and before anything prints or compiles a condition, so that those need not ask again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from labspec.conditions import trees
from labspec.conditions.errors import ConditionError, ErrorCode
from labspec.conditions.facts import BUDGET_PREFIX, FACTS, Fact, Moment, ValueType
from labspec.conditions.syntax import Arithmetic, Compare, Constant, Expr, In, Logic, Name, Not
from labspec.diagnostics.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOUNS: dict[ValueType, str] = {"boolean": "true or false", "number": "a number", "text": "a text"}
_MAX_SHOWN = 40


class Names(NamedTuple):
    """The names a lab declares, without the `budgets.` of budgets."""

    meters: frozenset[str]
    budgets: frozenset[str]


def check_types(
    expr: Expr, moment: Moment, names: Names, expects: Literal["boolean", "number"] = "boolean"
) -> list[ConditionError]:
    """Every finding about a condition that stands at `moment` and must be of the type `expects`, by place.

    An empty list means that the condition can be printed and compiled, and that it can be evaluated at that moment.
    """
    checker = _Checker(moment, names)
    found = checker.type_of(expr)
    if found not in (None, expects):
        wanted = "a condition is true or false" if expects == "boolean" else "a number is needed here"
        checker.add("condition-types", f"{_is(expr, found)}, but {wanted}", expr, _made_boolean(expr, found))
    return sorted(checker.findings, key=lambda finding: (finding.start, finding.end))


class _Checker:
    """One walk over a tree. A method returns the type of its node, or None where a finding leaves it open."""

    def __init__(self, moment: Moment, names: Names) -> None:
        self._moment = moment
        self._names = names
        self.findings: list[ConditionError] = []

    def add(self, code: ErrorCode, message: str, at: Expr, help: str | None = None) -> None:
        self.findings.append(ConditionError(message, at.start, at.end, help, code=code))

    def type_of(self, expr: Expr) -> ValueType | None:
        match expr:
            case Constant():
                return trees.type_of(expr)
            case Name():
                return self._name(expr)
            case Not(operand=operand):
                self._require("boolean", [operand], "`not` turns a condition around")
                return "boolean"
            case Logic(operator=operator, operands=operands):
                self._require("boolean", operands, f"`{operator}` joins conditions")
                return "boolean"
            case Compare():
                self._compare(expr)
                return "boolean"
            case In():
                self._membership(expr)
                return "boolean"
            case Arithmetic(operator=operator, left=left, right=right):
                fits = self._require("number", [left, right], f"`{operator}` takes numbers")
                return "number" if fits else None

    def _require(self, wanted: ValueType, operands: Iterable[Expr], because: str) -> bool:
        """Says what is wrong with the operands that are not of the type `wanted`; True if all are."""
        before = len(self.findings)
        for operand in operands:
            found = self.type_of(operand)
            if found not in (None, wanted):
                hint = _made_boolean(operand, found) if wanted == "boolean" else None
                self.add("condition-types", f"{_is(operand, found)}, but {because}", operand, hint)
        return len(self.findings) == before

    def _name(self, name: Name) -> ValueType | None:
        if name.name in self._names.meters or name.name.removeprefix(BUDGET_PREFIX) in self._budgets_for(name):
            return "number"
        fact = FACTS.get(name.name)
        if fact is None:
            self._unknown(name)
            return None
        if not fact.exists_at(self._moment):
            self._out_of_time(name, fact)
        return fact.type

    def _budgets_for(self, name: Name) -> frozenset[str]:
        return self._names.budgets if name.name.startswith(BUDGET_PREFIX) else frozenset()

    def _unknown(self, name: Name) -> None:
        nearest = self._nearest(name.name)
        if name.name.startswith(BUDGET_PREFIX):
            kind, otherwise = "budget", "declare it under `budgets`"
        elif "." in name.name:
            kind, otherwise = "fact", f"the facts at `{self._moment}` are {_facts_at(self._moment)}"
        else:
            kind, otherwise = "meter", "declare it under `meters`"
        message = f"there is no {kind} `{name.name.removeprefix(BUDGET_PREFIX)}`"
        self.add("condition-unknown-name", message, name, f"did you mean `{nearest}`?" if nearest else otherwise)

    def _nearest(self, word: str) -> str | None:
        budgets = [BUDGET_PREFIX + budget for budget in sorted(self._names.budgets)]
        known = [*FACTS, *budgets, *sorted(self._names.meters)]
        same_ending = [name for name in known if name.endswith(f".{word}")]
        return same_ending[0] if same_ending else did_you_mean(word, known)

    def _out_of_time(self, name: Name, fact: Fact) -> None:
        if fact.only_there:
            message = f"`{name.name}` exists at `{fact.moment}` only, and the condition stands at `{self._moment}`"
        else:
            message = f"`{name.name}` exists from `{fact.moment}` on, but the condition stands at `{self._moment}`"
        self.add("condition-unknown-moment", message, name, f"ask it at `{fact.moment}`")

    def _compare(self, compare: Compare) -> None:
        left, right = self._side(compare.left, compare.right), self._side(compare.right, compare.left)
        if left is None or right is None:
            return
        if compare.operator not in ("==", "!="):
            self._order(compare, left, right)
        elif left != right:
            message = f"{_is(compare.left, left)} and {_is(compare.right, right)}: they cannot be compared"
            hint = _quotes(compare.left, right) or _quotes(compare.right, left)
            self.add("condition-types", message, compare, hint)
        else:
            self._possible(compare.left, compare.right)
            self._possible(compare.right, compare.left)

    def _side(self, side: Expr, other: Expr) -> ValueType | None:
        """The type of one side; a bare word compared with a text is taken for a text that lacks its quotes."""
        forgotten = isinstance(side, Name) and "." not in side.name and side.name not in self._names.meters
        if not (isinstance(side, Name) and forgotten and _is_text(other)):
            return self.type_of(side)
        self.add(
            "condition-unknown-name", f"there is no meter `{side.name}`", side, f'a text needs quotes: `"{side.name}"`'
        )
        return None

    def _order(self, compare: Compare, left: ValueType, right: ValueType) -> None:
        for side, found in ((compare.left, left), (compare.right, right)):
            if found != "number":
                hint = "every language orders texts in its own way; ask with `==` or `in [...]`"
                hint_for_type = _quotes(side, "number") or (hint if found == "text" else None)
                message = f"{_is(side, found)}, but `{compare.operator}` compares numbers"
                self.add("condition-types", message, side, hint_for_type)
                return

    def _membership(self, membership: In) -> None:
        found = self.type_of(membership.value)
        types = {trees.type_of(option) for option in membership.options}
        if len(types) > 1:
            message = "the options are of different types, so some can never match"
            self.add("condition-types", message, membership, "list options of one type")
        elif found is not None and found not in types:
            message = f"{_is(membership.value, found)}, but the options are not"
            self.add("condition-types", message, membership)
        else:
            for option in membership.options:
                self._possible(membership.value, option)

    def _possible(self, value: Expr, literal: Expr) -> None:
        """A fact with a closed set of texts is compared only with those."""
        if not (isinstance(value, Name) and isinstance(literal, Constant) and isinstance(literal.value, str)):
            return
        fact = FACTS.get(value.name)
        if fact is None or not fact.values or literal.value in fact.values:
            return
        options = ", ".join(f"`{_literal(text)}`" for text in fact.values)
        nearest = did_you_mean(literal.value, fact.values)
        hint = f"it is one of {options}" if nearest is None else f'did you mean `"{nearest}"`?'
        self.add("condition-impossible", f"`{value.name}` is never {_shown(literal)}", literal, hint)


def _facts_at(moment: Moment) -> str:
    return ", ".join(f"`{name}`" for name, fact in FACTS.items() if fact.exists_at(moment))


def _is_text(expr: Expr) -> bool:
    if isinstance(expr, Constant):
        return isinstance(expr.value, str)
    return isinstance(expr, Name) and expr.name in FACTS and FACTS[expr.name].type == "text"


def _is(expr: Expr, found: ValueType | None) -> str:
    return f"{_shown(expr)} is {_NOUNS[found]}" if found else _shown(expr)


def _source(expr: Expr) -> str:
    from labspec.conditions.source import to_source  # only a finding needs it

    return to_source(expr)


def _literal(value: int | str | bool) -> str:
    from labspec.conditions.source import literal_source

    return literal_source(value)


def _shown(expr: Expr) -> str:
    text = _source(expr)
    return f"`{text}`" if len(text) <= _MAX_SHOWN else f"`{text[:_MAX_SHOWN]}...`"


def _made_boolean(expr: Expr, found: ValueType | None) -> str | None:
    """How a value is usually meant where a condition is needed; literals are just wrong."""
    if isinstance(expr, Constant) or found not in ("number", "text"):
        return None
    compared = "> 0" if found == "number" else '!= ""'
    return f"compare it, such as `{_source(expr)} {compared}`"


def _quotes(side: Expr, wanted: ValueType) -> str | None:
    """The hint for a literal that has quotes and should have none, or the other way round."""
    if not isinstance(side, Constant):
        return None
    if wanted == "text":
        return f'a text needs quotes: `"{_literal(side.value)}"`'
    bare = str(side.value)
    fits = bare in ("true", "false") if wanted == "boolean" else bare.isascii() and bare.isdigit()
    return f"write `{bare}` without quotes" if isinstance(side.value, str) and fits else None
