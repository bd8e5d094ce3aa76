"""The first step of the pipeline: from a path to the values of one YAML file, with their places.

Nothing else reads a spec from the disk. The file is hostile until proven otherwise, so time and memory are bounded.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from labspec.diagnostics import Report
from labspec.plain_file import escape_name, name_of, open_plain_file, report_unreadable
from labspec.source.nodes import Source
from labspec.source.parse import parse
from labspec.source.text import decode

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.diagnostics import Diagnostic, Span
    from labspec.source.nodes import Mapping

MAX_BYTES = 1 << 20
"""The largest spec file that is read, in bytes. The labs we know stay below a twentieth of it."""


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
    file = name_of(path) if shown_as is None else escape_name(shown_as)
    data = _read_bytes(path, file, at, report)
    return None if data is None else read_data(data, file, report, texts=texts)


def read_data(data: bytes, file: str, report: Report, *, texts: dict[str, str] | None = None) -> Source | None:
    """Read `data` as the content of a spec file. `file`, `report` and `texts` as for `read`."""
    text = _decoded(data, file, report, texts)
    return None if text is None else parse_text(text, file, report)


def read_text(
    path: Path, report: Report, data: bytes | None = None, *, texts: dict[str, str] | None = None
) -> str | None:
    """The text of a spec file, which `parse_text` takes; None if there was an error in it.

    With `data`, as if that were its content. The other arguments as for `read`.
    """
    file = name_of(path)
    if data is None:
        data = _read_bytes(path, file, None, report)
    return None if data is None else _decoded(data, file, report, texts)


def _decoded(data: bytes, file: str, report: Report, texts: dict[str, str] | None) -> str | None:
    found = len(report.diagnostics)
    text = decode(data, file, report)
    if texts is not None:
        texts[file] = text
    return text if len(report.diagnostics) == found else None


def parse_text(text: str, file: str, report: Report) -> Source | None:
    """The source that a text is; None if there was an error in it. `file` and `report` as for `read`."""
    root, findings = _parsed(text, file)
    report.diagnostics.extend(findings)
    return None if root is None else Source(file, root, {file: text})


@lru_cache(maxsize=8)
def _parsed(text: str, file: str) -> tuple[Mapping | None, tuple[Diagnostic, ...]]:
    """The root of a text and what was found in it: many specs can extend one other, and it is parsed once for them."""
    report = Report()
    return parse(text, file, report), tuple(report.diagnostics)


def _read_bytes(path: Path, file: str, at: Span | None, report: Report) -> bytes | None:
    descriptor = open_plain_file(path, file, report, at)
    if descriptor is None:
        return None
    try:
        with os.fdopen(descriptor, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        report_unreadable(file, error, report, at)
        return None
    if len(data) > MAX_BYTES:
        report.error("file-too-large", f"`{file}` is larger than {MAX_BYTES} bytes", at)
        return None
    return data
