"""Shell completion: the scripts are click's, the answers are ours, and they are the ones that click would give."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class

from labspec.cli import COMMANDS, COMPLETE, SHELLS
from tests.reference.completions import command_of

from .users import ROOT, labspec, program

BASH = shutil.which("bash")

LINES = [
    ("labspec ", 1),
    ("labspec e", 1),
    ("labspec nothing-like-it", 1),
    ("labspec check ", 2),
    ("labspec check --f", 2),
    ("labspec check --format ", 3),
    ("labspec check --format =", 3),
    ("labspec check --format=j", 2),
    ("labspec check --limit ", 3),
    ("labspec check --fix lab", 3),
    ("labspec check 'two words.yaml", 2),
    ("labspec check a.yaml b", 3),
    ("labspec build -o ", 3),
    ("labspec ledger ", 2),
    ("labspec ledger m", 2),
    ("labspec ledger check --", 3),
    ("labspec ledger check --spec ", 4),
    ("labspec ledger compare a ", 4),
    ("labspec explain ", 2),
    ("labspec explain row-", 2),
    ("labspec run lab.yaml ", 3),
    ("labspec schema ", 2),
    ("labspec completion ", 2),
    ("labspec freeze --id x --goal ", 5),
]
"""A line, and the number of the word in it at which the cursor stands."""


def environment(shell: str, line: str, word: int) -> dict[str, str]:
    """What the script of a shell sets when somebody asks at the end of the line."""
    current = str(word) if shell != "fish" else line.rpartition(" ")[2]
    return {COMPLETE: f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": current}


def items(shell: str, printed: str) -> list[tuple[str, str]]:
    """The kinds and the values of an answer, without the words about them."""
    lines = printed.splitlines()
    if shell == "zsh":
        return sorted(zip(lines[0::3], lines[1::3], strict=True))
    parts = [line.partition("\t")[0].partition(",") for line in lines]
    return sorted((kind, value) for kind, _, value in parts)


@pytest.mark.parametrize(("line", "word"), LINES, ids=[line for line, _ in LINES])
@pytest.mark.parametrize("shell", SHELLS)
def test_the_answer_is_that_of_click(
    shell: str, line: str, word: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment(shell, line, word).items():
        monkeypatch.setenv(name, value)
    kind = get_completion_class(shell)
    assert kind is not None
    group = click.Group("labspec", commands={name: command_of(name) for name in COMMANDS})
    expected = kind(group, {}, "labspec", COMPLETE).complete()
    done = labspec(capsys)
    assert (done.code, done.err) == (0, "")
    assert items(shell, done.out) == items(shell, expected)


def test_a_value_after_an_equals_sign_is_completed_in_bash_too() -> None:
    """bash takes `--format=j` for three words, and click loses its way there."""
    done = program(environment=environment("bash", "labspec check --format = j", 4))
    assert done.stdout == b"plain,json\n"


def test_what_stands_beside_a_word_is_its_help() -> None:
    done = program(environment=environment("fish", "labspec ledger compare --sh", 3))
    shown = "How many findings of each kind are shown for a ledger. All of them are counted."
    assert done.stdout.decode().splitlines() == [f"plain,--show\t{shown}"]


def test_answering_imports_nothing_heavy() -> None:
    code = "import sys; from labspec.cli import main; main(); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT), **environment("bash", "labspec check --f", 2)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["plain,--fix", "plain,--format"]
    assert not {"click", "pathlib", "pydantic", "typing", "yaml"} & set(done.stderr.split())


@pytest.mark.parametrize("asked", ["tcsh_complete", "bash_explode", "bash", ""])
def test_what_no_shell_asks_is_not_answered(asked: str) -> None:
    done = program("--version", environment={COMPLETE: asked})
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_can_be_had_in_the_way_of_click_too(shell: str) -> None:
    printed = program("completion", shell).stdout
    assert b"_labspec_completion" in printed
    assert program(environment={COMPLETE: f"{shell}_source"}).stdout == printed


def test_an_unknown_shell_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "completion", "tcsh")
    assert done.code == 2
    assert "'bash', 'zsh', 'fish'" in done.err


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="there is no bash to complete in")
def test_bash_completes_a_line(tmp_path: Path) -> None:
    """In a real bash: the script is sourced, and its function is called as bash does when somebody presses Tab."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "labspec").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m labspec "$@"\n', encoding="utf-8")
    (tmp_path / "bin" / "labspec").chmod(0o755)
    (tmp_path / "completion.bash").write_bytes(program("completion", "bash").stdout)
    ask = 'COMP_WORDS=(labspec check --format "j"); COMP_CWORD=3; _labspec_completion labspec; echo "${COMPREPLY[*]}"'
    done = subprocess.run(
        [str(BASH), "--norc", "-c", f'PATH="$PWD/bin:$PATH"; source completion.bash; {ask}; complete -p labspec'],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines() == ["json", "complete -o nosort -F _labspec_completion labspec"]
