"""A save is noticed, however an editor does it. Time passes here only as fast as the tests let it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from labspec.watched_files import PATIENCE, WatchedFiles

Act = Callable[[], object]


class Days:
    """Time that passes: at each pause the next act happens, and after the last one nothing more."""

    def __init__(self, *acts: Act | None) -> None:
        self.acts = iter(acts)
        self.passed = 0

    def __call__(self, seconds: float) -> None:
        assert seconds > 0, "a pause that takes no time is a busy loop"
        self.passed += 1
        assert self.passed < 100, "nothing was noticed"
        act = next(self.acts, None)
        if act is not None:
            act()


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "lab.yaml"
    path.write_text("labspec: 1\n", encoding="utf-8")
    os.utime(path, (1, 1))
    return path


def waited(path: Path, *acts: Act | None) -> tuple[list[Path], int]:
    """The changes that are noticed in the file while these acts happen, and how many looks it took."""
    days = Days(*acts)
    files = WatchedFiles(days)
    files.note(path)
    return files.wait(), days.passed


def test_a_file_that_is_written_in_place_has_changed(spec: Path) -> None:
    assert waited(spec, None, None, lambda: spec.write_text("labspec: 2\n", encoding="utf-8")) == ([spec], 4)


def test_a_file_that_is_replaced_by_another_has_changed(spec: Path) -> None:
    """Also by one of the same size and age."""
    other = spec.with_suffix(".tmp")
    other.write_text("labspec: 2\n", encoding="utf-8")
    os.utime(other, (1, 1))
    assert waited(spec, lambda: other.replace(spec)) == ([spec], 2)


def test_a_file_that_is_written_in_parts_is_waited_for(spec: Path) -> None:
    parts = [lambda: spec.write_text("lab", encoding="utf-8"), lambda: spec.write_text("labspec: 22", encoding="utf-8")]
    assert waited(spec, *parts) == ([spec], 3)
    assert spec.read_text(encoding="utf-8") == "labspec: 22"


def test_a_file_that_is_gone_for_a_moment_is_waited_for(spec: Path) -> None:
    changed, looks = waited(spec, spec.unlink, None, lambda: spec.write_text("labspec: 2\n", encoding="utf-8"))
    assert (changed, looks) == ([spec], 4)
    assert spec.exists()


def test_a_file_that_was_moved_away_and_back_has_not_changed(spec: Path) -> None:
    aside = spec.with_suffix(".bak")
    acts: list[Act | None] = [lambda: spec.rename(aside), lambda: aside.rename(spec), None, None, None]
    assert waited(spec, *acts, lambda: spec.write_text("new", encoding="utf-8")) == ([spec], 7)


def test_a_file_that_stays_away_has_changed_and_so_has_one_that_comes(spec: Path) -> None:
    changed, looks = waited(spec, spec.unlink)
    assert (changed, looks) == ([spec], PATIENCE + 1)
    assert waited(spec, None, lambda: spec.write_text("new", encoding="utf-8")) == ([spec], 3)


def test_a_save_between_noting_and_waiting_is_not_missed(spec: Path) -> None:
    files = WatchedFiles(Days())
    files.note(spec)
    spec.write_text("new", encoding="utf-8")
    files.note(spec)  # two specs that extend it
    assert files.wait() == [spec]


def test_only_what_has_changed_is_told(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.yaml", "b.yaml", "c.yaml")]
    for path in paths[:2]:
        path.write_text(path.name, encoding="utf-8")
    acts = [lambda path=path: path.write_text("another text", encoding="utf-8") for path in paths[1:]]
    files = WatchedFiles(Days(*acts))
    for path in paths:
        files.note(path)
    assert files.paths == paths
    assert files.wait() == paths[1:]


def test_forgotten_files_are_noted_anew(spec: Path) -> None:
    files = WatchedFiles(Days(*itertools.repeat(None, 9), lambda: spec.write_text("newest", encoding="utf-8")))
    files.note(spec)
    spec.write_text("new", encoding="utf-8")
    files.forget()
    assert files.paths == []
    files.note(spec)
    assert files.wait() == [spec]
    assert spec.read_text(encoding="utf-8") == "newest"


def test_names_that_no_file_can_have_are_never_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "lab.yaml"
    files = WatchedFiles(Days(lambda: there.write_text("", encoding="utf-8")))
    files.note(Path("a\0b"))
    files.note(Path("lab.yaml"))
    assert files.wait() == [there]
