"""Gate happy_path, 25 points: A run ends well, with exit code 0, if and only if the
tests are green
"""

from __future__ import annotations

from contract import (
    Bench,
    Expected,
    check_exit,
    check_exit_code,
    check_repeat,
    check_workspace,
)

_WORKSPACE = {
    "fixtures/app.js": 'export function greet(name) {\n  return "hi " + name;\n}\n',
    "fixtures/notes.txt": 'greet(name) must return "hello, " and the name.\n',
    "package.json": '{"type": "module"}\n',
    "check.mjs": (
        "// Judges fixtures/app.js. No tool can change this file, because it lies outside the allowed roots. The code it\n"
        "// judges runs in a second process, where it can end, loop or print what it likes: all of that is red.\n"
        'import { spawnSync } from "node:child_process";\n'
        'import { randomBytes } from "node:crypto";\n'
        'import { fileURLToPath } from "node:url";\n'
        "\n"
        "function isGreen() {\n"
        '  const names = ["ada", "", ...[1, 2, 3].map(() => randomBytes(8).toString("hex"))];\n'
        "  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...names], {\n"
        '    encoding: "utf8",\n'
        '    stdio: ["ignore", "pipe", "ignore"],\n'
        "  });\n"
        "  const wanted = JSON.stringify(names.map((name) => `hello, ${name}`));\n"
        "  return child.status === 0 && child.stdout === wanted;\n"
        "}\n"
        "\n"
        "const asked = process.argv.slice(2);\n"
        "if (asked.length > 0) {\n"
        '  const { greet } = await import("./fixtures/app.js");\n'
        "  process.stdout.write(JSON.stringify(asked.map((name) => greet(name))));\n"
        "} else {\n"
        "  process.exitCode = isGreen() ? 0 : 1;\n"
        "}\n"
    ),
}

HAPPY_PATH_V1 = Expected(
    reason="tests_green",
    turns=4,
    tool_names=("read_file", "write_file", "run_tests"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 4 (tests_green) at `decision` of turn 4: the model stops, the last test "
        "run passed, and nothing has been written since"
    ),
    hints={
        "11203fd8025f": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "11203fd8025f with exit code 1": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("stop", "tests_green"),
    files={
        **_WORKSPACE,
        "fixtures/app.js": (
            "export function greet(name) {\n  return `hello, ${name}`;\n}\n"
        ),
    },
)

STOP_WHILE_RED_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("run_tests",),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "843dc0f60954": (
            "looks like: A stop that calls the tests green is believed\n"
            "hint: Who has run the tests, the model or the loop?"
        ),
        "a1a81b88a608": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "ff496f165923": (
            "looks like: The first red test run ends the loop\n"
            "hint: A failed tool call is news for the model. It may still repair what "
            "it has broken."
        ),
        "843dc0f60954 with exit code 0": (
            "looks like: A stop that calls the tests green is believed\n"
            "hint: Who has run the tests, the model or the loop?"
        ),
        "3737403cf0e4 with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
    closing=("error", "stopped_red"),
)

FORGED_STOP_V1 = Expected(
    reason="stopped_red",
    turns=1,
    tool_names=(),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 1: the decision is a stop",
    hints={
        "1a9c6e290c88": (
            "looks like: A stop that calls the tests green is believed\n"
            "hint: Who has run the tests, the model or the loop?"
        ),
        "0ae50f04384f": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)

STALE_GREEN_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("run_tests", "write_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "f6d33ac37e51": (
            "looks like: A stop that calls the tests green is believed\n"
            "hint: Who has run the tests, the model or the loop?\n"
            "or: A test run that passed once counts for the rest of the run\n"
            "hint: What can happen to a file after it was tested?"
        ),
        "6a686f6edfe1": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
    files={
        **_WORKSPACE,
        "fixtures/app.js": 'export const greet = () => "hello";\n',
    },
)

GREEN_THEN_RED_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("run_tests", "run_tests"),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "07a4e7ed692a": (
            "looks like: A stop that calls the tests green is believed\n"
            "hint: Who has run the tests, the model or the loop?\n"
            "or: A red test run does not take back an earlier green one\n"
            "hint: Two test runs need not agree. Which one counts?"
        ),
        "1af54171f096": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "1d464c9d3665": (
            "looks like: The first red test run ends the loop\n"
            "hint: A failed tool call is news for the model. It may still repair what "
            "it has broken."
        ),
    },
    closing=("error", "stopped_red"),
)

MODEST_STOP_V1 = Expected(
    reason="tests_green",
    turns=3,
    tool_names=("run_tests", "read_file"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 4 (tests_green) at `decision` of turn 3: the model stops, the last test "
        "run passed, and nothing has been written since"
    ),
    hints={
        "845ece70bc89": (
            "looks like: A stop that calls the tests green is believed\n"
            "hint: Who has run the tests, the model or the loop?"
        ),
        "85e0d3f3c069": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("stop", "tests_green"),
)

FAILED_WRITE_KEEPS_GREEN_V1 = Expected(
    reason="tests_green",
    turns=3,
    tool_names=("run_tests", "write_file"),
    last_error=None,
    exit_code=0,
    decided_by=(
        "row 4 (tests_green) at `decision` of turn 3: the model stops, the last test "
        "run passed, and nothing has been written since"
    ),
    hints={
        "4e33bc2e8d44": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("stop", "tests_green"),
)

SCRIPT_ENDS_V1 = Expected(
    reason="script_exhausted",
    turns=2,
    tool_names=("read_file",),
    last_error="not_readable",
    exit_code=1,
    decided_by=(
        "row 3 (script_exhausted) at `decision` of turn 2: the decision is a stop and "
        "the reason given is `script_exhausted`"
    ),
    closing=("error", "script_exhausted"),
)

SCRIPT_ENDS_GREEN_V1 = Expected(
    reason="script_exhausted",
    turns=2,
    tool_names=("run_tests",),
    last_error=None,
    exit_code=1,
    decided_by=(
        "row 3 (script_exhausted) at `decision` of turn 2: the decision is a stop and "
        "the reason given is `script_exhausted`"
    ),
    hints={
        "159f0286a90d with exit code 0": (
            "looks like: A script that runs out ends the run well\n"
            "hint: Did the model say that it stops, or was it never asked again?\n"
            "or: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
    closing=("error", "script_exhausted"),
)

REWRITTEN_TESTS_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("write_file", "run_tests"),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "d4e2228a54b2": (
            "looks like: A stop that calls the tests green is believed\n"
            "hint: Who has run the tests, the model or the loop?"
        ),
        "1201f194e71f": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "cd98744fb131": (
            "looks like: The first red test run ends the loop\n"
            "hint: A failed tool call is news for the model. It may still repair what "
            "it has broken."
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "3f7b51c270b3": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
    files=_WORKSPACE,
)


def test_happy_path_v1_exit(bench: Bench) -> None:
    """Read, repair, test, stop: the run ends as the table says."""
    check_exit(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_stop_while_red_v1_exit(bench: Bench) -> None:
    """The tests are red, and the model calls them green: the run ends as the table
    says.
    """
    check_exit(bench, "stop_while_red_v1", STOP_WHILE_RED_V1)


def test_forged_stop_v1_exit(bench: Bench) -> None:
    """The model calls the tests green and has never run them: the run ends as the table
    says.
    """
    check_exit(bench, "forged_stop_v1", FORGED_STOP_V1)


def test_stale_green_v1_exit(bench: Bench) -> None:
    """The tests pass, then the file is written once more: the run ends as the table
    says.
    """
    check_exit(bench, "stale_green_v1", STALE_GREEN_V1)


def test_green_then_red_v1_exit(bench: Bench) -> None:
    """The same file passes the first test run and fails the second: the run ends as the
    table says.
    """
    check_exit(bench, "green_then_red_v1", GREEN_THEN_RED_V1)


def test_modest_stop_v1_exit(bench: Bench) -> None:
    """The tests are green, and the model only says that it stops: the run ends as the
    table says.
    """
    check_exit(bench, "modest_stop_v1", MODEST_STOP_V1)


def test_failed_write_keeps_green_v1_exit(bench: Bench) -> None:
    """The tests pass, then a write fails: the run ends as the table says."""
    check_exit(bench, "failed_write_keeps_green_v1", FAILED_WRITE_KEEPS_GREEN_V1)


def test_script_ends_v1_exit(bench: Bench) -> None:
    """The script ends after one call, which failed: the run ends as the table says."""
    check_exit(bench, "script_ends_v1", SCRIPT_ENDS_V1)


def test_script_ends_green_v1_exit(bench: Bench) -> None:
    """The script ends after a green test run: the run ends as the table says."""
    check_exit(bench, "script_ends_green_v1", SCRIPT_ENDS_GREEN_V1)


def test_rewritten_tests_v1_exit(bench: Bench) -> None:
    """The model makes the tests green by rewriting them: the run ends as the table
    says.
    """
    check_exit(bench, "rewritten_tests_v1", REWRITTEN_TESTS_V1)


def test_happy_path_v1_exit_code(bench: Bench) -> None:
    """Read, repair, test, stop: the run ends with the exit code of its reason."""
    check_exit_code(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_stop_while_red_v1_exit_code(bench: Bench) -> None:
    """The tests are red, and the model calls them green: the run ends with the exit
    code of its reason.
    """
    check_exit_code(bench, "stop_while_red_v1", STOP_WHILE_RED_V1)


def test_script_ends_green_v1_exit_code(bench: Bench) -> None:
    """The script ends after a green test run: the run ends with the exit code of its
    reason.
    """
    check_exit_code(bench, "script_ends_green_v1", SCRIPT_ENDS_GREEN_V1)


def test_happy_path_v1_workspace(bench: Bench) -> None:
    """Read, repair, test, stop: the run leaves the files of the workspace as agreed."""
    check_workspace(bench, "happy_path_v1", HAPPY_PATH_V1)


def test_stale_green_v1_workspace(bench: Bench) -> None:
    """The tests pass, then the file is written once more: the run leaves the files of
    the workspace as agreed.
    """
    check_workspace(bench, "stale_green_v1", STALE_GREEN_V1)


def test_rewritten_tests_v1_workspace(bench: Bench) -> None:
    """The model makes the tests green by rewriting them: the run leaves the files of
    the workspace as agreed.
    """
    check_workspace(bench, "rewritten_tests_v1", REWRITTEN_TESTS_V1)


def test_happy_path_v1_repeat(bench: Bench) -> None:
    """Read, repair, test, stop: the run ends the same way when it is repeated."""
    check_repeat(bench, "happy_path_v1", HAPPY_PATH_V1)
