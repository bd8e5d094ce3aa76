"""The files of a new course, from `templates/course` through cookiecutter: `CourseName -> Tree`.

`templates/course` is a template that plain cookiecutter takes too. Here only the part of cookiecutter that renders
files is called: the rest evaluates the values it is given as templates, reads the user's configuration, and keeps what
was answered in the home directory.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cookiecutter.generate import generate_context, generate_files  # type: ignore[import-untyped]  # it has no types

from labspec import __version__
from labspec.emit.encode import markdown_text
from labspec.emit.templates import template_root
from labspec.emit.tree import File, Tree
from labspec.emit.write.target import WriteRefused
from labspec.schema import schema_text

if TYPE_CHECKING:
    from labspec.new.name import CourseName


SCHEMA: Final = "labspec.schema.json"
"""What the editor of a course knows about specs. It is not in the template, because the models of specs make it."""


def render_course(name: CourseName) -> Tree:
    """The files of a new course with this name. Raises WriteRefused if there is no room for temporary files."""
    template = template_root() / "course"
    try:
        with tempfile.TemporaryDirectory(prefix="labspec-") as temporary:
            generate_files(template, _context(template, name), temporary, accept_hooks=False)
            rendered = _read(Path(temporary, name.folder))
    except OSError as error:
        message = f"cannot write temporary files: {error.strerror or error}"
        raise WriteRefused("write-failed", message, "make room, or let TMPDIR name another folder") from error
    return dict(sorted({**rendered, SCHEMA: File(schema_text().encode())}.items()))


def _context(template: Path, name: CourseName) -> dict[str, Any]:
    """What the template prints: our own settings, a cleaned folder, and a title that is finished Markdown."""
    values = {"title": str(markdown_text(name.title)), "__folder": name.folder, "_labspec": __version__}
    context: dict[str, Any] = generate_context(str(template / "cookiecutter.json"), extra_context=values)
    return context


def _read(folder: Path) -> Tree:
    # pip compiles what it installs, the script among the templates too.
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
    # A checkout on Windows may have CRLF; what comes out never does.
    return {path.relative_to(folder).as_posix(): File(path.read_bytes().replace(b"\r\n", b"\n")) for path in paths}
