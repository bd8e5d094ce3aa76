"""The fifth step: from the plan of a repository to its files in memory, `Plan -> Tree`. Pure, and only printing.

A template's environment belongs to one kind of file. It prints whole numbers and text marked for that kind, and raises
TypeError for anything else: text of an author's that was not encoded cannot slip through.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from labspec.emit.manifest import manifest_file, pristine_file
from labspec.emit.outputs import Copied, Output, Plan, Printed, Serialized
from labspec.emit.shared import once
from labspec.emit.templates import contract_text, template_root, template_text
from labspec.emit.tree import MANIFEST, PRISTINE, File, Tree

if TYPE_CHECKING:
    from jinja2 import Environment

    from labspec.emit.encode import Encoded


def render(plan: Plan) -> Tree:
    """The repository that was planned: every file, then its bookkeeping."""
    return with_bookkeeping(plan, {output.path: file_of(output) for output in plan.outputs})


def file_of(output: Output) -> File:
    """One file of a repository."""
    return _copied(output) if isinstance(output, Copied) else _made(output)


@cache
def _copied(output: Copied) -> File:
    return _file(output)


@once
def _made(output: Printed | Serialized) -> File:
    return _file(output)


def _file(output: Output) -> File:
    return File(text_of(output).encode("utf-8"), output.owner)


def with_bookkeeping(plan: Plan, files: Tree) -> Tree:
    """The repository of these files."""
    pristine = {PRISTINE: pristine_file(files)}
    manifest = {MANIFEST: manifest_file(plan, {**files, **pristine})}
    return dict(sorted({**files, **pristine, **manifest}.items()))


def text_of(output: Output) -> str:
    """The text of one file."""
    match output:
        case Printed():
            return _print(output)
        case Copied(source="contract"):
            return contract_text(output.name)
        case Copied():
            return template_text(output.name)
        case Serialized():
            return output.text


def _print(output: Printed) -> str:
    covered = {} if output.cover is None else output.cover._asdict()
    return environment(output.kind).get_template(output.template).render(output.values._asdict() | covered)


@cache
def environment(kind: type[Encoded]) -> Environment:
    """The environment for templates of one kind of file."""
    # Imported here: it takes longer than everything else a `check` needs.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(template_root()),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - `finalize` refuses what is not encoded; HTML escapes would be wrong here
        finalize=kind.admit,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        auto_reload=False,
    )
