"""`labspec new`: a course repository, with specs to change and everything that checks them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE, EXIT_USAGE
from labspec.cli.stopping import ended_as_by_ctrl_c

if TYPE_CHECKING:
    from labspec.new import CourseName


@click.command()
@click.argument("name", required=False)
@click.option("--title", help="What the course is called, if not as its folder: the heading of its README.")
def command(name: str | None, title: str | None) -> int:
    """Make the folder NAME with a new course in it.

    A course has a lab to change, a variant that extends it, what CI and your editor need, and a README that says how to
    go on. NAME is cleaned: "Agent Loops" becomes the folder agent-loops. Nothing is asked, unless NAME is missing and
    you are at a terminal. A folder with something in it is never touched.
    """
    from labspec.emit.write.target import WriteRefused
    from labspec.new import NameRefused, name_course

    try:
        course = name_course(name, title) if name is not None else _ask(title)
    except NameRefused as refusal:
        _show_refusal("course-name", refusal.message, refusal.help)
        return EXIT_USAGE
    try:
        files = _create(course)
    except WriteRefused as refusal:
        _show_refusal(refusal.code, refusal.message, refusal.help)
        return EXIT_FINDINGS
    click.echo(f"{course.folder}: a new course of {files} files\nNext:\n  cd {course.folder}\n  labspec check")
    click.echo("README.md says how to go on.")
    return EXIT_FINE


def _create(course: CourseName) -> int:
    """Make the folder of the course in the working directory; returns how many files it has."""
    from labspec.new import check_is_free, create, render_course

    target = _working_directory() / course.folder
    check_is_free(target)
    with ended_as_by_ctrl_c():
        tree = render_course(course)
        create(tree, target)
    return len(tree)


def _working_directory() -> Path:
    from labspec.emit.write.target import WriteRefused

    try:
        return Path.cwd()
    except OSError as error:
        message = f"cannot write into the folder that you are in: {error.strerror}"
        raise WriteRefused("write-failed", message, "go to another folder") from error


def _show_refusal(code: str, message: str, help: str) -> None:
    click.echo(f"error[{code}] {message}\n  help: {help}", err=True)


def _ask(title: str | None) -> CourseName:
    """Ask for the folder, and for the title too unless it is given; each again until it can be. Raises NameRefused if
    the given title can't be.
    """
    from labspec.new import name_course

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("Missing argument 'NAME': what the folder of the course is to be called.")
    if title is None:
        named = _prompt("Title of the course", lambda answer: name_course("course", answer))
    else:
        named = name_course("course", title)
    return _prompt("Its folder", lambda answer: name_course(answer, named.title), _folder_of(named.title))


def _folder_of(title: str) -> str | None:
    """The folder that goes with a title; None if a folder can't be called like this."""
    from labspec.new import NameRefused, name_course

    try:
        return name_course(title).folder
    except NameRefused:
        return None


def _prompt(question: str, read: Callable[[str], CourseName], default: str | None = None) -> CourseName:
    from labspec.new import NameRefused

    def value(answer: str) -> CourseName:
        try:
            return read(answer)
        except NameRefused as refusal:
            raise click.UsageError(f"{refusal.message}; {refusal.help}") from None

    try:
        answer: CourseName = click.prompt(question, value_proc=value, default=default, err=True)
    except click.Abort:
        click.echo(err=True)  # what is said next begins in a line of its own
        raise
    return answer
