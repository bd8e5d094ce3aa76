{{ module }}

from __future__ import annotations

{% if imports %}
from contract import {{ imports }}
{% endif %}
{% if own %}
from contract.own_tests import (
    Mutants,
    OwnTests,
    check_own_tests_catch,
    check_own_tests_pass,
)
{% endif %}
{% if base_files %}

{{ base_files }}
{% endif %}
{% for case in cases %}

{{ case.constant }} = Expected(
    reason={{ case.reason }},
    turns={{ case.turns }},
    tool_names={{ case.tool_names }},
    last_error={{ case.last_error }},
    exit_code={{ case.exit_code }},
    decided_by={{ case.decided_by }},
{% if case.max_error_chars %}
    max_error_chars={{ case.max_error_chars }},
{% endif %}
{% if case.hints %}
    hints={
{% for hint in case.hints %}
{{ hint }}
{% endfor %}
    },
{% endif %}
{% for argument in case.more %}
{{ argument }}
{% endfor %}
)
{% endfor %}
{% if own %}


def test_own_tests_pass(own_tests: OwnTests) -> None:
    {{ own.pass_docstring }}
    {{ own.pass_call }}


def test_own_tests_catch(own_tests: OwnTests, mutants: Mutants) -> None:
    {{ own.catch_docstring }}
    {{ own.catch_call }}
{% endif %}
{% for check in checks %}


{{ check.signature }}
    {{ check.docstring }}
    {{ check.call }}
{% endfor %}
