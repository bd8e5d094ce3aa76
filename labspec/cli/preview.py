"""`labspec preview`: a local page about a spec that reloads as the spec is saved."""

from __future__ import annotations

import errno
import gc
import os
import sys
import webbrowser
from pathlib import Path
from threading import Thread

import click

from labspec.cli import EXIT_FINE
from labspec.cli.findings import render_report
from labspec.cli.specs import FindingsError
from labspec.diagnostics import Report
from labspec.plain_file import name_of, open_plain_file
from labspec.preview import Follower, Server

DEFAULT_PORT = 5227
"""L-A-B-S on the keys of a telephone."""


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"The port to listen on. Without it {DEFAULT_PORT}, or any other if that is in use.",
)
@click.option(
    "--open/--no-browser",
    "opens",
    default=None,
    help="Open the page in a browser, or leave that to you. Without either it is opened where there is a desktop.",
)
def command(spec: Path, port: int | None, opens: bool | None) -> int:
    """Show SPEC as a page in your browser, which reloads whenever the spec is saved.

    The page has the handout as students will see it, the decision table, the loop as a drawing, the rubric, each
    fixture turn by turn, and the findings of `labspec check` beside the lines they are about. While the spec has
    errors, it shows what the spec means all the same, or else its last version. Press `?` on the page for its keys, and
    Ctrl+C here to end.

    Only browsers on this machine can see it. It runs nothing that the spec names, and writes nothing.
    """
    _require_file(spec)
    gc.enable()  # unlike other commands, this one lives for long
    follower = Follower(spec)
    with _listen(port, follower) as server:
        Thread(target=follower.follow, daemon=True).start()
        click.echo(f"{spec} is shown at {server.address}\nSave the spec and the page follows. Ctrl+C ends it.")
        if opens or (opens is None and _has_desktop()):
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo()  # after the ^C that the terminal shows
        finally:
            follower.stop()
    return EXIT_FINE


def _require_file(spec: Path) -> None:
    """A spec with errors is shown; one that isn't there is a slip in the command."""
    report = Report()
    descriptor = open_plain_file(spec, name_of(spec), report)
    if descriptor is None:
        click.echo(render_report(report, to_stderr=True), err=True, nl=False)
        raise FindingsError("")
    os.close(descriptor)


def _listen(port: int | None, follower: Follower) -> Server:
    try:
        return Server(DEFAULT_PORT if port is None else port, follower.board)
    except OSError as error:
        if port is None and error.errno == errno.EADDRINUSE:
            return Server(0, follower.board)
        advice = "choose another one, or leave --port out"
        if error.errno == errno.EADDRINUSE:
            raise click.ClickException(f"port {port} is in use: {advice}") from error
        raise click.ClickException(f"can't listen on port {port}: {error.strerror}; {advice}") from error


def _has_desktop() -> bool:
    """Whether somebody sees it if a browser opens: not in a pipe, and not on a machine without a screen."""
    has_screen = sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return sys.stdout.isatty() and has_screen
