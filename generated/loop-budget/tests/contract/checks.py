"""The contract: what every run of a fixture must leave behind.

Each check takes a bench, the id of a fixture and what is expected of it, starts as many
runs as it needs, and raises `ContractFailure` with the whole story if the runner does
not keep its word. A check looks at one thing only: a record with unsorted keys fails
`check_sorted_keys` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TypeAlias

from .bench import Bench
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
from .observation import Expected
from .trace_checks import check_closing, check_report, check_trace, check_use
from .workspace_checks import check_inside, check_workspace

CheckFunction: TypeAlias = Callable[[Bench, str, Expected], None]

CHECKS: MappingProxyType[str, CheckFunction] = MappingProxyType(
    {
        "exit": check_exit,
        "one_line": check_one_line,
        "append": check_append,
        "fields": check_fields,
        "sorted_keys": check_sorted_keys,
        "error_text": check_error_text,
        "repeat": check_repeat,
        "exit_code": check_exit_code,
        "trace": check_trace,
        "closing": check_closing,
        "use": check_use,
        "report": check_report,
        "workspace": check_workspace,
        "inside": check_inside,
    }
)
"""Every check by its kind. The kind `exit` is the function `check_exit`."""
