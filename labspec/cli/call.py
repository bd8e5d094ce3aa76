"""Call one command: import its module, let click read the arguments, and turn what happens into an exit code."""

from __future__ import annotations

import errno
import importlib
import sys
from typing import TYPE_CHECKING

import click

from labspec import __version__
from labspec.cli import COMMANDS, EXIT_BROKEN_PIPE, EXIT_FAULT, EXIT_FINDINGS, EXIT_FINE

if TYPE_CHECKING:
    from collections.abc import Sequence


EXIT_INTERRUPTED = 130
"""What a shell reports for a program that SIGINT has ended."""


class FindingsError(click.ClickException):
    """The author's files have findings, which are already printed."""

    exit_code = EXIT_FINDINGS

    def show(self, file: object = None) -> None:  # click's signature
        """Print nothing more."""


def call(name: str, arguments: Sequence[str]) -> int:
    """Run the command `name` and return its exit code. An exception of ours becomes a report, not a traceback."""
    try:
        command: click.Command = importlib.import_module(COMMANDS[name][0]).command
        code = command.main(args=list(arguments), prog_name=f"labspec {name}", standalone_mode=False)
        return code if isinstance(code, int) else EXIT_FINE
    except click.exceptions.Abort:
        click.echo("Stopped.", err=True)
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (BrokenPipeError, SystemExit):  # click turns the first into the second, which would exit with 1
        return EXIT_BROKEN_PIPE
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            click.echo(f"Error: can't go on: {error.strerror}", err=True)
            return EXIT_FINDINGS
        _report_fault(name, arguments)
        return EXIT_FAULT


def _report_fault(name: str, arguments: Sequence[str]) -> None:
    import traceback

    version = f"labspec {__version__}, Python {sys.version.split()[0]} on {sys.platform}"
    called = " ".join(["labspec", name, *map(ascii, arguments)])
    click.echo(f"unexpected error: this is a fault of labspec, not of your files\n\n{traceback.format_exc()}", err=True)
    click.echo(f"Called as: {called}\nVersions: {version}\nPlease report this text as it is.", err=True)
