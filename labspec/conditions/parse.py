"""The text of a condition read into a tree.

The grammar, loosest first:

    condition   ::=  conjunction ("or" conjunction)*
    conjunction ::=  negation ("and" negation)*
    negation    ::=  "not" negation | comparison
    comparison  ::=  sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum | ["not"] "in" options]
    options     ::=  "[" literal ("," literal)* "]"
    sum         ::=  value (("+" | "-") value)*
    value       ::=  literal | name | "(" condition ")"

It is never evaluated by any host language. What the names mean is the business of `check_types`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from labspec.conditions.errors import ConditionError
from labspec.conditions.syntax import (
    Arithmetic,
    Compare,
    Comparison,
    Constant,
    Expr,
    In,
    Junction,
    Logic,
    Name,
    Not,
    Sign,
)
from labspec.conditions.tokens import Token, read_tokens
from labspec.conditions.trees import depth_of

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LENGTH = 500
"""The most characters a condition can have."""

MAX_DEPTH = 30
"""The most nodes that can stand above each other in a tree. Everything that walks a tree relies on it."""

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def parse(text: str) -> Expr:
    """The tree of the condition `text`, with the offsets of every node.

    Raises `ConditionError`, with the place and most often with a hint, if the text is not a condition.
    """
    if len(text) > MAX_LENGTH:
        hint = "split it into several rows"
        raise ConditionError(f"the condition is longer than {MAX_LENGTH} characters", MAX_LENGTH, len(text), hint)
    if not text.strip():
        raise ConditionError("the condition is empty", 0, len(text), "write a condition, or leave the key out")
    expr = _Parser(text).whole()
    if depth_of(expr) > MAX_DEPTH:
        raise _too_deep(expr.start, expr.end)
    return expr


def _too_deep(start: int, end: int) -> ConditionError:
    return ConditionError("the condition is nested too deeply", start, end, "split it into several rows")


class _Parser:
    """One pass over the tokens; a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = read_tokens(text)
        self._position = 0
        self._nesting = 0

    def whole(self) -> Expr:
        expr = self._condition()
        if self._next.kind != "end":
            raise self._left_over(self._next)
        return expr

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    @property
    def _last_end(self) -> int:
        return self._tokens[self._position - 1].end

    def _take(self) -> Token:
        token = self._next
        self._position += 1
        return token

    def _at(self, *texts: str) -> bool:
        """True when a keyword or a sign of these comes next; a literal with the same characters is none."""
        return self._next.kind in {"keyword", "sign"} and self._next.text in texts

    def _descend(self, rule: Callable[[], Expr], token: Token) -> Expr:
        """What `rule` reads one level further down; `token` is what opened the level."""
        self._nesting += 1
        if self._nesting > MAX_DEPTH:
            raise _too_deep(token.start, len(self._text))
        expr = rule()
        self._nesting -= 1
        return expr

    def _condition(self) -> Expr:
        return self._logic("or", self._conjunction)

    def _conjunction(self) -> Expr:
        return self._logic("and", self._negation)

    def _logic(self, operator: Junction, operand: Callable[[], Expr]) -> Expr:
        start = self._next.start
        operands = [operand()]
        while self._at(operator):
            self._take()
            operands.append(operand())
        if len(operands) == 1:
            return operands[0]
        return Logic(operator, tuple(operands), start, self._last_end)

    def _negation(self) -> Expr:
        if not self._at("not"):
            return self._comparison()
        token = self._take()
        operand = self._descend(self._negation, token)
        return Not(operand, token.start, self._last_end)

    def _comparison(self) -> Expr:
        start = self._next.start
        left = self._sum()
        if self._at("in", "not"):
            return self._membership(left, start)
        if not self._at(*COMPARISONS):
            return left
        operator = cast("Comparison", self._take().text)
        middle = self._next.start
        right = self._sum()
        compare = Compare(operator, left, right, start, self._last_end)
        if self._at(*COMPARISONS, "in", "not"):
            raise self._chained(compare, middle)
        return compare

    def _chained(self, compare: Compare, middle: int) -> ConditionError:
        first = self._text[compare.start : compare.end]
        again = self._text[middle : compare.end]
        hint = f"write `{first} and {again} {self._next.text} ...`"
        return ConditionError("comparisons cannot be chained", compare.start, self._next.end, hint)

    def _membership(self, value: Expr, start: int) -> Expr:
        negated = self._at("not")
        if negated:
            token = self._take()
            if not self._at("in"):
                hint = "write `not` before a condition, `and not` between two, or `not in [...]`"
                raise ConditionError("`not` cannot stand here", token.start, token.end, hint)
        self._take()
        options = self._options()
        if self._at(*COMPARISONS, "in", "not"):
            message = "comparisons cannot be chained"
            raise ConditionError(message, start, self._next.end, "join two comparisons with `and`")
        return In(value, options, negated, start, self._last_end)

    def _options(self) -> tuple[Constant, ...]:
        opening = self._next
        if not self._at("["):
            hint = 'list the options, such as `in ["timeout", "busy"]`'
            raise ConditionError("after `in`, the options stand in square brackets", opening.start, opening.end, hint)
        options: list[Constant] = []
        while self._at("[", ","):
            self._take()
            options.append(self._option(opening))
        if not self._at("]"):
            raise self._unclosed(opening)
        self._take()
        return tuple(options)

    def _option(self, opening: Token) -> Constant:
        token = self._next
        if token.kind == "literal":
            self._take()
            return Constant(token.value, token.start, token.end)
        if token.kind == "name":
            hint = f'put a text in quotes: `"{token.text}"`; to ask for a meter or a fact, use `==`'
            raise ConditionError(f"the option `{token.text}` is not a literal", token.start, token.end, hint)
        if token.kind == "end":
            raise self._unclosed(opening)
        hint = "an option is a number, a text in quotes, `true` or `false`"
        raise ConditionError("an option is missing here", token.start, token.end, hint)

    def _unclosed(self, opening: Token) -> ConditionError:
        closing = ")" if opening.text == "(" else "]"
        if self._next.kind == "end":
            message = f"this `{opening.text}` is never closed"
            return ConditionError(message, opening.start, opening.end, f"add a `{closing}`")
        return self._left_over(self._next, f"expected `{closing}` before")

    def _sum(self) -> Expr:
        start = self._next.start
        left = self._value()
        while self._at("+", "-"):
            sign = cast("Sign", self._take().text)
            left = Arithmetic(sign, left, self._value(), start, self._last_end)
        return left

    def _value(self) -> Expr:
        token = self._next
        if token.kind == "literal":
            self._take()
            return Constant(token.value, token.start, token.end)
        if token.kind == "name":
            return self._name(self._take())
        if self._at("("):
            return self._parenthesised(self._take())
        raise self._missing_value(token)

    def _name(self, token: Token) -> Name:
        if self._at("("):
            hint = "a condition calls no functions: compare facts, meters and budgets"
            raise ConditionError(f"`{token.text}` cannot be called", token.start, self._next.end, hint)
        if self._at("["):
            hint = "write a fact with a dot, such as `result.ok`, and a budget such as `budgets.turns`"
            raise ConditionError(f"`{token.text}` cannot be indexed", token.start, self._next.end, hint)
        return Name(token.text, token.start, token.end)

    def _parenthesised(self, opening: Token) -> Expr:
        if self._at(")"):
            raise ConditionError("these parentheses are empty", opening.start, self._next.end)
        expr = self._descend(self._condition, opening)
        if not self._at(")"):
            raise self._unclosed(opening)
        self._take()
        return expr

    def _missing_value(self, token: Token) -> ConditionError:
        if token.kind == "end":
            return ConditionError("the condition breaks off: a value is missing at its end", token.start, token.end)
        if token.text == "not":
            return ConditionError("`not` cannot stand here", token.start, token.end, "put parentheses: `(not ...)`")
        if token.text == "[":
            hint = 'square brackets stand after `in`, such as `result.error in ["timeout", "busy"]`'
            return ConditionError("a list cannot stand here", token.start, token.end, hint)
        negative = "there are no negative numbers; write a subtraction, such as `0 - 1`"
        message = f"a value is missing before `{token.text}`"
        return ConditionError(message, token.start, token.end, negative if token.text == "-" else None)

    def _left_over(self, token: Token, complaint: str = "expected `and` or `or` before") -> ConditionError:
        if token.text in {")", "]"}:
            return ConditionError(f"this `{token.text}` closes nothing", token.start, token.end)
        if token.text == ",":
            hint = "join conditions with `and` or `or`"
            return ConditionError("a comma stands only between options", token.start, token.end, hint)
        return ConditionError(f"{complaint} `{token.text}`", token.start, token.end)
