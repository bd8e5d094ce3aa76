"""The contract of a lab: what any runner must leave behind, whoever wrote it.

Standard library only. The tests of a student repository use it on a child process; the
compiler of the lab uses the same checks to prove the lab before it is handed out.
"""

from .bench import Bench, Run
from .checks import CHECKS, CheckFunction
from .ledger_checks import (
    check_append,
    check_error_text,
    check_exit,
    check_exit_code,
    check_fields,
    check_one_line,
    check_repeat,
    check_sorted_keys,
)
from .observation import (
    HANGS,
    MISSING_TRACE,
    WROTE_OUTSIDE,
    Execute,
    Expected,
    Observation,
    Report,
)
from .records import Line, Problem, Record, read_ledger
from .signature import ending_signature, exit_signature, signature_values
from .trace_checks import check_closing, check_report, check_trace, check_use
from .traces import Trace, read_trace
from .wording import ContractFailure
from .workspace_checks import check_inside, check_workspace

__all__ = [
    "CHECKS",
    "HANGS",
    "MISSING_TRACE",
    "WROTE_OUTSIDE",
    "Bench",
    "CheckFunction",
    "ContractFailure",
    "Execute",
    "Expected",
    "Line",
    "Observation",
    "Problem",
    "Record",
    "Report",
    "Run",
    "Trace",
    "check_append",
    "check_closing",
    "check_error_text",
    "check_exit",
    "check_exit_code",
    "check_fields",
    "check_inside",
    "check_one_line",
    "check_repeat",
    "check_report",
    "check_sorted_keys",
    "check_trace",
    "check_use",
    "check_workspace",
    "ending_signature",
    "exit_signature",
    "read_ledger",
    "read_trace",
    "signature_values",
]
