"""The exit signature: what two runs must have in common to have ended the same way.

It covers the reason, the turns, the tool names and the last error, and neither the run
id nor the fixture. It is taken from canonical JSON, so 1, 1.0 and true all differ.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

SIGNATURE_FIELDS = ("reason", "turns", "tool_names", "last_error")
SIGNATURE_LENGTH = 12


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(value: object) -> str:
    """The one JSON text of a value: equal texts mean equal values of equal types."""
    return _ENCODER.encode(value)


def signature_values(record: Mapping[str, object]) -> tuple[object, ...]:
    """The reason, turns, tool names and last error of a record; None where missing."""
    return tuple(record.get(name) for name in SIGNATURE_FIELDS)


def exit_signature(record: Mapping[str, object]) -> str:
    """Twelve hexadecimal digits that stand for how a run ended."""
    covered = {name: record[name] for name in SIGNATURE_FIELDS if name in record}
    digest = hashlib.sha256(canonical(covered).encode("ascii")).hexdigest()
    return digest[:SIGNATURE_LENGTH]


def ending_signature(record: Mapping[str, object], exit_code: int | None) -> str:
    """The exit signature together with the exit code of the process."""
    return f"{exit_signature(record)} with exit code {exit_code}"
