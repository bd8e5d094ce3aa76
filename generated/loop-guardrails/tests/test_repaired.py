"""Gate repaired, 25 points: A run ends well if and only if the last test run passed and
nothing was written since
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_exit_code, check_workspace

_WORKSPACE = {
    "fixtures/prices.py": (
        "def total(prices: list[int]) -> int:\n    return sum(prices[1:])\n"
    ),
    "check.py": (
        '"""Judges fixtures/prices.py.\n'
        "\n"
        "No tool can change this file, because it lies outside the allowed roots. The code it\n"
        "judges runs in a second process, where it can end, loop or print what it likes: all of\n"
        "that is red.\n"
        '"""\n'
        "\n"
        "import importlib\n"
        "import secrets\n"
        "import subprocess\n"
        "import sys\n"
        "\n"
        "\n"
        "def is_green() -> bool:\n"
        '    """Whether a second process adds up as it should."""\n'
        "    prices = [secrets.randbelow(1_000_000) + 1 for _ in range(5)]\n"
        "    wanted = str(sum(prices)).encode()\n"
        "    with subprocess.Popen(\n"
        '        [sys.executable, "-B", __file__, *map(str, prices)],\n'
        "        stdin=subprocess.DEVNULL,\n"
        "        stdout=subprocess.PIPE,\n"
        "        stderr=subprocess.DEVNULL,\n"
        "    ) as child:\n"
        '        came = child.stdout.read(len(wanted) + 1) if child.stdout else b""\n'
        "    return child.returncode == 0 and came == wanted\n"
        "\n"
        "\n"
        "def answer(prices: list[int]) -> None:\n"
        '    """In the second process: add up."""\n'
        '    sys.path.insert(0, "fixtures")\n'
        '    sys.stdout.write(str(importlib.import_module("prices").total(prices)))\n'
        "\n"
        "\n"
        'if __name__ == "__main__":\n'
        "    if len(sys.argv) > 1:\n"
        "        answer([int(price) for price in sys.argv[1:]])\n"
        "    else:\n"
        "        sys.exit(0 if is_green() else 1)\n"
    ),
}

REPAIRS_IT_V1 = Expected(
    reason="repaired",
    turns=4,
    tool_names=("read_file", "write_file", "run_tests"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 3 (repaired) at `decision` of turn 4: the model stops, the last test run "
        "passed, and nothing has been written since"
    ),
    closing=("stop", "repaired"),
    files={
        **_WORKSPACE,
        "fixtures/prices.py": (
            "def total(prices: list[int]) -> int:\n    return sum(prices)\n"
        ),
    },
)

RED_ONCE_V1 = Expected(
    reason="repaired",
    turns=4,
    tool_names=("run_tests", "write_file", "run_tests"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 3 (repaired) at `decision` of turn 4: the model stops, the last test run "
        "passed, and nothing has been written since"
    ),
    hints={
        "d529c9956ca1": (
            "looks like: A stop is believed if the model says that the tests are "
            "green\n"
            "hint: Ask the last test run, not the model."
        ),
        "dba73033f577": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
    },
    closing=("stop", "repaired"),
)

CLAIMS_IT_V1 = Expected(
    reason="unproven",
    turns=2,
    tool_names=("run_tests",),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 2: the decision is a stop",
    hints={
        "dbc0337e2b2e": (
            "looks like: A stop is believed if the model says that the tests are "
            "green\n"
            "hint: Ask the last test run, not the model."
        ),
        "dba73033f577": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
        "dbc0337e2b2e with exit code 0": (
            "looks like: A stop is believed if the model says that the tests are "
            "green\n"
            "hint: Ask the last test run, not the model."
        ),
        "dba73033f577 with exit code 2": (
            "looks like: The first red test run ends the run\n"
            "hint: How many red test runs in a row are still patience?"
        ),
    },
    closing=("error", "unproven"),
)

NEVER_TESTED_V1 = Expected(
    reason="unproven",
    turns=2,
    tool_names=("write_file",),
    last_error=None,
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 2: the decision is a stop",
    closing=("error", "unproven"),
)

WRITTEN_AFTER_THE_TEST_V1 = Expected(
    reason="unproven",
    turns=3,
    tool_names=("run_tests", "write_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 3: the decision is a stop",
    hints={
        "c7d288d61eda": (
            "looks like: One green test run is enough, whatever is written "
            "afterwards\n"
            "hint: Which file was tested, and which one is there now?"
        ),
    },
    closing=("error", "unproven"),
)

FALLS_SILENT_V1 = Expected(
    reason="no_answer",
    turns=1,
    tool_names=("read_file",),
    last_error="not_readable",
    exit_code=1,
    decided_by="row 1 (no_answer) at `turn` of turn 2: the plan has ended",
    closing=("error", "no_answer"),
)

NOT_A_CALL_V1 = Expected(
    reason="protocol_error",
    turns=2,
    tool_names=("read_file",),
    last_error="not_readable",
    exit_code=1,
    decided_by=(
        "row 2 (protocol_error) at `decision` of turn 2: the call has no usable name"
    ),
    closing=("error", "protocol_error"),
)

GREEN_AND_A_LOOK_V1 = Expected(
    reason="repaired",
    turns=3,
    tool_names=("run_tests", "read_file"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 3 (repaired) at `decision` of turn 3: the model stops, the last test run "
        "passed, and nothing has been written since"
    ),
    hints={
        "c053f5cdb912": (
            "looks like: A stop is believed if the model says that the tests are "
            "green\n"
            "hint: Ask the last test run, not the model."
        ),
        "c053f5cdb912 with exit code 1": (
            "looks like: A stop is believed if the model says that the tests are "
            "green\n"
            "hint: Ask the last test run, not the model."
        ),
    },
    closing=("stop", "repaired"),
    files={
        **_WORKSPACE,
        "fixtures/prices.py": (
            "def total(prices: list[int]) -> int:\n    return sum(prices)\n"
        ),
    },
)


def test_repairs_it_v1_exit(bench: Bench) -> None:
    """Read, repair, test, stop: the run ends as the table says."""
    check_exit(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_red_once_v1_exit(bench: Bench) -> None:
    """One red test run, then the repair: the run ends as the table says."""
    check_exit(bench, "red_once_v1", RED_ONCE_V1)


def test_claims_it_v1_exit(bench: Bench) -> None:
    """The tests are red, and the model says that all is well: the run ends as the table
    says.
    """
    check_exit(bench, "claims_it_v1", CLAIMS_IT_V1)


def test_never_tested_v1_exit(bench: Bench) -> None:
    """The repair is right, and nobody has run the tests: the run ends as the table
    says.
    """
    check_exit(bench, "never_tested_v1", NEVER_TESTED_V1)


def test_written_after_the_test_v1_exit(bench: Bench) -> None:
    """The tests pass, then the file is written once more: the run ends as the table
    says.
    """
    check_exit(bench, "written_after_the_test_v1", WRITTEN_AFTER_THE_TEST_V1)


def test_falls_silent_v1_exit(bench: Bench) -> None:
    """The plan ends after one call, which failed: the run ends as the table says."""
    check_exit(bench, "falls_silent_v1", FALLS_SILENT_V1)


def test_not_a_call_v1_exit(bench: Bench) -> None:
    """A call fails, and the next answer is neither a call nor a stop: the run ends as
    the table says.
    """
    check_exit(bench, "not_a_call_v1", NOT_A_CALL_V1)


def test_green_and_a_look_v1_exit(bench: Bench) -> None:
    """The tests pass, and the model looks at the file once more: the run ends as the
    table says.
    """
    check_exit(bench, "green_and_a_look_v1", GREEN_AND_A_LOOK_V1)


def test_repairs_it_v1_exit_code(bench: Bench) -> None:
    """Read, repair, test, stop: the run ends with the exit code of its reason."""
    check_exit_code(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_claims_it_v1_exit_code(bench: Bench) -> None:
    """The tests are red, and the model says that all is well: the run ends with the
    exit code of its reason.
    """
    check_exit_code(bench, "claims_it_v1", CLAIMS_IT_V1)


def test_falls_silent_v1_exit_code(bench: Bench) -> None:
    """The plan ends after one call, which failed: the run ends with the exit code of
    its reason.
    """
    check_exit_code(bench, "falls_silent_v1", FALLS_SILENT_V1)


def test_green_and_a_look_v1_exit_code(bench: Bench) -> None:
    """The tests pass, and the model looks at the file once more: the run ends with the
    exit code of its reason.
    """
    check_exit_code(bench, "green_and_a_look_v1", GREEN_AND_A_LOOK_V1)


def test_repairs_it_v1_workspace(bench: Bench) -> None:
    """Read, repair, test, stop: the run leaves the files of the workspace as agreed."""
    check_workspace(bench, "repairs_it_v1", REPAIRS_IT_V1)


def test_green_and_a_look_v1_workspace(bench: Bench) -> None:
    """The tests pass, and the model looks at the file once more: the run leaves the
    files of the workspace as agreed.
    """
    check_workspace(bench, "green_and_a_look_v1", GREEN_AND_A_LOOK_V1)
