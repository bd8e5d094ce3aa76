"""The command line. Help and version answer from this module alone; a command's module is imported when it is called.

Exit codes: 0 fine, 1 findings about the author's files, 2 wrong usage, 3 a fault of labspec itself.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys

TYPE_CHECKING = False  # as `typing` says it, whose import would be a tenth of the time that help takes
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final, NoReturn

COMMANDS: Final = {
    "new": ("labspec.cli.new", "Make a course: specs to change, and everything that checks them"),
    "check": ("labspec.cli.check", "Say what is wrong with a spec, all at once, and which lab it means"),
    "explain": ("labspec.cli.explain", "Say what the code of a finding means, and what to do"),
    "build": ("labspec.cli.build", "Write the student repository of each spec"),
    "prove": ("labspec.cli.prove", "Build for real and show that the tests bite"),
    "preview": ("labspec.cli.preview", "Show a spec as a local page that reloads as you save"),
    "freeze": ("labspec.cli.freeze", "Let a live model run a lab once, and print what it did as a fixture"),
    "diff": ("labspec.cli.diff", "Say what a change of a spec means"),
    "update": ("labspec.cli.update", "Bring students' clones to the version that a spec makes now"),
    "run": ("labspec.cli.run", "Run a fixture through the reference runner"),
    "ledger": ("labspec.cli.ledger", "Check, migrate and compare the ledgers that runs leave"),
    "schema": ("labspec.cli.schema", "Print the JSON Schema of specs, with which editors complete and explain keys"),
    "completion": ("labspec.cli.completion", "Print the script that makes a shell complete commands and options"),
}
"""Every command: its module, which has a click command called `command`, and what it is for."""

GROUPS: Final = {
    "Write a lab": ("new", "check", "preview", "explain", "run", "freeze"),
    "Build it and prove it": ("build", "prove"),
    "Look after a course": ("diff", "update", "ledger"),
    "Set up an editor and a shell": ("schema", "completion"),
}
"""What people come to do, and the commands for it: the order of help and of the reference. Each command once."""

COMPLETE: Final = "_LABSPEC_COMPLETE"
"""The variable by which a shell asks what could come next: `labspec completion` prints the script that sets it."""

SHELLS: Final = ("bash", "zsh", "fish")
"""The shells that can ask."""

EXIT_FINE: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_USAGE: Final = 2
EXIT_FAULT: Final = 3
EXIT_BROKEN_PIPE: Final = 141
"""What a shell reports for a program that SIGPIPE has ended."""

_USAGE: Final = "Usage: labspec COMMAND [OPTIONS] [ARGUMENT]...\n"
_HINT: Final = "Try `labspec --help`.\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. `arguments` are those after the program's name."""
    if COMPLETE in os.environ:
        from labspec.cli.complete import answer

        return answer(os.environ)
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ("--help", "-h", "help"):
        sys.stdout.write(help_text())
        return EXIT_FINE if words else EXIT_USAGE
    if words[0] in ("--version", "-V"):
        from labspec import __version__

        sys.stdout.write(f"labspec {__version__}\n")
        return EXIT_FINE
    if words[0] not in COMMANDS:
        sys.stderr.write(f"{_USAGE}{_HINT}\nError: there is no command `{words[0]}`.{_nearest(words[0])}\n")
        return EXIT_USAGE
    if words[0] == "build":
        from labspec.cli.unchanged import say_unchanged

        if say_unchanged(words[1:]):
            return EXIT_FINE
    from labspec.cli.call import call

    return call(words[0], words[1:])


def run_and_exit() -> NoReturn:
    """The `labspec` program: `main`, then the end of the process.

    A command lives for a fraction of a second. Collecting garbage would cost a twentieth of it and free nothing, and
    at its end there is nothing to clean up: taking some hundred modules apart would cost a tenth.
    """
    gc.disable()
    _open_closed_streams()
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # who reads the output may have stopped, as `head` does
        code = EXIT_BROKEN_PIPE
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        sys.stderr.write(f"Error: can't go on: {error.strerror}\n")
        code = EXIT_FINDINGS
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.flush()
    os._exit(code)


def _open_closed_streams() -> None:
    """A stream that was closed before we started (`labspec ... >&-`) is None; then what is printed goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - it stays open, and pathlib is slow


def help_text() -> str:
    """What `labspec --help` prints."""
    width = max(map(len, COMMANDS)) + 2
    groups = "".join(
        f"{purpose}:\n" + "".join(f"  {name:<{width}}{COMMANDS[name][1]}\n" for name in names) + "\n"
        for purpose, names in GROUPS.items()
    )
    return (
        f"{_USAGE}\n"
        "  labspec compiles a lab spec (YAML) about an agent loop into a student repository,\n"
        "  and proves that the lab is sound and that its tests bite.\n\n"
        f"{groups}"
        "Options:\n  --version  Show the version\n  --help     Show this text; `labspec COMMAND --help` says more\n\n"
        "Exit codes: 0 fine, 1 findings in your files, 2 wrong usage, 3 a fault of labspec itself\n"
    )


def _nearest(word: str) -> str:
    from labspec.diagnostics.suggest import did_you_mean

    near = did_you_mean(word, COMMANDS)
    return f" Did you mean `{near}`?" if near else ""
