"""Answers a shell that asks what could come next. The scripts that ask are click's: see `labspec.cli.completion`.

The answer must come while somebody types, and importing click alone takes longer than that. So what each command
takes stands in `completions.json`, which `python -m tests.regen` writes from the click commands.
"""

from __future__ import annotations

import json
import os
import shlex
import sys

from labspec.cli import COMMANDS, COMPLETE, EXIT_FINDINGS, EXIT_FINE, SHELLS

TYPE_CHECKING = False  # as in `labspec.cli`
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final, TypeAlias

    Taken: TypeAlias = "list[str] | str | None"
    """What an argument or an option takes: one of some words, a `file`, a `dir`, or (the empty text) anything."""

TABLE: Final = os.path.join(os.path.dirname(__file__), "completions.json")
"""For each command its `options` (what they take, if they take anything, and what they are for) and its `arguments`
(what each takes; the last of them again and again if it is `several`), or the `commands` below it."""

_GLOBAL_OPTIONS: Final = {"--version": "Show the version", "--help": "Show what labspec can do"}
_UNKNOWN: Final[dict[str, Any]] = {"options": {}, "arguments": [], "several": False}
"""What stands in the table for a command that labspec does not have."""


class Item:
    """Something that could come next: a word (`plain`), or any file or folder (`file`, `dir`)."""

    def __init__(self, value: str, help: str = "", kind: str = "plain") -> None:
        self.value = value
        self.help = help
        self.kind = kind


def answer(environment: Mapping[str, str]) -> int:
    """Print what could come next, in the form in which the script of the shell reads it; returns the exit code.

    The environment has the shell's name and the line so far, as click's scripts give them.
    """
    shell, _, instruction = environment[COMPLETE].partition("_")
    if shell not in SHELLS or instruction not in ("complete", "source"):
        return EXIT_FINDINGS
    if instruction == "source":  # who knows click asks in this way for what `labspec completion` prints
        from labspec.cli.completion import script

        sys.stdout.write(script(shell))
        return EXIT_FINE
    words, incomplete = _line(shell, environment)
    sys.stdout.write("".join(f"{_format(shell, item)}\n" for item in next_items(words, incomplete)))
    return EXIT_FINE


def next_items(words: Sequence[str], incomplete: str) -> list[Item]:
    """What could come after `words` (those after the program's name) and begins with `incomplete`."""
    if not words:
        if incomplete.startswith("-"):
            return _matching(_GLOBAL_OPTIONS, incomplete)
        return _matching({name: says for name, (_, says) in COMMANDS.items()}, incomplete)
    with open(TABLE, encoding="utf-8") as file:
        node: dict[str, Any] = {"commands": json.load(file)}
    while "commands" in node and words:
        node, words = node["commands"].get(words[0], _UNKNOWN), words[1:]
    if "commands" in node:
        return _matching({name: below["help"] for name, below in node["commands"].items()}, incomplete)
    return _of_command(node, words, incomplete)


def _of_command(node: dict[str, Any], words: Sequence[str], incomplete: str) -> list[Item]:
    """What could come next within a command, after the words that follow its name."""
    words, incomplete = _without_equals_sign(words, incomplete)
    number, taken = _given(words, node["options"])
    if taken is None and incomplete.startswith("-"):
        return _matching({name: option["help"] for name, option in node["options"].items()}, incomplete)
    if taken is None:
        taken = _argument(node, number)
    if isinstance(taken, list):
        return _matching(dict.fromkeys(taken, ""), incomplete)
    return [Item(incomplete, kind=taken)] if taken else []


def _without_equals_sign(words: Sequence[str], incomplete: str) -> tuple[list[str], str]:
    """The line as if `--format=json` were `--format json`: bash cuts it into three words, the others leave it whole."""
    if incomplete.startswith("-") and "=" in incomplete:
        name, _, incomplete = incomplete.partition("=")
        words = [*words, name]
    return [word for word in words if word != "="], incomplete.removeprefix("=")


def _given(words: Sequence[str], options: dict[str, Any]) -> tuple[int, Taken]:
    """How many arguments stand there already, and what the option takes whose value comes next; None if none does."""
    number, taken = 0, None
    for word in words:
        if taken is not None:
            taken = None
        elif word in options:
            taken = options[word].get("takes")
        elif not word.startswith("-"):
            number += 1
    return number, taken


def _argument(node: dict[str, Any], number: int) -> Taken:
    """What the argument takes that comes after `number` others."""
    arguments: list[Taken] = node["arguments"]
    if number >= len(arguments) and not node["several"]:
        return None
    return arguments[min(number, len(arguments) - 1)]


def _matching(words: Mapping[str, str], incomplete: str) -> list[Item]:
    return [Item(word, says) for word, says in words.items() if word.startswith(incomplete)]


def _line(shell: str, environment: Mapping[str, str]) -> tuple[list[str], str]:
    """The words of the line after the program's name, and the one that is not complete yet."""
    words = _split(environment.get("COMP_WORDS", ""))
    current = environment.get("COMP_CWORD", "")
    if shell == "fish":  # it gives the word itself, and the words up to it
        incomplete = "".join(_split(current)[:1])
        return (words[1:-1] if incomplete and words[-1:] == [incomplete] else words[1:]), incomplete
    number = int(current) if current.isdigit() else len(words)
    return words[1:number], words[number] if number < len(words) else ""


def _split(line: str) -> list[str]:
    """The words of a line as the shell would split it, also where a quote is still open."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:  # the last word is within quotes, and there so far
        words.append(lexer.token)
    return words


def _format(shell: str, item: Item) -> str:
    """A line or lines, as the script of the shell reads them."""
    help = " ".join(item.help.split())
    if shell == "bash":
        return f"{item.kind},{item.value}"
    if shell == "fish":
        return f"{item.kind},{item.value}\t{help}" if help else f"{item.kind},{item.value}"
    value = item.value.replace(":", r"\:") if help else item.value
    return f"{item.kind}\n{value}\n{help or '_'}"
