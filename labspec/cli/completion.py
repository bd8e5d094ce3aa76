"""`labspec completion`: the script that makes a shell complete commands, options and file names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from labspec.cli import COMPLETE, EXIT_FINE, SHELLS


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script that makes SHELL complete commands, options and file names.

    Put it once where the shell looks for completions. It asks the labspec that is installed, so an update needs no
    new one.

    \b
      labspec completion bash > ~/.local/share/bash-completion/completions/labspec
      labspec completion zsh > ~/.zfunc/_labspec    # and in ~/.zshrc, before compinit: fpath+=~/.zfunc
      labspec completion fish > ~/.config/fish/completions/labspec.fish
    """  # noqa: D301 - click reads \b, a backspace, as "leave these lines as they are"
    click.echo(script(shell), nl=False)
    return EXIT_FINE


def script(shell: str) -> str:
    """The script of click for the shell. What it asks is answered by `labspec.cli.complete`, which imports no click."""
    kind = get_completion_class(shell)
    assert kind is not None, f"click knows no shell {shell}"  # noqa: S101 - click has had these three since 8.0
    return kind(click.Command("labspec"), {}, "labspec", COMPLETE).source()
