"""Random well-typed conditions, and random facts they can be asked about."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import strategies as st

from labspec.conditions import FACTS, Arithmetic, Compare, Constant, Expr, In, Logic, Name, Names, Not
from labspec.conditions.syntax import LARGEST_NUMBER, Comparison, Junction, Sign, Value

Facts: TypeAlias = dict[str, Value]

METERS = ("turns", "failures", "red_tests")
BUDGETS = ("budgets.turns", "budgets.retries")
NAMES = Names(frozenset(METERS), frozenset(budget.removeprefix("budgets.") for budget in BUDGETS))
# `plan.ended` exists at `turn` only, where no other fact does, so it takes no part.
KNOWN = {name: fact for name, fact in FACTS.items() if fact.exists_at("result")}

_COMPARISONS: tuple[Comparison, ...] = ("==", "!=", "<", "<=", ">", ">=")
_EQUALITIES: tuple[Comparison, ...] = ("==", "!=")
_JUNCTIONS: tuple[Junction, ...] = ("and", "or")
_SIGNS: tuple[Sign, ...] = ("+", "-")

# Few values, so that comparisons come out true about as often as false.
small_numbers = st.integers(0, 3) | st.sampled_from([10, LARGEST_NUMBER])
_special_texts = ["", "timeout", "it's", 'say "x"', "a\\b\nc", "\u00e9\U0001f600", "constructor"]
# Control characters, line separators and lone surrogates cannot be written in a condition.
_any_text = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=8)
texts = st.sampled_from(_special_texts) | _any_text


def _names(kind: str, *others: str) -> st.SearchStrategy[Expr]:
    return st.sampled_from([*others, *(name for name, fact in KNOWN.items() if fact.type == kind)]).map(Name)


def _constants(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Constant]:
    return values.map(Constant)


def _numbers() -> st.SearchStrategy[Expr]:
    leaves = _names("number", *METERS, *BUDGETS) | _constants(small_numbers)
    return st.recursive(leaves, lambda part: st.builds(Arithmetic, st.sampled_from(_SIGNS), part, part), max_leaves=4)


def _membership(value: st.SearchStrategy[Expr], options: st.SearchStrategy[Constant]) -> st.SearchStrategy[Expr]:
    return st.builds(In, value, st.lists(options, min_size=1, max_size=3).map(tuple), st.booleans())


def _texts() -> st.SearchStrategy[Expr]:
    # `decision.type` has a closed set of values; comparing it with any other text is a finding.
    open_names = [name for name, fact in KNOWN.items() if fact.type == "text" and not fact.values]
    return st.sampled_from(open_names).map(Name) | _constants(texts)


def _comparisons() -> st.SearchStrategy[Expr]:
    types = st.sampled_from(FACTS["decision.type"].values)
    return st.one_of(
        st.builds(Compare, st.sampled_from(_COMPARISONS), _numbers(), _numbers()),
        st.builds(Compare, st.sampled_from(_EQUALITIES), _texts(), _texts()),
        st.builds(Compare, st.sampled_from(_EQUALITIES), st.just(Name("decision.type")), _constants(types)),
        _membership(_texts(), _constants(texts)),
        _membership(st.just(Name("decision.type")), _constants(types)),
        _membership(_numbers(), _constants(small_numbers)),
    )


def _larger(part: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    operands = st.lists(part, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Not, part),
        st.builds(Logic, st.sampled_from(_JUNCTIONS), operands),
        st.builds(Compare, st.sampled_from(_EQUALITIES), part, part),
        _membership(part, _constants(st.booleans())),
    )


conditions: st.SearchStrategy[Expr] = st.recursive(
    _names("boolean") | _comparisons() | _constants(st.booleans()), _larger, max_leaves=8
)

_VALUES: dict[str, st.SearchStrategy[Value]] = {"boolean": st.booleans(), "number": small_numbers, "text": texts}

facts: st.SearchStrategy[Facts] = st.fixed_dictionaries(
    {
        **dict.fromkeys((*METERS, *BUDGETS), small_numbers),
        **{name: st.sampled_from(fact.values) if fact.values else _VALUES[fact.type] for name, fact in KNOWN.items()},
    }
)
