"""A migration changes the reasons that were renamed and not one other byte, or it changes nothing at all."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.diagnostics import Report
from labspec.lab.model import Reason
from labspec.ledger import Migrated, Refused, check_ledgers, migrate_ledgers
from labspec.ledger.faults import Fault
from labspec.ledger.renames import Renames
from tests.ledger.cases import LAB, output_of
from tests.ledger.ledgers import HOSTILE, RENAMED, line, lines, small_lab

KEPT = "ledger.jsonl.before-migration"


def migrate(path: Path, *, dry_run: bool = False) -> tuple[Migrated | Refused, Report]:
    report = Report()
    (migrated,) = migrate_ledgers([path], small_lab(), report, 5, dry_run=dry_run)
    return migrated, report


def migrate_bytes(data: bytes, folder: Path) -> tuple[Migrated | Refused, bytes, Report]:
    """What becomes of a ledger with this content, in a folder that holds nothing else."""
    for old in folder.iterdir():
        old.unlink()
    path = folder / "ledger.jsonl"
    path.write_bytes(data)
    migrated, report = migrate(path)
    return migrated, path.read_bytes(), report


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ledgers")


def common_start(a: bytes, b: bytes) -> int:
    """How many bytes two lines begin with in common."""
    return next((at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


def renamed_record(raw: bytes) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(raw)
    return record | {"reason": RENAMED.get(record["reason"], record["reason"])}


@given(ledger=st.lists(lines(), max_size=6))
def test_only_reasons_change_and_the_old_ledger_is_kept(folder: Path, ledger: list[bytes]) -> None:
    data = b"".join(ledger)
    migrated, after, report = migrate_bytes(data, folder)
    if isinstance(migrated, Refused):  # a text with half of a surrogate pair, which is not UTF-8
        assert report.has_errors
        assert after == data
        return
    assert report.diagnostics == []
    new = [raw + b"\n" for raw in after.split(b"\n")[:-1]]
    assert len(new) == len(ledger)
    for was, now in zip(ledger, new, strict=True):
        assert json.loads(now) == renamed_record(was)
        assert list(json.loads(now)) == list(json.loads(was))
        reason = json.loads(was)["reason"]
        grown = len(RENAMED.get(reason, reason)) - len(reason)
        assert len(now) - len(was) == grown
        assert common_start(was, now) + common_start(was[::-1], now[::-1]) >= len(was) - len(reason)
    assert migrated.lines == len(ledger)
    assert sum(migrated.renamed.values()) == sum(json.loads(raw)["reason"] in RENAMED for raw in ledger)
    kept = folder / KEPT
    assert sorted(path.name for path in folder.iterdir()) == ["ledger.jsonl", *([KEPT] if migrated.renamed else [])]
    assert not migrated.renamed or kept.read_bytes() == data


@given(data=st.lists(lines(), max_size=6).map(b"".join))
def test_a_second_migration_has_nothing_to_do(folder: Path, data: bytes) -> None:
    migrated, after, _ = migrate_bytes(data, folder)
    again, _ = migrate(folder / "ledger.jsonl")
    assert (folder / "ledger.jsonl").read_bytes() == after
    assert isinstance(again, Migrated) == isinstance(migrated, Migrated)
    assert isinstance(again, Refused) or not again.renamed


@given(data=HOSTILE)
def test_any_bytes_are_migrated_or_left_as_they_are(folder: Path, data: bytes) -> None:
    migrated, after, report = migrate_bytes(data, folder)
    assert isinstance(migrated, Refused) == report.has_errors
    if isinstance(migrated, Refused):
        assert after == data
        assert [path.name for path in folder.iterdir()] == ["ledger.jsonl"]


def test_after_a_migration_the_ledger_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line() + line(reason="turn_cap") + line(reason="schema_mismatch"))
    assert isinstance(migrate(path)[0], Migrated)
    report = Report()
    (checked,) = check_ledgers([path], small_lab(), report, 5)
    assert report.diagnostics == []
    assert checked.reasons == {"completed": 1, "turns_spent": 1, "no_name": 1}


def test_a_kept_ledger_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    for number in range(3):
        path.write_bytes(line(reason="turn_cap", run_id=f"r{number}"))
        assert isinstance(migrate(path)[0], Migrated)
    kept = sorted(one for one in tmp_path.iterdir() if one != path)
    assert [one.name for one in kept] == [KEPT, f"{KEPT}-2", f"{KEPT}-3"]
    assert [json.loads(one.read_bytes())["run_id"] for one in kept] == ["r0", "r1", "r2"]


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line(reason="turn_cap"))
    before = path.stat()
    printed = output_of("migrate", str(path), "--spec", str(LAB), "--dry-run")
    assert printed == f"{path}: would rename turn_cap to turns_spent (1)\nexit code 0\n"
    assert path.stat() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="needs the permissions and links of POSIX")
def test_permissions_stay_and_links_are_refused(tmp_path: Path) -> None:
    path, link = tmp_path / "ledger.jsonl", tmp_path / "latest.jsonl"
    path.write_bytes(line(reason="turn_cap"))
    path.chmod(0o640)
    link.symlink_to(path)
    migrated, report = migrate(link)
    assert isinstance(migrated, Refused)
    assert [finding.code for finding in report.diagnostics] == ["ledger-is-link"]
    assert isinstance(migrate(path)[0], Migrated)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="needs the permissions of POSIX")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write into any folder")
def test_a_folder_that_may_not_be_written_to_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line(reason="turn_cap"))
    tmp_path.chmod(0o500)
    migrated, report = migrate(path)
    tmp_path.chmod(0o700)
    assert isinstance(migrated, Refused)
    assert [finding.code for finding in report.diagnostics] == ["write-failed"]


@pytest.mark.parametrize("broken", ["fsync", "replace", "link"])
def test_a_disk_that_fails_leaves_the_ledger_as_it_was_or_migrates_it_all_the_same(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a file system without second names is no obstacle: then the old ledger is copied."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line(reason="turn_cap"))
    monkeypatch.setattr(os, broken, fail)
    migrated, report = migrate(path)
    monkeypatch.undo()
    if broken == "link":
        assert isinstance(migrated, Migrated)
        assert path.read_bytes() == line(reason="turns_spent")
        assert (tmp_path / KEPT).read_bytes() == line(reason="turn_cap")
    else:
        assert isinstance(migrated, Refused)
        assert [finding.code for finding in report.diagnostics] == ["write-failed"]
        assert path.read_bytes() == line(reason="turn_cap")
        assert list(tmp_path.iterdir()) == [path]


def test_a_ledger_that_grows_meanwhile_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line(reason="turn_cap"))
    real = os.fsync

    def append_meanwhile(descriptor: int) -> None:
        real(descriptor)
        with path.open("ab") as stream:
            stream.write(line())

    monkeypatch.setattr(os, "fsync", append_meanwhile)
    migrated, report = migrate(path)
    assert isinstance(migrated, Refused)
    assert [finding.message for finding in report.diagnostics] == [f"cannot write {path}: it changed while it was read"]
    assert path.read_bytes() == line(reason="turn_cap") + line()
    assert list(tmp_path.iterdir()) == [path]


def reasons(**was: str | None) -> list[Reason]:
    return [Reason(name, "done", 0, "says", old) for name, old in was.items()]


def test_an_old_name_with_two_meanings_is_not_guessed() -> None:
    swapped = Renames(reasons(a="b", b="a"))
    assert all(isinstance(swapped.new_name(name), Fault) for name in "ab")
    assert [swapped.fault(name) for name in "ab"] == [None, None]
    split = Renames(reasons(a="old", b="old", c="c"))
    assert isinstance(split.new_name("old"), Fault)
    assert split.new_name("c") == "c"
    assert Renames(reasons(a="old")).new_name("old") == "a"
