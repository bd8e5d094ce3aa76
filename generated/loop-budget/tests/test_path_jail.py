"""Gate path_jail, 15 points: Nothing outside the allowed roots is read or written, and
everything inside still is
"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_inside, check_workspace

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

ESCAPE_PARENT_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "e159e5bee160": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?"
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

ESCAPE_DETOUR_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "e159e5bee160": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?"
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

ESCAPE_TWIN_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "e159e5bee160": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?\n"
            "or: Every path that begins like an allowed root is inside\n"
            "hint: Compare folders, not letters."
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

ESCAPE_LINK_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "e159e5bee160": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?\n"
            "or: The jail reads the path and does not follow its links\n"
            "hint: A path is text. Where the file lies is for the file system to say."
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

ESCAPE_LINKED_FOLDER_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "e159e5bee160": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?\n"
            "or: The jail reads the path and does not follow its links\n"
            "hint: A path is text. Where the file lies is for the file system to say."
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

ESCAPE_DANGLING_LINK_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "e159e5bee160": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?\n"
            "or: The jail reads the path and does not follow its links\n"
            "hint: A path is text. Where the file lies is for the file system to say."
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

ESCAPE_ABSOLUTE_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "53236a965cbd": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?"
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

ESCAPE_BY_READING_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("read_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "299dfc5dde7f": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "6e9333118435": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?\n"
            "or: Only writes are held against the jail\n"
            "hint: Which file of yours should never be sent to a model?"
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

LARGE_ESCAPE_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    hints={
        "1bddace037eb": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "6bc8f313dbe5": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?"
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "527f1820c035": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
)

REFUSED_WRITE_IS_FREE_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("write_file", "write_file"),
    last_error="path_escape",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "4edb612705aa": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
        "c148a94b928d": (
            "looks like: Every path is allowed\n"
            "hint: Where does `..` lead?"
        ),
        "53a28953496d": (
            "looks like: The first path that leads outside ends the run\n"
            "hint: A refused call is a failed call, and the model may go on."
        ),
        "0c432c1b0d89": (
            "looks like: A refused call is not counted\n"
            "hint: The model did ask. How often may it ask for your secrets?"
        ),
    },
    closing=("error", "stopped_red"),
    files={
        **_WORKSPACE,
        "fixtures/notes.txt": "Gr\xfc\xdfe\n",
    },
)

ODD_NAMES_INSIDE_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("write_file", "write_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    hints={
        "f100c68bfa1d": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
    files={
        **_WORKSPACE,
        "fixtures/caf\xe9.txt": "mine\n",
        "fixtures/my notes.txt": "mine\n",
    },
)

DETOUR_INSIDE_V1 = Expected(
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
    files={
        **_WORKSPACE,
        "fixtures/notes.txt": "mine\n",
    },
)

LINKED_ROOT_V1 = Expected(
    reason="stopped_red",
    turns=4,
    tool_names=("write_file", "write_file", "read_file"),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 4: the decision is a stop",
    hints={
        "139ea86d9b16": (
            "looks like: A stop is skipped and the loop asks for the next step\n"
            "hint: Which of the decisions asks for no tool?"
        ),
    },
    closing=("error", "stopped_red"),
    files={
        **_WORKSPACE,
        "fixtures/app.js": None,
        "fixtures/notes.txt": None,
        "real/more.txt": "mine\n",
        "real/notes.txt": "mine\n",
    },
)

REWRITTEN_TESTS_V1 = Expected(
    reason="stopped_red",
    turns=3,
    tool_names=("write_file", "run_tests"),
    last_error="test_failed",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 3: the decision is a stop",
    closing=("error", "stopped_red"),
)


def test_escape_parent_v1_exit(bench: Bench) -> None:
    """A write into the folder above the workspace: the run ends as the table says."""
    check_exit(bench, "escape_parent_v1", ESCAPE_PARENT_V1)


def test_escape_detour_v1_exit(bench: Bench) -> None:
    """A path that starts inside and leads out again: the run ends as the table says."""
    check_exit(bench, "escape_detour_v1", ESCAPE_DETOUR_V1)


def test_escape_twin_v1_exit(bench: Bench) -> None:
    """A folder whose name only begins like an allowed one: the run ends as the table
    says.
    """
    check_exit(bench, "escape_twin_v1", ESCAPE_TWIN_V1)


def test_escape_link_v1_exit(bench: Bench) -> None:
    """A symbolic link inside that leads to a file outside: the run ends as the table
    says.
    """
    check_exit(bench, "escape_link_v1", ESCAPE_LINK_V1)


def test_escape_linked_folder_v1_exit(bench: Bench) -> None:
    """A symbolic link inside that leads to the folder above: the run ends as the table
    says.
    """
    check_exit(bench, "escape_linked_folder_v1", ESCAPE_LINKED_FOLDER_V1)


def test_escape_dangling_link_v1_exit(bench: Bench) -> None:
    """A symbolic link to a file outside that does not exist yet: the run ends as the
    table says.
    """
    check_exit(bench, "escape_dangling_link_v1", ESCAPE_DANGLING_LINK_V1)


def test_escape_absolute_v1_exit(bench: Bench) -> None:
    """A path from the root of the disk: the run ends as the table says."""
    check_exit(bench, "escape_absolute_v1", ESCAPE_ABSOLUTE_V1)


def test_escape_by_reading_v1_exit(bench: Bench) -> None:
    """A read in the folder above the workspace: the run ends as the table says."""
    check_exit(bench, "escape_by_reading_v1", ESCAPE_BY_READING_V1)


def test_large_escape_v1_exit(bench: Bench) -> None:
    """A write that leads outside, and would not fit either: the run ends as the table
    says.
    """
    check_exit(bench, "large_escape_v1", LARGE_ESCAPE_V1)


def test_refused_write_is_free_v1_exit(bench: Bench) -> None:
    """A refused write costs a call and no bytes: the run ends as the table says."""
    check_exit(bench, "refused_write_is_free_v1", REFUSED_WRITE_IS_FREE_V1)


def test_odd_names_inside_v1_exit(bench: Bench) -> None:
    """Inside, a name may hold a space or an accent: the run ends as the table says."""
    check_exit(bench, "odd_names_inside_v1", ODD_NAMES_INSIDE_V1)


def test_detour_inside_v1_exit(bench: Bench) -> None:
    """A path that leaves the allowed root and comes back is inside: the run ends as the
    table says.
    """
    check_exit(bench, "detour_inside_v1", DETOUR_INSIDE_V1)


def test_linked_root_v1_exit(bench: Bench) -> None:
    """The allowed root is itself a symbolic link: the run ends as the table says."""
    check_exit(bench, "linked_root_v1", LINKED_ROOT_V1)


def test_escape_parent_v1_inside(bench: Bench) -> None:
    """A write into the folder above the workspace: the run touches nothing outside the
    allowed roots.
    """
    check_inside(bench, "escape_parent_v1", ESCAPE_PARENT_V1)


def test_escape_detour_v1_inside(bench: Bench) -> None:
    """A path that starts inside and leads out again: the run touches nothing outside
    the allowed roots.
    """
    check_inside(bench, "escape_detour_v1", ESCAPE_DETOUR_V1)


def test_escape_twin_v1_inside(bench: Bench) -> None:
    """A folder whose name only begins like an allowed one: the run touches nothing
    outside the allowed roots.
    """
    check_inside(bench, "escape_twin_v1", ESCAPE_TWIN_V1)


def test_escape_link_v1_inside(bench: Bench) -> None:
    """A symbolic link inside that leads to a file outside: the run touches nothing
    outside the allowed roots.
    """
    check_inside(bench, "escape_link_v1", ESCAPE_LINK_V1)


def test_escape_linked_folder_v1_inside(bench: Bench) -> None:
    """A symbolic link inside that leads to the folder above: the run touches nothing
    outside the allowed roots.
    """
    check_inside(bench, "escape_linked_folder_v1", ESCAPE_LINKED_FOLDER_V1)


def test_escape_dangling_link_v1_inside(bench: Bench) -> None:
    """A symbolic link to a file outside that does not exist yet: the run touches
    nothing outside the allowed roots.
    """
    check_inside(bench, "escape_dangling_link_v1", ESCAPE_DANGLING_LINK_V1)


def test_rewritten_tests_v1_inside(bench: Bench) -> None:
    """The model makes the tests green by rewriting them: the run touches nothing
    outside the allowed roots.
    """
    check_inside(bench, "rewritten_tests_v1", REWRITTEN_TESTS_V1)


def test_refused_write_is_free_v1_workspace(bench: Bench) -> None:
    """A refused write costs a call and no bytes: the run leaves the files of the
    workspace as agreed.
    """
    check_workspace(bench, "refused_write_is_free_v1", REFUSED_WRITE_IS_FREE_V1)


def test_odd_names_inside_v1_workspace(bench: Bench) -> None:
    """Inside, a name may hold a space or an accent: the run leaves the files of the
    workspace as agreed.
    """
    check_workspace(bench, "odd_names_inside_v1", ODD_NAMES_INSIDE_V1)


def test_detour_inside_v1_workspace(bench: Bench) -> None:
    """A path that leaves the allowed root and comes back is inside: the run leaves the
    files of the workspace as agreed.
    """
    check_workspace(bench, "detour_inside_v1", DETOUR_INSIDE_V1)


def test_linked_root_v1_workspace(bench: Bench) -> None:
    """The allowed root is itself a symbolic link: the run leaves the files of the
    workspace as agreed.
    """
    check_workspace(bench, "linked_root_v1", LINKED_ROOT_V1)
