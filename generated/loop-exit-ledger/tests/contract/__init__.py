"""The contract of a lab: what any runner must leave behind, whoever wrote it.

Standard library only. The tests of a student repository use it on a child process; the
compiler of the lab uses the same checks to prove the lab before it is handed out.
"""

from .bench import Bench, Run
from .checks import (
    CHECKS,
    CheckFunction,
    check_append,
    check_error_text,
    check_exit,
    check_exit_code,
    check_fields,
    check_one_line,
    check_repeat,
    check_sorted_keys,
)
from .observation import Execute, Expected, Observation
from .records import Line, Problem, Record, read_ledger
from .signature import exit_signature, signature_values
from .wording import ContractFailure

__all__ = [
    "CHECKS",
    "Bench",
    "CheckFunction",
    "ContractFailure",
    "Execute",
    "Expected",
    "Line",
    "Observation",
    "Problem",
    "Record",
    "Run",
    "check_append",
    "check_error_text",
    "check_exit",
    "check_exit_code",
    "check_fields",
    "check_one_line",
    "check_repeat",
    "check_sorted_keys",
    "exit_signature",
    "read_ledger",
    "signature_values",
]
