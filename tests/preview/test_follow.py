"""The page follows the files of a spec as they are really saved."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from labspec.pipeline import Loaded, OnRead
from labspec.preview import Follower, Shown
from labspec.preview.follow import check
from tests.cli.users import BASE, small_lab
from tests.page.parsed import Parsed

PATIENCE = 60
"""Seconds after which a test gives up; a change is there in a fraction of one."""


class Followed:
    """A spec in a folder, and what its preview shows."""

    def __init__(self, spec: Path, follower: Follower) -> None:
        self.spec = spec
        self.follower = follower

    def page(self) -> Parsed:
        """The page as it is now."""
        return Parsed(self.follower.board.shown().page.decode())

    def after(self, save: Callable[[], object]) -> Parsed:
        """The page after something was saved that changes it."""
        seen = self.follower.board.shown()
        save()
        return self.when(lambda shown: shown.revision != seen.revision)

    def when(self, is_right: Callable[[Shown], bool]) -> Parsed:
        """The page as soon as it is right."""
        shown = self.follower.board.shown()
        while not is_right(shown):
            waited = self.follower.board.wait(shown, PATIENCE)
            assert waited is not shown, "nothing has changed"
            shown = waited
        return Parsed(shown.page.decode())


@contextmanager
def following(spec: Path, follower: Follower | None = None) -> Iterator[Followed]:
    """A spec that is followed meanwhile."""
    followed = Followed(spec, follower or Follower(spec))
    thread = threading.Thread(target=followed.follower.follow)
    thread.start()
    try:
        yield followed
    finally:
        followed.follower.stop()
        thread.join()


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    """The small lab, followed."""
    with following(small_lab(tmp_path / "lab.yaml")) as followed:
        yield followed


@pytest.fixture
def variant(tmp_path: Path) -> Iterator[Followed]:
    """A variant of the small lab, followed."""
    shutil.copy(BASE, tmp_path / "base.yaml")
    spec = tmp_path / "lab.yaml"
    spec.write_text("extends: ./base.yaml\ntitle: A variant\n", encoding="utf-8")
    with following(spec) as followed:
        yield followed


def change(path: Path, old: str, new: str) -> Callable[[], object]:
    """A save with another text in it."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    return lambda: path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_save_is_shown(followed: Followed) -> None:
    page = followed.after(change(followed.spec, "A search that says why", "A search that tells why"))
    assert "A search that tells why it stopped" in page.text


def test_a_finding_comes_and_goes_and_the_lab_stays_meanwhile(followed: Followed) -> None:
    right = followed.spec.read_bytes()
    page = followed.after(change(followed.spec, "turns: 3, last_error: null", "turns: 2, last_error: null"))
    assert "The lab below has errors" in page.text
    assert "expects turns 2, but the table leads to turns 3" in page.text
    page = followed.after(change(followed.spec, "failures > budgets.retries", "failures > budgets.retires"))
    assert "Below is an earlier version" in page.text
    assert "did you mean budgets.retries?" in page.text
    assert "Every search succeeds and none is final" in page.text
    page = followed.after(lambda: followed.spec.write_bytes(right))
    assert "the table leads to" not in page.text
    assert "did you mean" not in page.text
    assert "Below is an earlier version" not in page.text


def test_a_spec_that_is_replaced_is_followed_further(followed: Followed) -> None:
    """Many editors write another file and rename it."""
    for word in ("first", "second"):
        other = small_lab(followed.spec.with_suffix(".tmp"), ("A search that", f"A {word} search that"))
        assert f"A {word} search that" in followed.after(partial(other.replace, followed.spec)).text


def test_a_spec_that_is_gone_is_a_finding_until_it_is_back(followed: Followed) -> None:
    text = followed.spec.read_bytes()
    page = followed.after(followed.spec.unlink)
    assert "there is no file" in page.text
    assert "A search that says why it stopped" in page.text
    page = followed.after(lambda: followed.spec.write_bytes(text))
    assert "there is no file" not in page.text


def test_what_a_variant_extends_is_followed_too(variant: Followed) -> None:
    page = variant.after(change(variant.spec.parent / "base.yaml", "Both searches time out", "Two searches time out"))
    assert "Two searches time out" in page.text
    assert "A variant" in page.text


def test_a_base_that_was_missing_is_noticed_when_it_comes(variant: Followed) -> None:
    base = variant.spec.parent / "base.yaml"
    page = variant.after(lambda: base.rename(base.with_name("other.yaml")))
    assert "there is no file" in page.text
    page = variant.after(lambda: base.with_name("other.yaml").rename(base))
    assert "there is no file" not in page.text


def test_a_save_that_changes_nothing_changes_no_page(followed: Followed) -> None:
    revision = followed.follower.board.shown().revision
    seen = followed.follower.board.shown()
    followed.spec.write_bytes(followed.spec.read_bytes())
    followed.when(lambda shown: shown is not seen and not shown.checking)
    assert followed.follower.board.shown().revision == revision


def test_a_change_is_announced_before_it_is_read(followed: Followed) -> None:
    change(followed.spec, "A search that says why", "A search that tells why")()
    assert "tells why" not in followed.when(lambda shown: shown.checking).text
    assert "tells why" in followed.when(lambda shown: not shown.checking).text


def test_whatever_is_saved_the_preview_goes_on(followed: Followed) -> None:
    right = followed.spec.read_bytes()
    for data in (b"", b"\x00\xff\xfe", b"[" * 5000, b"a: &a [*a]", b"labspec: 1\n", b"extends: ./lab.yaml\n"):
        assert "error" in followed.after(partial(followed.spec.write_bytes, data)).text
    page = followed.after(lambda: followed.spec.write_bytes(right))
    assert "no findings" in page.text or "warning" in page.text


def test_a_fault_of_ours_is_shown_and_the_next_version_is_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def faulty(path: Path, on_read: OnRead) -> Loaded:
        if "breaks" in path.read_text(encoding="utf-8"):
            raise KeyError("a fault of ours")
        return check(path, on_read)

    spec = small_lab(tmp_path / "lab.yaml")
    with following(spec, Follower(spec, faulty)) as followed:
        page = followed.after(change(spec, "A search that says why", "A search that breaks"))
        assert "This is a fault of labspec, not of your spec" in page.text
        assert "KeyError: 'a fault of ours'" in page.text
        assert "A search that says why it stopped" in page.text, "the last lab stays"
        page = followed.after(change(spec, "A search that breaks", "A search that works"))
        assert "A search that works" in page.text
        assert "fault of labspec" not in page.text
    assert "unexpected error: this is a fault of labspec" in capfd.readouterr().err
