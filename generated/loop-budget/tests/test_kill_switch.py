"""Gate kill_switch, 25 points: No plan gets more than its budget, and exit code 2 says
that it was the budget
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_exit_code, check_workspace

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

RUNAWAY_WRITER_V1 = Expected(
    reason="budget:tool_calls",
    turns=13,
    tool_names=(
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
    ),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 7 (budget_tool_calls) at `call` of turn 13: tool calls exceed the "
        "`tool_calls` budget"
    ),
    hints={
        "4fd482499dad": (
            "looks like: Nothing counts the tool calls\n"
            "hint: Twenty writes in one run. Which line of your loop ends it?"
        ),
        "3fec13937eb9": (
            "looks like: The call that goes over the budget is still made\n"
            "hint: Charge first, then compare, then act."
        ),
        "a71d3aa6e9b4": (
            "looks like: The last call of the budget is not granted\n"
            "hint: Twelve means that the twelfth call is made."
        ),
        "e62112e75961": (
            "looks like: The budget of calls only makes calls fail, and the loop goes "
            "on\n"
            "hint: Look at what catches the error that your budget throws."
        ),
        "761aa34eb1e8 with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
    closing=("budget", "budget:tool_calls"),
    files={
        **_WORKSPACE,
        "fixtures/notes.txt": "once more\n",
    },
)

CALLS_ONE_LEFT_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("read_file", "read_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "4d3fcd2eae97": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)

CALLS_ALL_USED_V1 = Expected(
    reason="stopped_red",
    turns=4,
    tool_names=("read_file", "read_file", "read_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 4: the decision is a stop",
    hints={
        "0859b455ddbd": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "b596b745dc0b": (
            "looks like: The last call of the budget is not granted\n"
            "hint: Twelve means that the twelfth call is made."
        ),
    },
    closing=("error", "stopped_red"),
)

CALLS_ONE_OVER_V1 = Expected(
    reason="budget:tool_calls",
    turns=4,
    tool_names=("read_file", "read_file", "read_file"),
    last_error="not_readable",
    exit_code=2,
    decided_by=(
        "row 7 (budget_tool_calls) at `call` of turn 4: tool calls exceed the "
        "`tool_calls` budget"
    ),
    hints={
        "6d19ae58ce11": (
            "looks like: Nothing counts the tool calls\n"
            "hint: Twenty writes in one run. Which line of your loop ends it?\n"
            "or: The call that goes over the budget is still made\n"
            "hint: Charge first, then compare, then act.\n"
            "or: The loop compares with the number twelve and not with the budget it "
            "was given\n"
            "hint: What if a fixture brings a smaller tank?"
        ),
        "b596b745dc0b": (
            "looks like: The last call of the budget is not granted\n"
            "hint: Twelve means that the twelfth call is made."
        ),
        "911989082988": (
            "looks like: The budget of calls only makes calls fail, and the loop goes "
            "on\n"
            "hint: Look at what catches the error that your budget throws."
        ),
    },
    closing=("budget", "budget:tool_calls"),
)

NO_CALLS_V1 = Expected(
    reason="budget:tool_calls",
    turns=1,
    tool_names=(),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 7 (budget_tool_calls) at `call` of turn 1: tool calls exceed the "
        "`tool_calls` budget"
    ),
    hints={
        "b061b8304371": (
            "looks like: Nothing counts the tool calls\n"
            "hint: Twenty writes in one run. Which line of your loop ends it?\n"
            "or: The call that goes over the budget is still made\n"
            "hint: Charge first, then compare, then act.\n"
            "or: The loop compares with the number twelve and not with the budget it "
            "was given\n"
            "hint: What if a fixture brings a smaller tank?"
        ),
        "5969aff602bf": (
            "looks like: The budget of calls only makes calls fail, and the loop goes "
            "on\n"
            "hint: Look at what catches the error that your budget throws."
        ),
    },
    closing=("budget", "budget:tool_calls"),
)

TURNS_ONE_LEFT_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("read_file",),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "4cd9c3fdabd7": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)

TURNS_ALL_USED_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("read_file", "read_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "239bc3fbba6a": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "901e6a9d1619": (
            "looks like: The last turn of the budget is not granted\n"
            "hint: A budget of three turns is for three decisions, the stop included."
        ),
    },
    closing=("error", "stopped_red"),
)

TURNS_ONE_OVER_V1 = Expected(
    reason="budget:turns",
    turns=3,
    tool_names=("read_file", "read_file", "read_file"),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 1 (budget_turns) at `turn` of turn 4: turns exceed the `turns` budget"
    ),
    hints={
        "269632974ff3": (
            "looks like: Nothing counts the turns\n"
            "hint: What ends a plan that never calls a tool?"
        ),
        "901e6a9d1619": (
            "looks like: The last turn of the budget is not granted\n"
            "hint: A budget of three turns is for three decisions, the stop included."
        ),
        "269632974ff3 with exit code 1": (
            "looks like: Nothing counts the turns\n"
            "hint: What ends a plan that never calls a tool?"
        ),
        "c677d46e0209 with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
    closing=("budget", "budget:turns"),
)

NO_TURNS_V1 = Expected(
    reason="budget:turns",
    turns=0,
    tool_names=(),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 1 (budget_turns) at `turn` of turn 1: turns exceed the `turns` budget"
    ),
    hints={
        "26992a2a6bb5": (
            "looks like: Nothing counts the turns\n"
            "hint: What ends a plan that never calls a tool?"
        ),
    },
    closing=("budget", "budget:turns"),
)

SIXTEEN_DEAD_ENDS_V1 = Expected(
    reason="budget:turns",
    turns=16,
    tool_names=(),
    last_error="unknown_tool",
    exit_code=2,
    decided_by=(
        "row 1 (budget_turns) at `turn` of turn 17: turns exceed the `turns` budget"
    ),
    hints={
        "dfc95e1a132a": (
            "looks like: Nothing counts the turns\n"
            "hint: What ends a plan that never calls a tool?"
        ),
        "15473b188dd9": (
            "looks like: The last turn of the budget is not granted\n"
            "hint: A budget of three turns is for three decisions, the stop included."
        ),
        "4c7be46a6796": (
            "looks like: A call of a tool that does not exist uses up a call\n"
            "hint: Which tool would have been called?"
        ),
    },
    closing=("budget", "budget:turns"),
)

BYTES_ONE_LEFT_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "f48f7e788713": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)

BYTES_ALL_USED_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "f48f7e788713": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)

BYTES_ONE_OVER_V1 = Expected(
    reason="budget:write_bytes",
    turns=1,
    tool_names=(),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 9 (budget_write_bytes) at `call` of turn 1: bytes written exceed the "
        "`write_bytes` budget"
    ),
    hints={
        "14ee0a429ca8": (
            "looks like: Nothing counts the bytes\n"
            "hint: One call can write a very large file."
        ),
        "14ee0a429ca8 with exit code 1": (
            "looks like: Nothing counts the bytes\n"
            "hint: One call can write a very large file."
        ),
        "6bc8f313dbe5 with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
    closing=("budget", "budget:write_bytes"),
    files=_WORKSPACE,
)

BYTES_ADD_UP_V1 = Expected(
    reason="budget:write_bytes",
    turns=3,
    tool_names=("write_file", "read_file"),
    last_error="not_readable",
    exit_code=2,
    decided_by=(
        "row 9 (budget_write_bytes) at `call` of turn 3: bytes written exceed the "
        "`write_bytes` budget"
    ),
    hints={
        "65e305a942e8": (
            "looks like: Nothing counts the bytes\n"
            "hint: One call can write a very large file.\n"
            "or: Only the bytes of one write are compared with the budget\n"
            "hint: The tank is for the whole run."
        ),
    },
    closing=("budget", "budget:write_bytes"),
    files={
        **_WORKSPACE,
        "fixtures/notes.txt": "Gr\xfc\xdfe\n",
    },
)

FULL_TANK_V1 = Expected(
    reason="budget:write_bytes",
    turns=9,
    tool_names=(
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "write_file",
    ),
    last_error=None,
    exit_code=2,
    decided_by=(
        "row 9 (budget_write_bytes) at `call` of turn 9: bytes written exceed the "
        "`write_bytes` budget"
    ),
    hints={
        "3c45063eff71": (
            "looks like: Nothing counts the bytes\n"
            "hint: One call can write a very large file.\n"
            "or: Only the bytes of one write are compared with the budget\n"
            "hint: The tank is for the whole run."
        ),
    },
    closing=("budget", "budget:write_bytes"),
)

FAILED_WRITE_IS_FREE_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("write_file", "write_file"),
    last_error="not_writable",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "4ea53e7ead60": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "3e3e1986c785": (
            "looks like: A write that failed has used up its bytes\n"
            "hint: How many bytes are on the disk after a write that failed?"
        ),
    },
    closing=("error", "stopped_red"),
    files={
        **_WORKSPACE,
        "fixtures/notes.txt": "Gr\xfc\xdfe\n",
    },
)

DEAD_END_AFTER_THE_LAST_CALL_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("read_file",),
    last_error="unknown_tool",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "c01b0754abd6": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "a0b9423dc44c": (
            "looks like: The last call of the budget is not granted\n"
            "hint: Twelve means that the twelfth call is made."
        ),
        "5710d3089f0d": (
            "looks like: A call of a tool that does not exist uses up a call\n"
            "hint: Which tool would have been called?"
        ),
    },
    closing=("error", "stopped_red"),
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
    hints={
        "fd9f6c60f52a": (
            "looks like: An answer that is neither a call nor a stop is skipped\n"
            "hint: Can a loop go on with a model that does not keep to the protocol?"
        ),
        "4645fa5ae76e with exit code 0": (
            "looks like: The process ends with exit code 0 whatever happened\n"
            "hint: A script that starts your loop looks at one number only."
        ),
    },
    closing=("error", "protocol_error"),
)

NAMELESS_CALL_V1 = Expected(
    reason="protocol_error",
    turns=1,
    tool_names=(),
    last_error=None,
    exit_code=1,
    decided_by=(
        "row 2 (protocol_error) at `decision` of turn 1: the call has no usable name"
    ),
    hints={
        "7d2e8aa155b3": (
            "looks like: An answer that is neither a call nor a stop is skipped\n"
            "hint: Can a loop go on with a model that does not keep to the protocol?"
        ),
    },
    closing=("error", "protocol_error"),
)

INHERITED_NAMES_V1 = Expected(
    reason="stopped_red",
    turns=5,
    tool_names=(),
    last_error="unknown_tool",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 5: the decision is a stop",
    hints={
        "626662df038d": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "459b428004a4": (
            "looks like: A call of a tool that does not exist uses up a call\n"
            "hint: Which tool would have been called?"
        ),
    },
    closing=("error", "stopped_red"),
)

BAD_ARGUMENTS_V1 = Expected(
    reason="stopped_red",
    turns=5,
    tool_names=("read_file", "write_file", "write_file", "write_file"),
    last_error="bad_arguments",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 5: the decision is a stop",
    hints={
        "fe7fedb1f239": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)

NOTHING_TO_READ_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("read_file", "read_file"),
    last_error="not_readable",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "354dcdb82824": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)

EMPTY_FILE_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("write_file", "read_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "54624903680a": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
)


def test_runaway_writer_v1_exit(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run ends as the table
    says.
    """
    check_exit(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_calls_one_left_v1_exit(bench: Bench) -> None:
    """Two calls of three: the run ends as the table says."""
    check_exit(bench, "calls_one_left_v1", CALLS_ONE_LEFT_V1)


def test_calls_all_used_v1_exit(bench: Bench) -> None:
    """Three calls of three: the run ends as the table says."""
    check_exit(bench, "calls_all_used_v1", CALLS_ALL_USED_V1)


def test_calls_one_over_v1_exit(bench: Bench) -> None:
    """A fourth call of three, after a failed one: the run ends as the table says."""
    check_exit(bench, "calls_one_over_v1", CALLS_ONE_OVER_V1)


def test_no_calls_v1_exit(bench: Bench) -> None:
    """A budget of no calls at all: the run ends as the table says."""
    check_exit(bench, "no_calls_v1", NO_CALLS_V1)


def test_turns_one_left_v1_exit(bench: Bench) -> None:
    """Two turns of three: the run ends as the table says."""
    check_exit(bench, "turns_one_left_v1", TURNS_ONE_LEFT_V1)


def test_turns_all_used_v1_exit(bench: Bench) -> None:
    """Three turns of three: the run ends as the table says."""
    check_exit(bench, "turns_all_used_v1", TURNS_ALL_USED_V1)


def test_turns_one_over_v1_exit(bench: Bench) -> None:
    """The stop comes on the fourth turn of three: the run ends as the table says."""
    check_exit(bench, "turns_one_over_v1", TURNS_ONE_OVER_V1)


def test_no_turns_v1_exit(bench: Bench) -> None:
    """A budget of no turns at all: the run ends as the table says."""
    check_exit(bench, "no_turns_v1", NO_TURNS_V1)


def test_sixteen_dead_ends_v1_exit(bench: Bench) -> None:
    """Sixteen turns go to a tool that does not exist, and the stop comes too late: the
    run ends as the table says.
    """
    check_exit(bench, "sixteen_dead_ends_v1", SIXTEEN_DEAD_ENDS_V1)


def test_bytes_one_left_v1_exit(bench: Bench) -> None:
    """Eight bytes of nine: the run ends as the table says."""
    check_exit(bench, "bytes_one_left_v1", BYTES_ONE_LEFT_V1)


def test_bytes_all_used_v1_exit(bench: Bench) -> None:
    """Eight bytes of eight: the run ends as the table says."""
    check_exit(bench, "bytes_all_used_v1", BYTES_ALL_USED_V1)


def test_bytes_one_over_v1_exit(bench: Bench) -> None:
    """Eight bytes of seven: the run ends as the table says."""
    check_exit(bench, "bytes_one_over_v1", BYTES_ONE_OVER_V1)


def test_bytes_add_up_v1_exit(bench: Bench) -> None:
    """Two writes that fit one by one, and not together: the run ends as the table says."""
    check_exit(bench, "bytes_add_up_v1", BYTES_ADD_UP_V1)


def test_full_tank_v1_exit(bench: Bench) -> None:
    """Eight writes of 1024 bytes, and one byte more: the run ends as the table says."""
    check_exit(bench, "full_tank_v1", FULL_TANK_V1)


def test_failed_write_is_free_v1_exit(bench: Bench) -> None:
    """A write fails, and the same bytes are there for the next one: the run ends as the
    table says.
    """
    check_exit(bench, "failed_write_is_free_v1", FAILED_WRITE_IS_FREE_V1)


def test_dead_end_after_the_last_call_v1_exit(bench: Bench) -> None:
    """The calls are used up, and the next tool does not exist: the run ends as the
    table says.
    """
    check_exit(
        bench, "dead_end_after_the_last_call_v1", DEAD_END_AFTER_THE_LAST_CALL_V1
    )


def test_not_a_call_v1_exit(bench: Bench) -> None:
    """A call fails, and the second answer is neither a call nor a stop: the run ends as
    the table says.
    """
    check_exit(bench, "not_a_call_v1", NOT_A_CALL_V1)


def test_nameless_call_v1_exit(bench: Bench) -> None:
    """A call that does not say of which tool: the run ends as the table says."""
    check_exit(bench, "nameless_call_v1", NAMELESS_CALL_V1)


def test_inherited_names_v1_exit(bench: Bench) -> None:
    """Names that every object answers to, and no tool has: the run ends as the table
    says.
    """
    check_exit(bench, "inherited_names_v1", INHERITED_NAMES_V1)


def test_bad_arguments_v1_exit(bench: Bench) -> None:
    """Arguments of the wrong shape, four times: the run ends as the table says."""
    check_exit(bench, "bad_arguments_v1", BAD_ARGUMENTS_V1)


def test_nothing_to_read_v1_exit(bench: Bench) -> None:
    """A file that is not there, and a folder: the run ends as the table says."""
    check_exit(bench, "nothing_to_read_v1", NOTHING_TO_READ_V1)


def test_empty_file_v1_exit(bench: Bench) -> None:
    """A file is emptied, and the empty file is read: the run ends as the table says."""
    check_exit(bench, "empty_file_v1", EMPTY_FILE_V1)


def test_runaway_writer_v1_exit_code(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run ends with the exit
    code of its reason.
    """
    check_exit_code(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_turns_one_over_v1_exit_code(bench: Bench) -> None:
    """The stop comes on the fourth turn of three: the run ends with the exit code of
    its reason.
    """
    check_exit_code(bench, "turns_one_over_v1", TURNS_ONE_OVER_V1)


def test_bytes_one_over_v1_exit_code(bench: Bench) -> None:
    """Eight bytes of seven: the run ends with the exit code of its reason."""
    check_exit_code(bench, "bytes_one_over_v1", BYTES_ONE_OVER_V1)


def test_not_a_call_v1_exit_code(bench: Bench) -> None:
    """A call fails, and the second answer is neither a call nor a stop: the run ends
    with the exit code of its reason.
    """
    check_exit_code(bench, "not_a_call_v1", NOT_A_CALL_V1)


def test_runaway_writer_v1_workspace(bench: Bench) -> None:
    """The model writes twenty times and would never stop: the run leaves the files of
    the workspace as agreed.
    """
    check_workspace(bench, "runaway_writer_v1", RUNAWAY_WRITER_V1)


def test_bytes_one_over_v1_workspace(bench: Bench) -> None:
    """Eight bytes of seven: the run leaves the files of the workspace as agreed."""
    check_workspace(bench, "bytes_one_over_v1", BYTES_ONE_OVER_V1)


def test_bytes_add_up_v1_workspace(bench: Bench) -> None:
    """Two writes that fit one by one, and not together: the run leaves the files of the
    workspace as agreed.
    """
    check_workspace(bench, "bytes_add_up_v1", BYTES_ADD_UP_V1)


def test_failed_write_is_free_v1_workspace(bench: Bench) -> None:
    """A write fails, and the same bytes are there for the next one: the run leaves the
    files of the workspace as agreed.
    """
    check_workspace(bench, "failed_write_is_free_v1", FAILED_WRITE_IS_FREE_V1)
