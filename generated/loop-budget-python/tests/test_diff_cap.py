"""Stretch goal diff_cap, 10 points: Diff cap"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_workspace

_WORKSPACE = {
    "fixtures/notes.txt": 'greet(name) must return "hello, " and the name.\n',
    "fixtures/app.py": 'def greet(name: str) -> str:\n    return "hi " + name\n',
    "check.py": (
        '"""Judges fixtures/app.py.\n'
        "\n"
        "No tool can change this file, because it lies outside the allowed roots. The code it\n"
        "judges runs in a second process, where it can end, loop or print what it likes: all of\n"
        "that is red.\n"
        '"""\n'
        "\n"
        "import importlib\n"
        "import json\n"
        "import secrets\n"
        "import subprocess\n"
        "import sys\n"
        "\n"
        "\n"
        "def is_green() -> bool:\n"
        '    """Whether a second process greets everybody as it should."""\n'
        '    names = ["ada", "", *(secrets.token_hex(8) for _ in range(3))]\n'
        '    wanted = json.dumps([f"hello, {name}" for name in names]).encode()\n'
        "    with subprocess.Popen(\n"
        '        [sys.executable, "-B", __file__, *names],\n'
        "        stdin=subprocess.DEVNULL,\n"
        "        stdout=subprocess.PIPE,\n"
        "        stderr=subprocess.DEVNULL,\n"
        "    ) as child:\n"
        '        came = child.stdout.read(len(wanted) + 1) if child.stdout else b""\n'
        "    return child.returncode == 0 and came == wanted\n"
        "\n"
        "\n"
        "def answer(names: list[str]) -> None:\n"
        '    """In the second process: greet everybody."""\n'
        '    sys.path.insert(0, "fixtures")\n'
        '    greet = importlib.import_module("app").greet\n'
        "    sys.stdout.write(json.dumps([greet(name) for name in names]))\n"
        "\n"
        "\n"
        'if __name__ == "__main__":\n'
        "    if len(sys.argv) > 1:\n"
        "        answer(sys.argv[1:])\n"
        "    else:\n"
        "        sys.exit(0 if is_green() else 1)\n"
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
