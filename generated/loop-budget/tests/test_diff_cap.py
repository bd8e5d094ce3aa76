"""Stretch goal diff_cap, 10 points: Diff cap"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_workspace

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

SIXTY_LINES_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error=None,
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    closing=("error", "stopped_red"),
    files={
        **_WORKSPACE,
        "fixtures/notes.txt": (
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "\n"
            "sixty"
        ),
    },
)

SIXTY_ONE_LINES_V1 = Expected(
    reason="stopped_red",
    turns=2,
    tool_names=("write_file",),
    last_error="too_many_lines",
    exit_code=1,
    decided_by="row 5 (stopped_red) at `decision` of turn 2: the decision is a stop",
    closing=("error", "stopped_red"),
    files=_WORKSPACE,
)


def test_sixty_lines_v1_exit(bench: Bench) -> None:
    """A write of sixty lines: the run ends as the table says."""
    check_exit(bench, "sixty_lines_v1", SIXTY_LINES_V1)


def test_sixty_one_lines_v1_exit(bench: Bench) -> None:
    """A write of sixty-one lines: the run ends as the table says."""
    check_exit(bench, "sixty_one_lines_v1", SIXTY_ONE_LINES_V1)


def test_sixty_lines_v1_workspace(bench: Bench) -> None:
    """A write of sixty lines: the run leaves the files of the workspace as agreed."""
    check_workspace(bench, "sixty_lines_v1", SIXTY_LINES_V1)


def test_sixty_one_lines_v1_workspace(bench: Bench) -> None:
    """A write of sixty-one lines: the run leaves the files of the workspace as agreed."""
    check_workspace(bench, "sixty_one_lines_v1", SIXTY_ONE_LINES_V1)
