"""`labspec ledger migrate`: renamed reasons are rewritten, and nothing else of a ledger changes.

A ledger is surveyed first. If any of its lines has a reason without a counterpart today, or can't be read, nothing is
written. Otherwise the new ledger is written beside the old one and takes its place in one step; the old one stays
under another name.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import IO, TYPE_CHECKING, NamedTuple

from labspec.ledger.faults import Fault, Faults, read_json_object
from labspec.ledger.lines import Memory, open_ledger, read_lines
from labspec.ledger.places import value_places
from labspec.ledger.renames import Renames
from labspec.ledger.replace import stage, take_place
from labspec.plain_file import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from labspec.diagnostics import Report
    from labspec.lab.model import Lab


class Migrated(NamedTuple):
    """What became of one ledger: how many lines it has, and how many of each old reason were renamed to which.

    `kept` is where the old form is; None if nothing was written.
    """

    file: str
    lines: int
    renamed: dict[tuple[str, str], int]
    kept: Path | None


class Refused(NamedTuple):
    """A ledger that was left as it is, for a reason that is among the findings."""

    file: str


class Rename(NamedTuple):
    """The old and the new reason of a line; they are equal where nothing is to be done."""

    old: str
    new: str


class Migration:
    """Brings ledgers to the taxonomy of one lab, one after the other."""

    def __init__(self, lab: Lab, report: Report, shown: int, *, dry_run: bool = False) -> None:
        """Rename as `lab` says. With `dry_run` nothing is written; findings are the same."""
        self._renames = Renames((*lab.taxonomy, *lab.solved().taxonomy))
        self._report = report
        self._shown = shown
        self._dry_run = dry_run
        self._memory = Memory(self._look)

    def migrate(self, path: Path) -> Migrated | Refused:
        """Migrate one ledger, or change nothing about it."""
        file = name_of(path)
        return self._migrate_file(path, file) or Refused(file)

    def _migrate_file(self, path: Path, file: str) -> Migrated | None:
        if path.is_symlink():
            message = f"`{file}` is a symbolic link, which would be replaced by a file"
            self._report.error("ledger-is-link", message, None, help="name the file it leads to")
            return None
        try:
            return self._migrate_plain_file(path, file)
        except OSError as error:
            message = f"cannot write {file}: {error.strerror or error}"
            self._report.error("write-failed", message, None, help="nothing was changed there")
            return None

    def _migrate_plain_file(self, path: Path, file: str) -> Migrated | None:
        found = len(self._report.errors)
        with open_ledger(path, file, self._report) as stream:
            if stream is None:
                return None
            before = os.fstat(stream.fileno())
            lines, renamed = self._survey(stream, file)
            if len(self._report.errors) > found:
                return None
            if not renamed or self._dry_run:
                return Migrated(file, lines, renamed, None)
            stream.seek(0)
            new = stage(self._rewritten(stream, file), path, before.st_mode)
        if len(self._report.errors) > found:  # it could be read once, but not twice
            new.unlink()
            return None
        return Migrated(file, lines, renamed, take_place(new, path, before))

    def _survey(self, stream: IO[bytes], file: str) -> tuple[int, dict[tuple[str, str], int]]:
        """How many lines there are, and what would be renamed; every line that can't be migrated is a finding."""
        faults = Faults(file, self._report, self._shown)
        counts: Counter[Rename] = Counter()
        number = 0
        for number, raw in enumerate(read_lines(stream, file, self._report), start=1):
            found = self._memory.look(raw)
            if isinstance(found, Fault):
                faults.add(number, raw, (found,))
            else:
                counts[found] += 1
        faults.close()
        return number, {rename: count for rename, count in counts.items() if rename.old != rename.new}

    def _rewritten(self, stream: IO[bytes], file: str) -> Iterator[bytes]:
        for raw in read_lines(stream, file, self._report):
            found = self._memory.look(raw)
            yield raw if isinstance(found, Fault) or found.old == found.new else with_reason(raw, found.new)

    def _look(self, raw: bytes) -> tuple[Rename | Fault, bool]:
        record = read_json_object(raw)
        if isinstance(record, Fault):
            return record, False
        old = record.get("reason")
        if not isinstance(old, str):
            return Fault("ledger-wrong-fields", "the line has no reason that is text"), False
        new = self._renames.new_name(old)
        return (new, False) if isinstance(new, Fault) else (Rename(old, new), True)


def with_reason(raw: bytes, reason: str) -> bytes:
    """A line, which must be a JSON object with a reason, with another reason; every other byte is as it was."""
    line = raw.decode("utf-8")
    start, end = value_places(line)["reason"]
    return f"{line[:start]}{json.dumps(reason)}{line[end:]}".encode()


def migrate_ledgers(
    paths: Sequence[Path], lab: Lab, report: Report, shown: int, *, dry_run: bool = False
) -> list[Migrated | Refused]:
    """Migrate every ledger for which it is possible, each once, in the order given."""
    migration = Migration(lab, report, shown, dry_run=dry_run)
    return [migration.migrate(path) for path in dict.fromkeys(paths)]
