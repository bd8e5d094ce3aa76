"""{% if solved %}Tests of the loop in the same process, one for each fixture{% else %}Your own tests of the loop{% endif %}: `pytest -q test_loop_exit.py`."""

from __future__ import annotations

import json
from pathlib import Path

{% if workspace %}
from lab import working_in, workspace_of
{% endif %}
from loop_exit import LoopExit
from run_loop import run_loop

FIXTURES = Path(__file__).resolve().parent / "fixtures"


def exit_of(fixture_id: str, folder: Path) -> LoopExit:
    """Run a fixture; the record must be the only line in its ledger."""
    text = (FIXTURES / f"{fixture_id}.json").read_text(encoding="utf-8")
    ledger = folder / "exits.jsonl"
{% if workspace %}
    fixture = json.loads(text)
    with workspace_of(fixture) as workspace, working_in(workspace):
        event = run_loop("run-001", fixture, ledger)
{% else %}
    event = run_loop("run-001", json.loads(text), ledger)
{% endif %}
    (line,) = ledger.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["reason"] == event.reason
    return event
{% for case in cases %}


{{ case.signature }}
    {{ case.docstring }}
    event = exit_of({{ case.fixture }}, tmp_path)
{% for assertion in case.assertions %}
    {{ assertion }}
{% endfor %}
{% endfor %}
{% if not solved %}


# Add a test like this one for each fixture, and for plans of your own: make a file in
# fixtures/, read the decision table, write down the exit you expect, then run pytest.
{% if gates %}
{{ gates }}
{% endif %}
{% endif %}
