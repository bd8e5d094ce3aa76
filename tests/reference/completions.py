"""The commands as click knows them: what `completions.json` is made of."""

from __future__ import annotations

import importlib
import json
from typing import Any

import click

from labspec.cli import COMMANDS


def command_of(name: str) -> click.Command:
    """The click command called `name`."""
    command: click.Command = importlib.import_module(COMMANDS[name][0]).command
    return command


def completions() -> str:
    """What `labspec/cli/completions.json` should hold."""
    table = {name: _completion(command_of(name), name) for name in COMMANDS}
    return f"{json.dumps(table, indent=1)}\n"


def _completion(command: click.Command, name: str) -> dict[str, Any]:
    context = click.Context(command, info_name=name)
    if isinstance(command, click.Group):
        below = {key: _completion(one, key) for key, one in command.commands.items()}
        return {"help": command.get_short_help_str(200), "commands": below}
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    return {
        "help": command.get_short_help_str(200),
        "options": dict(sorted(_options(command, context).items())),
        "arguments": [_taken(one, context) for one in arguments],
        "several": bool(arguments) and arguments[-1].nargs == -1,
    }


def _options(command: click.Command, context: click.Context) -> dict[str, dict[str, Any]]:
    return {
        name: {"help": option.help or "", **({} if option.is_flag else {"takes": _taken(option, context)})}
        for option in command.get_params(context)
        if isinstance(option, click.Option)
        for name in option.opts
    }


def _taken(parameter: click.Parameter, context: click.Context) -> list[str] | str:
    """The words that a parameter can be, or `file` or `dir`; the empty text if it can be anything."""
    items = parameter.shell_complete(context, "")
    kinds = {item.type for item in items}
    if kinds - {"plain"}:
        (kind,) = kinds
        return kind
    return [item.value for item in items] or ""
