"""The page about the commands, `docs/reference/commands.md`, from the click commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Final

import click

from labspec import cli
from labspec.cli import GROUPS, call
from tests.reference.completions import command_of
from tests.reference.markdown import code, page, sentence, table

_HEAD: Final = """\
`labspec COMMAND --help` prints what stands here about a command, `labspec --help` lists all of them. A command that
takes several specs says everything about all of them before it ends."""

_EXIT_CODES: Final = {
    cli.EXIT_FINE: "All is well.",
    cli.EXIT_FINDINGS: "There are findings about your files, something differs, or a file can't be read or written.",
    cli.EXIT_USAGE: "The command was called in a wrong way.",
    cli.EXIT_FAULT: "labspec itself is at fault. It prints a report; please send it as it is.",
    call.EXIT_INTERRUPTED: "Stopped by Ctrl+C.",
    cli.EXIT_BROKEN_PIPE: "Whatever read the output has stopped, as `head` does.",
}
_RUN: Final = """\
Only `labspec run` ends otherwise: with the exit code of the reason that the run ends with, which by default is 0 for
`done`, 2 for `budget` and 1 for `error`."""


def commands_page() -> str:
    """The whole page."""
    return page("The commands", _HEAD, *_groups(), _exit_codes())


def _groups() -> Iterator[str]:
    for purpose, names in GROUPS.items():
        yield f"## {purpose}"
        for name in names:
            yield from _sections(command_of(name), f"labspec {name}")


def _sections(command: click.Command, called: str) -> Iterator[str]:
    """The section about a command, and those about the commands below it."""
    context = click.Context(command, info_name=called)
    usage = " ".join([called, *command.collect_usage_pieces(context)])
    yield f"### `{called}`\n\n```text\n{usage}\n```\n\n{_text(command)}{_options(command, context)}"
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from _sections(below, f"{called} {name}")


def _text(command: click.Command) -> str:
    """What a command says of itself. Lines after a backspace are to stay as they are, which here is a block of code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(_block(one) if one.startswith("\b\n") else one for one in paragraphs)


def _block(paragraph: str) -> str:
    return f"```sh\n{inspect.cleandoc(paragraph.removeprefix(chr(8)))}\n```"


def _options(command: click.Command, context: click.Context) -> str:
    """The table of the options, if there are any but `--help`."""
    options = [one for one in command.params if isinstance(one, click.Option)]
    if not options:
        return ""
    records = [option.get_help_record(context) or ("", "") for option in options]
    rows = [(code(names), _meaning(says)) for names, says in records]
    return f"\n\n{table(('option', 'meaning'), rows)}"


def _meaning(says: str) -> str:
    """What an option is for; click adds its default and its limits in brackets, behind two spaces."""
    text, _, extra = says.partition("  [")
    return f"{sentence(text)} ({extra.removesuffix(']')})" if extra else sentence(text)


def _exit_codes() -> str:
    rows = [(code(str(number)), says) for number, says in _EXIT_CODES.items()]
    return f"## Exit codes\n\n{table(('code', 'meaning'), rows)}\n\n{_RUN}"
