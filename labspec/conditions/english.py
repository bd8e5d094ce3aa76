"""A condition printed as the sentence a teacher would write into a decision table."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from labspec.conditions.facts import BUDGET_PREFIX
from labspec.conditions.phrases import LITERAL_VERBS, NUMBERS, TEXTS, TRUTHS, VERBS, Phrases, Truth, Wording
from labspec.conditions.source import literal_source, to_source
from labspec.conditions.syntax import Arithmetic, Compare, Constant, Expr, In, Logic, Name, Not
from labspec.conditions.tidy import tidy
from labspec.conditions.trees import type_of

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN_PHRASES = Phrases()

_BARE_TEXT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:./-]*")


def to_english(expr: Expr, phrases: Phrases = PLAIN_PHRASES) -> str:
    """What a well-typed condition says, in English: a clause without a capital or a full stop.

    A number comes out as a noun ("the bytes of the call"). Where `and` and `or` mix, commas, "both" and "either"
    (and below that, parentheses) say what belongs together.
    """
    return _Writer(phrases).whole(tidy(expr))


class _Writer:
    """A method for each form of a clause."""

    def __init__(self, phrases: Phrases) -> None:
        self._phrases = phrases
        self._code = phrases.code

    def whole(self, expr: Expr) -> str:
        if isinstance(expr, Logic):
            return self._outermost(expr)
        return self._clause(expr) if type_of(expr) == "boolean" else self._noun(expr)

    def _outermost(self, logic: Logic) -> str:
        if any(isinstance(operand, Logic) for operand in logic.operands):
            return f", {logic.operator} ".join(self._clauses(logic, self._group))
        return _listed(self._clauses(logic, self._clause), logic.operator)

    def _group(self, expr: Expr) -> str:
        """An operand of the outermost `and` or `or`, between its commas."""
        if not isinstance(expr, Logic):
            return self._clause(expr)
        clauses = self._clauses(expr, self._clause)
        if len(clauses) == 1:
            return clauses[0]
        joined = f" {expr.operator} ".join(clauses)
        if len(clauses) > 2:
            return f"({joined})"
        return f"{'both' if expr.operator == 'and' else 'either'} {joined}"

    def _clauses(self, logic: Logic, say: Callable[[Expr], str]) -> list[str]:
        """The operands, those drawn together that say in a row what one thing is: "the result is ok and final"."""
        clauses: list[str] = []
        for subject, group in groupby(logic.operands, _subject):
            operands = list(group)
            if subject is None:
                clauses.extend(map(say, operands))
            else:
                clauses.append(f"{subject} {_drawn_together(operands, logic.operator)}")
        return clauses

    def _clause(self, expr: Expr) -> str:
        match expr:
            case Logic():
                return f"({self._outermost(expr)})"
            case Constant(value=value):
                return "always" if value else "never"
            case Name() | Not(operand=Name()):
                return self._truth(expr)
            case Not(operand=operand):
                return f"it is not true that {self._enclosed(operand)}"
            case Compare():
                return self._comparison(expr)
            case In():
                return self._membership(expr)
            case _:
                return self._as_code(expr)

    def _enclosed(self, expr: Expr) -> str:
        return f"({self.whole(expr)})"

    def _as_code(self, expr: Expr) -> str:
        return f"{self._code(to_source(expr))} holds"

    def _truth(self, expr: Expr) -> str:
        truth = _truth_of(expr)
        return f"{truth.subject} {_predicate(expr)}" if truth else self._as_code(expr)

    def _comparison(self, compare: Compare) -> str:
        kind = type_of(compare.left)
        if kind == "boolean":
            return self._agreement(compare)
        if isinstance(compare.right, Constant):
            special = self._against_text(compare) if kind == "text" else self._against_zero(compare)
            if special:
                return special
        verbs = LITERAL_VERBS if isinstance(compare.right, Constant) else VERBS
        singular, plural = verbs[compare.operator]
        verb = plural if _is_plural(compare.left) else singular
        return f"{self._noun(compare.left)} {verb} {self._noun(compare.right)}"

    def _agreement(self, compare: Compare) -> str:
        left, right = self._enclosed(compare.left), self._enclosed(compare.right)
        return f"{left} exactly when {right}" if compare.operator == "==" else f"either {left} or {right}, not both"

    def _against_zero(self, compare: Compare) -> str | None:
        if not _is_meter(compare.left) or compare.right != Constant(0) or compare.operator not in ("==", "!=", ">"):
            return None
        return f"there are {'no ' if compare.operator == '==' else ''}{self._noun(compare.left)}"

    def _against_text(self, compare: Compare) -> str:
        equal = compare.operator == "=="
        wording = _wording(compare.left)
        if wording and compare.right == Constant(""):
            return wording.empty if equal else wording.present
        return f"{self._noun(compare.left)} is {'' if equal else 'not '}{self._option(compare.left, compare.right)}"

    def _membership(self, membership: In) -> str:
        if type_of(membership.value) == "boolean":
            return self._as_code(membership)
        verb = "are" if _is_plural(membership.value) else "is"
        options = ", ".join(self._option(membership.value, option) for option in membership.options)
        return f"{self._noun(membership.value)} {verb} {'none' if membership.negated else 'one'} of {options}"

    def _option(self, value: Expr, option: Expr) -> str:
        """A literal, in the words of the fact it is compared with."""
        wording = _wording(value)
        if wording and isinstance(option, Constant) and option.value in wording.values:
            return wording.values[str(option.value)]
        return self._noun(option)

    def _noun(self, expr: Expr) -> str:
        match expr:
            case Constant(value=str(text)):
                return self._code(text if _BARE_TEXT.fullmatch(text) else literal_source(text))
            case Constant(value=value):
                return literal_source(value)
            case Name(name=name):
                return self._named(name)
            case Arithmetic(operator=operator, left=left, right=right):
                second = f"({self._noun(right)})" if isinstance(right, Arithmetic) else self._noun(right)
                return f"{self._noun(left)} {'plus' if operator == '+' else 'minus'} {second}"
            case _:
                return self._code(to_source(expr))

    def _named(self, name: str) -> str:
        if name.startswith(BUDGET_PREFIX):
            return f"the {self._code(name.removeprefix(BUDGET_PREFIX))} budget"
        if name in TEXTS:
            return TEXTS[name].noun
        return self._phrases.nouns.get(name) or NUMBERS.get(name) or name.replace("_", " ")


def _listed(clauses: list[str], word: str) -> str:
    *first, last = clauses
    return f"{', '.join(first)} {word} {last}" if first else last


def _truth_of(expr: Expr) -> Truth | None:
    name = expr.operand if isinstance(expr, Not) else expr
    return TRUTHS.get(name.name) if isinstance(name, Name) else None


def _predicate(expr: Expr) -> str:
    truth = _truth_of(expr)
    if truth is None:
        return ""
    return truth.fails if isinstance(expr, Not) else truth.holds


def _subject(expr: Expr) -> str | None:
    """What an operand says "is" of, if that is the form of its clause."""
    truth = _truth_of(expr)
    return truth.subject if truth and _predicate(expr).startswith("is ") else None


def _drawn_together(operands: list[Expr], word: str) -> str:
    """One predicate: "is ok and not final", but "is not ok and is final", as "not ok and final" is heard as one."""
    first, *others = map(_predicate, operands)
    negative = any(predicate.startswith("is not ") for predicate in (first, *others[:-1]))
    return f" {word} ".join([first, *(other if negative else other.removeprefix("is ") for other in others)])


def _wording(expr: Expr) -> Wording | None:
    return TEXTS.get(expr.name) if isinstance(expr, Name) else None


def _is_meter(expr: Expr) -> bool:
    return isinstance(expr, Name) and "." not in expr.name


def _is_plural(expr: Expr) -> bool:
    if isinstance(expr, Arithmetic):
        return _is_plural(expr.left)
    return isinstance(expr, Name) and type_of(expr) == "number" and not expr.name.startswith(BUDGET_PREFIX)
