"""`labspec ledger migrate`: renamed reasons are rewritten, and nothing else of a ledger changes.

A ledger is surveyed first. If any of its lines has a reason without a counterpart today, or can't be read, nothing is
written. Otherwise the new ledger is written beside the old one and takes its place in one step; the old one stays
under another name.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from labspec.ledger.faults import Fault, Faults, read_json_object
from labspec.ledger.lines import Memory, open_ledger, read_lines
from labspec.ledger.places import value_places
from labspec.ledger.renames import Renames
from labspec.plain_file import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from labspec.diagnostics import Report
    from labspec.lab.model import Lab

KEPT = ".before-migration"
"""What is added to the name of a ledger to name its old form."""

_NOT_WRITTEN = "nothing was changed there"


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
        with open_ledger(path, file, self._report) as stream:
            return None if stream is None else self._migrate_stream(stream, path, file)

    def _migrate_stream(self, stream: IO[bytes], path: Path, file: str) -> Migrated | None:
        found = len(self._report.errors)
        before = os.fstat(stream.fileno())
        lines, renamed = self._survey(stream, file)
        if len(self._report.errors) > found:
            return None
        if not renamed or self._dry_run:
            return Migrated(file, lines, renamed, None)
        stream.seek(0)
        try:
            with _beside(path, before.st_mode) as (new, temporary):
                new.writelines(self._rewritten(stream, file))
                if len(self._report.errors) > found:
                    return None
                _flush(new)
                if not _is_same(path, before):
                    message = f"cannot write {file}: it changed while it was read"
                    self._report.error("write-failed", message, None, help=_NOT_WRITTEN)
                    return None
                kept = _take_place(temporary, path)
        except OSError as error:
            message = f"cannot write {file}: {error.strerror or error}"
            self._report.error("write-failed", message, None, help=_NOT_WRITTEN)
            return None
        return Migrated(file, lines, renamed, kept)

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


@contextlib.contextmanager
def _beside(path: Path, mode: int) -> Iterator[tuple[IO[bytes], Path]]:
    """A new file beside `path` with the same permissions; it is gone afterwards, unless it was moved."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".labspec")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            temporary.chmod(mode & 0o777)
            yield stream, temporary
    finally:
        temporary.unlink(missing_ok=True)


def _flush(stream: IO[bytes]) -> None:
    """Have everything on the disk before the file takes the place of another one."""
    stream.flush()
    os.fsync(stream.fileno())


def _is_same(path: Path, before: os.stat_result) -> bool:
    """Whether the file at `path` is the one that was opened, and nobody has written to it since."""
    now = path.stat()
    same_file = os.path.samestat(now, before)
    return same_file and (now.st_size, now.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def _take_place(temporary: Path, path: Path) -> Path:
    """Put the new ledger in the place of the old one; returns where the old one is now."""
    kept = _keep(path)
    try:
        temporary.replace(path)
    except OSError:
        kept.unlink()
        raise
    return kept


def _keep(path: Path) -> Path:
    """Give the ledger a second name that nothing has yet, or make a copy of that name where a file can't have two."""
    for number in range(1, 1000):
        kept = path.with_name(f"{path.name}{KEPT}{'' if number == 1 else f'-{number}'}")
        try:
            _link_or_copy(path, kept)
        except FileExistsError:
            continue
        return kept
    raise FileExistsError(f"there are too many files {path.name}{KEPT}-...")


def _link_or_copy(path: Path, kept: Path) -> None:
    try:
        kept.hardlink_to(path)
    except FileExistsError:
        raise
    except OSError:  # some file systems have no second names
        with kept.open("xb") as copy:
            _copy(path, copy, kept)


def _copy(path: Path, copy: IO[bytes], kept: Path) -> None:
    try:
        with path.open("rb") as original:
            shutil.copyfileobj(original, copy)
        shutil.copystat(path, kept)
    except OSError:
        kept.unlink()
        raise
