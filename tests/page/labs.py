"""The labs whose drawings and gauges are looked at."""

from __future__ import annotations

from tests.prove.pages import SPECS, lab_of, small_lab

SMALL = small_lab()
HOSTILE = lab_of(SPECS / "valid" / "markup-in-every-text.yaml")
LABS = [lab_of(path) for path in sorted((SPECS.parents[1] / "specs").glob("*.yaml"))]
"""Those that we ship."""
