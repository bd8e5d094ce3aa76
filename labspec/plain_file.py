"""Opens a file that somebody named: a plain file, or a finding. `source.read` and the commands on ledgers use it.

Devices, pipes and folders are refused before anything is read of them: some never end.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.diagnostics import Report, Span

# Opening a FIFO without O_NONBLOCK waits for a writer. These flags are absent on some systems.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def open_plain_file(path: Path, file: str, report: Report, at: Span | None = None) -> int | None:
    """A descriptor for reading the file at `path`, which the caller closes; None if there is a finding.

    Args:
        path: the file; a symbolic link is followed.
        file: the name of the file in messages.
        report: receives the finding.
        at: the place of the finding, such as the line that names the file.

    """
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        report.error("file-not-found", f"there is no file `{file}`", at)
        return None
    except PermissionError as error:  # Windows cannot even open a directory
        if path.is_dir():
            report.error("not-a-file", f"`{file}` is not a regular file", at)
        else:
            report_unreadable(file, error, report, at)
        return None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        report_unreadable(file, error, report, at)
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    report.error("not-a-file", f"`{file}` is not a regular file", at)
    return None


def report_unreadable(file: str, error: Exception, report: Report, at: Span | None = None) -> None:
    """The finding that the system did not let a file be opened or read."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    report.error("file-unreadable", f"`{file}` cannot be read: {reason.lower()}", at)


def name_of(path: Path) -> str:
    """What a file is called in messages, and among the texts of what was read."""
    return escape_name(path.as_posix())


def escape_name(name: str) -> str:
    """A file name that can be printed: bytes of a name that are not UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
