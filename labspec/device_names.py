"""The file names that Windows keeps for devices. Neither a name of a lab nor the folder of a course can be one."""

from __future__ import annotations

from typing import Final

DEVICE_NAMES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
"""In lower case, and with any ending."""
