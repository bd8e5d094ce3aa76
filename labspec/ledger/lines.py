"""The lines of a ledger that may be of any size, one at a time: the first step of every command on ledgers.

What a line says is read by `labspec.contract`, which students' tests use as well. Here is what a large file needs:
memory stays bounded whatever is in it, and lines that differ in the run id only are looked at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Generic, TypeVar

from labspec.contract.records import MAX_BYTES as MAX_LINE_BYTES
from labspec.plain_file import open_plain_file, report_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from labspec.diagnostics import Report

MAX_LEDGER_BYTES = 1 << 30
"""The largest ledger that is read: six million lines of the usual length."""

MAX_REMEMBERED = 8_000
MAX_REMEMBERED_BYTES = 2_000
"""How many lines are remembered, and how long each may be: some twenty megabytes at most."""

_BUFFER = 1 << 18
_GAP = b"\x00"  # no JSON text can hold it
_RUN_ID = re.compile(rb'"run_id": ?"([ !#-\[\]-~]*)"')
"""A run id of plain characters. In JSON, whatever matches is the whole value of a key that ends in `run_id`: inside a
text there would be a backslash before the second quote as well. A record of the right form has only one such key.
"""

T = TypeVar("T")


@contextmanager
def open_ledger(path: Path, file: str, report: Report) -> Iterator[IO[bytes] | None]:
    """The ledger at `path`, open for reading; None if there is a finding."""
    descriptor = open_plain_file(path, file, report)
    if descriptor is None:
        yield None
        return
    with os.fdopen(descriptor, "rb", buffering=_BUFFER) as stream:
        if os.fstat(descriptor).st_size > MAX_LEDGER_BYTES:
            report.error("file-too-large", f"`{file}` is larger than {MAX_LEDGER_BYTES:,} bytes", None)
            yield None
            return
        yield stream


def read_lines(stream: IO[bytes], file: str, report: Report) -> Iterator[bytes]:
    """Each line with its end. Of a line that is too long, one byte more than a line may have.

    If the system does not let it be read to the end, that is a finding, and there are no more lines.
    """
    readline, limit = stream.readline, MAX_LINE_BYTES + 1
    try:
        while line := readline(limit):
            yield line
            while len(line) == limit and not line.endswith(b"\n"):
                line = readline(limit)  # the rest of the same line, which nobody looks at
    except OSError as error:
        report_unreadable(file, error, report)


def without_run_id(raw: bytes) -> bytes:
    """A line without its run id. Two records of the right form for which this is equal differ in the run id only."""
    return _RUN_ID.sub(_GAP, raw, 1)


def plain_run_id(raw: bytes) -> str | None:
    """The run id of a record of the right form, if it can be seen without reading the line."""
    found = _RUN_ID.search(raw)
    return None if found is None else found[1].decode("ascii")


class Memory(Generic[T]):
    """What was found out about a line, kept for all lines that differ from it in the run id only.

    `look` says what there is to know of a line, and whether that may be kept: the line must be JSON, and what is said
    must not depend on the run id.
    """

    def __init__(self, look: Callable[[bytes], tuple[T, bool]]) -> None:
        """Look at lines with `look`, at each kind of line once."""
        self._look = look
        self._known: dict[bytes, T] = {}

    def look(self, raw: bytes) -> T:
        """What `look` says of the line."""
        pattern = without_run_id(raw)
        found = self._known.get(pattern)
        if found is None:
            found, may_be_kept = self._look(raw)
            if may_be_kept and len(pattern) <= MAX_REMEMBERED_BYTES and len(self._known) < MAX_REMEMBERED:
                self._known[pattern] = found
        return found
