"""The condition language: typed, total, and never evaluated as it was written.

`parse` reads a text, `check_types` says what is wrong with it, `to_json` puts it into a machine. The printers are in
modules of their own (`python`, `javascript`, `english`, `source`), imported by those who print.
"""

from labspec.conditions.check_types import Names, check_types
from labspec.conditions.errors import ConditionError
from labspec.conditions.facts import BUDGET_PREFIX, FACTS, MOMENTS, Fact, Moment, ValueType
from labspec.conditions.json_form import from_json, to_json
from labspec.conditions.parse import MAX_DEPTH, MAX_LENGTH, parse
from labspec.conditions.syntax import Arithmetic, Compare, Comparison, Constant, Expr, In, Logic, Name, Not
from labspec.conditions.trees import comparisons_of, names_in, type_of

__all__ = [
    "BUDGET_PREFIX",
    "FACTS",
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MOMENTS",
    "Arithmetic",
    "Compare",
    "Comparison",
    "ConditionError",
    "Constant",
    "Expr",
    "Fact",
    "In",
    "Logic",
    "Moment",
    "Name",
    "Names",
    "Not",
    "ValueType",
    "check_types",
    "comparisons_of",
    "from_json",
    "names_in",
    "parse",
    "to_json",
    "type_of",
]
