"""The condition language: `parse`, `check_types`, then any of the printers.

Conditions are typed and total; no text of an author's is ever evaluated by Python or JavaScript as it was written.
"""

from labspec.conditions.check_types import Names, check_types
from labspec.conditions.english import to_english
from labspec.conditions.errors import ConditionError, ErrorCode
from labspec.conditions.facts import BUDGET_PREFIX, FACTS, MOMENTS, Fact, Moment, ValueType
from labspec.conditions.javascript import to_javascript
from labspec.conditions.json_form import ExprData, from_json, to_json
from labspec.conditions.parse import MAX_DEPTH, MAX_LENGTH, parse
from labspec.conditions.phrases import Phrases
from labspec.conditions.printing import NameOf
from labspec.conditions.python import python_text, to_python
from labspec.conditions.source import to_source
from labspec.conditions.syntax import Arithmetic, Compare, Comparison, Constant, Expr, In, Logic, Name, Not
from labspec.conditions.tidy import tidy
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
    "ErrorCode",
    "Expr",
    "ExprData",
    "Fact",
    "In",
    "Logic",
    "Moment",
    "Name",
    "NameOf",
    "Names",
    "Not",
    "Phrases",
    "ValueType",
    "check_types",
    "comparisons_of",
    "from_json",
    "names_in",
    "parse",
    "python_text",
    "tidy",
    "to_english",
    "to_javascript",
    "to_json",
    "to_python",
    "to_source",
    "type_of",
]
