"""Call one command: import its module, let click read the arguments, and turn what happens into an exit code."""

from __future__ import annotations

import errno
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from labspec import __version__
from labspec.cli import COMMANDS, EXIT_BROKEN_PIPE, EXIT_FAULT, EXIT_FINE

if TYPE_CHECKING:
    from collections.abc import Sequence


EXIT_INTERRUPTED = 130
"""What a shell reports for a program that SIGINT has ended."""


def call(name: str, arguments: Sequence[str]) -> int:
    """Run the command `name` and return its exit code. An exception of ours becomes a report, not a traceback."""
    try:
        return _check(arguments) if name == "check" and _are_paths(arguments) else _call_click(name, arguments)
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        return EXIT_INTERRUPTED
    except (BrokenPipeError, SystemExit):  # click turns the first into the second, which would exit with 1
        return EXIT_BROKEN_PIPE
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise  # no fault of ours: `run_and_exit` says so, for help and version too
        _report_fault(name, arguments)
        return EXIT_FAULT


def _are_paths(arguments: Sequence[str]) -> bool:
    return bool(arguments) and not any(word.startswith("-") for word in arguments)


def _check(specs: Sequence[str]) -> int:
    """The most frequent call has no options to read: click would take a twentieth of its time."""
    from labspec.cli.checking import check_specs

    return check_specs([Path(spec) for spec in specs])


def _call_click(name: str, arguments: Sequence[str]) -> int:
    import click

    command: click.Command = importlib.import_module(COMMANDS[name][0]).command
    try:
        code = command.main(args=list(arguments), prog_name=f"labspec {name}", standalone_mode=False)
    except click.exceptions.Abort as stopped:
        raise KeyboardInterrupt from stopped
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return code if isinstance(code, int) else EXIT_FINE


def _report_fault(name: str, arguments: Sequence[str]) -> None:
    import traceback

    version = f"labspec {__version__}, Python {sys.version.split()[0]} on {sys.platform}"
    called = " ".join(["labspec", name, *map(ascii, arguments)])
    sys.stderr.write(
        f"unexpected error: this is a fault of labspec, not of your files\n\n{traceback.format_exc()}\n"
        f"Called as: {called}\nVersions: {version}\nPlease report this text as it is.\n"
    )
