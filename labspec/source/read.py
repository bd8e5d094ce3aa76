"""The first step of the pipeline: from a path to the values of one YAML file, with their places.

Nothing else reads a spec from the disk. The file is hostile until proven otherwise, so time and memory are bounded.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from labspec.source.nodes import Source
from labspec.source.parse import parse
from labspec.source.text import decode

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.diagnostics import Report, Span

MAX_BYTES = 1 << 20
"""The largest spec file that is read, in bytes. The labs we know stay below a twentieth of it."""

# Opening a FIFO without O_NONBLOCK waits for a writer. Both flags are absent on some systems.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read(
    path: Path,
    report: Report,
    *,
    shown_as: str | None = None,
    at: Span | None = None,
    texts: dict[str, str] | None = None,
) -> Source | None:
    """Read one spec file; what it extends is left to `resolve_extends`.

    Every problem is a finding, whatever the path and the bytes; nothing is raised.

    Args:
        path: the file.
        report: receives the findings.
        shown_as: the name of the file in messages; the path as given, if left out.
        at: the place of a finding about the file itself, such as the `extends` that names it.
        texts: receives the text under the shown name even if there are findings, for showing source lines.

    Returns:
        The source, or None if there was an error in it.

    """
    file = _printable(path.as_posix() if shown_as is None else shown_as)
    data = _read_bytes(path, file, at, report)
    return None if data is None else read_data(data, file, report, texts=texts)


def read_data(data: bytes, file: str, report: Report, *, texts: dict[str, str] | None = None) -> Source | None:
    """Read `data` as the content of a spec file. `file`, `report` and `texts` as for `read`."""
    found = len(report.diagnostics)
    text = decode(data, file, report)
    if texts is not None:
        texts[file] = text
    if len(report.diagnostics) > found:
        return None
    root = parse(text, file, report)
    return None if root is None else Source(file, root, {file: text})


def name_of(path: Path) -> str:
    """What a file is called in messages, and among the texts of what was read."""
    return _printable(path.as_posix())


def _printable(name: str) -> str:
    """A file name that can be printed: bytes of a name that are not UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _read_bytes(path: Path, file: str, at: Span | None, report: Report) -> bytes | None:
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
        try:
            data = _read_regular(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        report.error("file-not-found", f"there is no file `{file}`", at)
        return None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        _report_unreadable(path, file, error, at, report)
        return None
    if data is None:
        report.error("not-a-file", f"`{file}` is not a regular file", at)
    elif len(data) > MAX_BYTES:
        report.error("file-too-large", f"`{file}` is larger than {MAX_BYTES} bytes", at)
        return None
    return data


def _read_regular(descriptor: int) -> bytes | None:
    """At most one byte more than a spec may have; None if the descriptor is no regular file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return None
    with open(descriptor, "rb", closefd=False) as stream:
        return stream.read(MAX_BYTES + 1)


def _report_unreadable(path: Path, file: str, error: Exception, at: Span | None, report: Report) -> None:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    if isinstance(error, PermissionError) and path.is_dir():  # Windows cannot even open a directory
        report.error("not-a-file", f"`{file}` is not a regular file", at)
    else:
        report.error("file-unreadable", f"`{file}` cannot be read: {reason.lower()}", at)
