"""`labspec schema`: the JSON Schema of specs, with which an editor completes, explains and checks every key."""

from __future__ import annotations

import json
from pathlib import Path

import click

from labspec.cli import EXIT_FINE
from labspec.cli.fixing import replace_content
from labspec.schema import TITLE, schema_text

MODELINE = "# yaml-language-server: $schema="
"""What the first line of a spec begins with, to tell the language server for YAML where the schema is."""


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to this file. One that an earlier `labspec schema` wrote is replaced, no other.",
)
def command(output: Path | None) -> int:
    """Print the JSON Schema of specs, for an editor that completes, explains and checks every key.

    Write it beside your specs with `-o labspec.schema.json`, and begin each spec with the line
    `# yaml-language-server: $schema=labspec.schema.json`. Editors with the language server for YAML need no more.
    What takes more than a look at one key is said by `labspec check` alone.
    """
    text = schema_text()
    if output is None:
        click.echo(text, nl=False)
        return EXIT_FINE
    try:
        done = _write(output, text.encode())
    except OSError as error:
        raise click.ClickException(f"can't write {output}: {error.strerror or error}") from error
    click.echo(f"{output}: {done}; begin each spec beside it with `{MODELINE}{output.name}`")
    return EXIT_FINE


def _write(path: Path, content: bytes) -> str:
    """Write the schema, and say what was done. Raises click.ClickException for a file that is something else."""
    if not path.exists():
        _write_new(path, content)
        return "written"
    before = path.read_bytes()
    if before == content:
        return "nothing to do"
    if not _is_schema_of_ours(before) or not replace_content(path, before, content):
        raise click.ClickException(f"{path} exists, and `labspec schema` did not write it: name another file")
    return "replaced"


def _write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there; raises OSError, also if it is there now, and leaves nothing half-written."""
    with path.open("xb") as new:
        try:
            new.write(content)
            new.flush()
        except OSError:
            path.unlink()
            raise


def _is_schema_of_ours(content: bytes) -> bool:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("title") == TITLE
