"""What the outcome of a build depends on beside its spec: labspec itself, its templates, Python, and the libraries."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as `typing` says it, whose import would take as long as all that is done here
if TYPE_CHECKING:
    from collections.abc import Iterator

_looks: tuple[str, int] | None = None


def compiler_looks() -> str:
    """What tells this compiler from any other: how its files look, and the folders that libraries are installed in."""
    return _look()[0]


def newest_of_compiler() -> int:
    """When the last file of the compiler was changed, in nanoseconds."""
    return _look()[1]


def _look() -> tuple[str, int]:
    global _looks  # the compiler that runs does not change any more
    if _looks is None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        templates = os.path.join(
            os.path.dirname(package), "templates"
        )  # of a checkout; a wheel has them in the package
        folders = [package, templates] if os.path.isdir(os.path.join(templates, "shared")) else [package]
        files = sorted(file for folder in folders for file in _files_below(folder))
        libraries = [(folder, 0, os.stat(folder).st_mtime_ns) for folder in sys.path if _holds_libraries(folder)]
        lines = [sys.version, *(f"{path} {size} {time}" for path, size, time in (*files, *libraries))]
        _looks = ("\n".join(lines), max(time for _, _, time in files))
    return _looks


def _files_below(folder: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of the last change of every file that is not made of another one."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                found = entry.stat()
                yield entry.path, found.st_size, max(found.st_mtime_ns, found.st_ctime_ns)
            elif entry.name != "__pycache__":
                yield from _files_below(entry.path)


def _holds_libraries(folder: str) -> bool:
    """Whether this is a folder in which each installation, upgrade or removal changes what stands in it."""
    return folder.endswith("-packages") and os.path.isdir(folder)
