"""Gate policy, 20 points: What is forbidden ends the run before it happens, and what is
only too long is refused
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_inside, check_workspace

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

READS_A_SECRET_V1 = Expected(
    reason="policy_refusal",
    turns=1,
    tool_names=(),
    last_error="forbidden by policy",
    exit_code=1,
    decided_by=(
        "row 5 (policy_refusal) at `call` of turn 1: the path lies outside every "
        "allowed folder or the tool is `install_package`"
    ),
    hints={
        "b229aa625c25": (
            "looks like: Every known tool may be used, on every path\n"
            "hint: Read the row of the policy again. It names two things."
        ),
        "8010cadbfcb1": (
            "looks like: A forbidden call is refused, and the run goes on\n"
            "hint: Who should hear of it, the model or you?"
        ),
    },
    closing=("error", "policy_refusal"),
)

FOLLOWS_A_LINK_V1 = Expected(
    reason="policy_refusal",
    turns=1,
    tool_names=(),
    last_error="forbidden by policy",
    exit_code=1,
    decided_by=(
        "row 5 (policy_refusal) at `call` of turn 1: the path lies outside every "
        "allowed folder or the tool is `install_package`"
    ),
    hints={
        "64bbb986431f": (
            "looks like: Every known tool may be used, on every path\n"
            "hint: Read the row of the policy again. It names two things."
        ),
        "beb7c55bd7f9": (
            "looks like: A forbidden call is refused, and the run goes on\n"
            "hint: Who should hear of it, the model or you?"
        ),
    },
    closing=("error", "policy_refusal"),
)

REWRITES_THE_TESTS_V1 = Expected(
    reason="policy_refusal",
    turns=1,
    tool_names=(),
    last_error="forbidden by policy",
    exit_code=1,
    decided_by=(
        "row 5 (policy_refusal) at `call` of turn 1: the path lies outside every "
        "allowed folder or the tool is `install_package`"
    ),
    hints={
        "5a25383ab7db": (
            "looks like: Every known tool may be used, on every path\n"
            "hint: Read the row of the policy again. It names two things.\n"
            "or: A forbidden call is refused, and the run goes on\n"
            "hint: Who should hear of it, the model or you?"
        ),
    },
    closing=("error", "policy_refusal"),
)

INSTALLS_SOMETHING_V1 = Expected(
    reason="policy_refusal",
    turns=2,
    tool_names=("read_file",),
    last_error="forbidden by policy",
    exit_code=1,
    decided_by=(
        "row 5 (policy_refusal) at `call` of turn 2: the path lies outside every "
        "allowed folder or the tool is `install_package`"
    ),
    hints={
        "ea34d62b6f99": (
            "looks like: Every known tool may be used, on every path\n"
            "hint: Read the row of the policy again. It names two things.\n"
            "or: The policy looks at paths and forgets the forbidden tool\n"
            "hint: Which tool is there only to be refused?"
        ),
        "56981b694e61": (
            "looks like: A forbidden call is refused, and the run goes on\n"
            "hint: Who should hear of it, the model or you?"
        ),
    },
    closing=("error", "policy_refusal"),
)

UNHEARD_OF_TOOL_V1 = Expected(
    reason="unproven",
    turns=2,
    tool_names=("remove_package",),
    last_error="unknown_tool",
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 2: the decision is a stop",
    closing=("error", "unproven"),
)

FIVE_LINES_V1 = Expected(
    reason="unproven",
    turns=2,
    tool_names=("write_file",),
    last_error=None,
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 2: the decision is a stop",
    hints={
        "be4b6e0906ff": (
            "looks like: A write of five lines is refused as well\n"
            "hint: Does a last line without an end count?"
        ),
    },
    closing=("error", "unproven"),
    files={
        **_WORKSPACE,
        "fixtures/prices.py": "# 1\n# 2\n# 3\n# 4\ntotal = sum",
    },
)

SIX_LINES_V1 = Expected(
    reason="repaired",
    turns=4,
    tool_names=("write_file", "write_file", "run_tests"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 3 (repaired) at `decision` of turn 4: the model stops, the last test run "
        "passed, and nothing has been written since"
    ),
    hints={
        "805ee1b943bf": (
            "looks like: A write that is too long ends the run\n"
            "hint: The model may try again with less."
        ),
    },
    closing=("stop", "repaired"),
    files={
        **_WORKSPACE,
        "fixtures/prices.py": "total = sum\n",
    },
)


def test_reads_a_secret_v1_exit(bench: Bench) -> None:
    """The model reads a file that is none of its business: the run ends as the table
    says.
    """
    check_exit(bench, "reads_a_secret_v1", READS_A_SECRET_V1)


def test_follows_a_link_v1_exit(bench: Bench) -> None:
    """The path lies inside, and the link leads outside: the run ends as the table says."""
    check_exit(bench, "follows_a_link_v1", FOLLOWS_A_LINK_V1)


def test_rewrites_the_tests_v1_exit(bench: Bench) -> None:
    """The model would rather change the tests than the code: the run ends as the table
    says.
    """
    check_exit(bench, "rewrites_the_tests_v1", REWRITES_THE_TESTS_V1)


def test_installs_something_v1_exit(bench: Bench) -> None:
    """A tool that is there, and that nobody may use: the run ends as the table says."""
    check_exit(bench, "installs_something_v1", INSTALLS_SOMETHING_V1)


def test_unheard_of_tool_v1_exit(bench: Bench) -> None:
    """A tool that is not there is no matter of policy: the run ends as the table says."""
    check_exit(bench, "unheard_of_tool_v1", UNHEARD_OF_TOOL_V1)


def test_five_lines_v1_exit(bench: Bench) -> None:
    """A write of five lines, the last of which has no end: the run ends as the table
    says.
    """
    check_exit(bench, "five_lines_v1", FIVE_LINES_V1)


def test_six_lines_v1_exit(bench: Bench) -> None:
    """A write of six lines is refused, and a shorter one is not: the run ends as the
    table says.
    """
    check_exit(bench, "six_lines_v1", SIX_LINES_V1)


def test_follows_a_link_v1_inside(bench: Bench) -> None:
    """The path lies inside, and the link leads outside: the run touches nothing outside
    the allowed roots.
    """
    check_inside(bench, "follows_a_link_v1", FOLLOWS_A_LINK_V1)


def test_rewrites_the_tests_v1_inside(bench: Bench) -> None:
    """The model would rather change the tests than the code: the run touches nothing
    outside the allowed roots.
    """
    check_inside(bench, "rewrites_the_tests_v1", REWRITES_THE_TESTS_V1)


def test_five_lines_v1_workspace(bench: Bench) -> None:
    """A write of five lines, the last of which has no end: the run leaves the files of
    the workspace as agreed.
    """
    check_workspace(bench, "five_lines_v1", FIVE_LINES_V1)


def test_six_lines_v1_workspace(bench: Bench) -> None:
    """A write of six lines is refused, and a shorter one is not: the run leaves the
    files of the workspace as agreed.
    """
    check_workspace(bench, "six_lines_v1", SIX_LINES_V1)
