"""A build that says there is nothing to do is never wrong about it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.building import Request, build_each
from labspec.stamps import stamp
from labspec.stamps.stamp import key_of, recall
from tests.cli.users import BASE, INVALID, labspec, program, small_lab

SPEC = BASE.read_text("utf-8")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for each test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec, whose repository has nothing to do, as a stamp says. Everything is old enough to trust."""
    monkeypatch.setattr(stamp, "GRAIN", 0)
    (tmp_path / "lab.yaml").write_text(SPEC, "utf-8")
    build(tmp_path)
    build(tmp_path)
    assert is_recalled(tmp_path)
    return tmp_path


def build(folder: Path) -> str:
    """Build in full or not, as labspec would."""
    built = build_each([folder / "lab.yaml"], Request(folder / "out"))
    return "".join(f"{one.text}{one.refusal or ''}" for one in built)


def is_recalled(folder: Path) -> bool:
    """Whether a stamp says that there is nothing to do."""
    return recall(key_of(str(folder / "lab.yaml"), str(folder / "out"), "starter")) is not None


def in_full(folder: Path) -> str:
    """What a build says that knows no stamps."""
    with tempfile.TemporaryDirectory() as cache, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", cache)
        return build(folder)


def test_a_spec_with_the_id_of_one_that_has_nothing_to_do_is_not_built_over_it(settled: Path) -> None:
    """As where the old spec was kept beside the new one, under a name that comes first."""
    (settled / "before.yaml").write_text(SPEC.replace("A search", "An old search"), "utf-8")
    readme = settled / "out" / "small-lab" / "README.md"
    text = readme.read_text("utf-8")
    old, new = build_each([settled / "before.yaml", settled / "lab.yaml"], Request(settled / "out"))
    assert old.refusal is not None
    assert old.refusal.code == "duplicate-lab"
    assert "nothing to do" in new.text
    assert readme.read_text("utf-8") == text


Change = Callable[[Path], object]


def _same_size_and_time(place: Path) -> None:
    """The edit that is hardest to see: a letter for another one, and the time of the file put back."""
    times = place.stat().st_atime_ns, place.stat().st_mtime_ns
    data = place.read_bytes()
    place.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    os.utime(place, ns=times)


def _touch(place: Path) -> None:
    os.utime(place)


def _rename_over(place: Path) -> None:
    """As many editors save: a new file takes the place of the old one."""
    new = place.with_name("new")
    new.write_bytes(place.read_bytes() + b"\n# more\n")
    new.replace(place)


def _crlf(place: Path) -> None:
    place.write_bytes(place.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


def _link(place: Path) -> None:
    place.replace(place.with_name("elsewhere"))
    place.symlink_to(place.with_name("elsewhere"))


def _folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


CHANGES: dict[str, Change] = {
    "same size and time": _same_size_and_time,
    "touched": _touch,
    "renamed over": _rename_over,
    "line ends": _crlf,
    "appended": lambda place: place.write_bytes(place.read_bytes() + b"\n# more\n"),
    "deleted": lambda place: place.unlink(),
    "link": _link,
    "folder": _folder,
    "copy beside": lambda place: shutil.copy(place, f"{place}.labspec-new"),
}
PLACES = [
    "lab.yaml",
    "README.md",
    "run_loop.py",
    "tests/gates.json",
    ".labspec/manifest.json",
    ".labspec/pristine.json",
]


@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(PLACES)), max_size=3), st.booleans())
@settings(max_examples=12, deadline=None)
def test_what_is_recalled_is_what_a_build_in_full_says(changes: list[tuple[str, str]], at_once: bool) -> None:
    """After any changes, at any time: right after the build, or when the clock has moved on."""
    with tempfile.TemporaryDirectory() as temporary, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", f"{temporary}/cache")
        patch.setattr(stamp, "GRAIN", 2_000_000_000 if at_once else 0)
        patch.setattr(stamp, "newest_of_compiler", lambda: 0)
        folder = Path(temporary)
        (folder / "lab.yaml").write_text(SPEC, "utf-8")
        build(folder)
        build(folder)
        for change, path in changes:
            place = folder / path if path == "lab.yaml" else folder / "out" / "small-lab" / path
            if place.is_file() and not place.is_symlink():
                CHANGES[change](place)
                compare_with_a_build_in_full(folder)


def compare_with_a_build_in_full(folder: Path) -> None:
    """Build twice from here, with and without a stamp: the same is said, and the same is left."""
    other = folder.with_name(f"{folder.name}-in-full")
    shutil.copytree(folder, other, symlinks=True, ignore=shutil.ignore_patterns("cache"))
    try:
        expected = in_full(other).replace(str(other), str(folder))
        assert build(folder) == expected
        assert contents(folder / "out") == contents(other / "out")
    finally:
        shutil.rmtree(other)


def contents(folder: Path) -> dict[str, object]:
    """Every file and link below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.is_symlink() or path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_build_that_is_recalled_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = labspec(capsys, "build", BASE, "-o", tmp_path)
    second = labspec(capsys, "build", BASE, "-o", tmp_path)
    third = labspec(capsys, "build", BASE, "-o", tmp_path)
    assert " new (" in first.out
    assert second == third
    assert (second.code, second.err) == (0, "")
    assert "nothing to do" in second.out


def test_a_changed_base_of_a_variant_is_seen(settled: Path) -> None:
    (settled / "base.yaml").write_text(SPEC, "utf-8")
    (settled / "lab.yaml").write_text("extends: ./base.yaml\ntitle: A variant\n", "utf-8")
    build(settled)
    build(settled)
    assert is_recalled(settled)
    (settled / "base.yaml").write_text(SPEC.replace("Look", "Lock"), "utf-8")
    assert not is_recalled(settled)


def test_another_compiler_builds_in_full(settled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamp, "compiler_looks", lambda: "another one")
    assert not is_recalled(settled)


def test_another_edition_another_output_and_another_folder_are_other_builds(
    settled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, out = str(settled / "lab.yaml"), str(settled / "out")
    assert recall(key_of(spec, out, "solution")) is None
    assert recall(key_of(spec, f"{out}2", "starter")) is None
    monkeypatch.chdir(settled.parent)
    assert recall(key_of(spec, out, "starter")) is None


def test_findings_are_said_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (labspec(capsys, "build", INVALID / "budget-zero.yaml", "-o", tmp_path) for _ in range(2))
    assert first == second
    assert "error[" in first.err


def test_a_conflict_is_said_each_time(settled: Path) -> None:
    readme = settled / "out/small-lab/README.md"
    readme.write_text("mine\n", "utf-8")
    (settled / "lab.yaml").write_text(SPEC.replace("Look", "Lock"), "utf-8")
    assert "conflict" in build(settled)
    assert "conflict" in build(settled)


@pytest.mark.parametrize("text", ["", "\0", "labspec stamp 1", "labspec stamp 1\0x\0y\0z\0said\0now\0path", "\udce9"])
def test_a_stamp_that_makes_no_sense_counts_for_nothing(text: str, settled: Path, own_cache: Path) -> None:
    said = build(settled)
    for place in (own_cache / "labspec/builds").iterdir():
        place.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert build(settled) == said


def test_a_stamp_that_was_cut_off_counts_for_nothing(settled: Path, own_cache: Path) -> None:
    said = build(settled)
    (place,) = (own_cache / "labspec/builds").iterdir()
    whole = place.read_bytes()
    for length in range(0, len(whole), 2500):
        place.write_bytes(whole[:length])
        assert build(settled) == said


def test_without_a_cache_everything_is_built_in_full(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.write_text("no folder", "utf-8")
    for home in (str(cache), "relative"):
        environment = {"XDG_CACHE_HOME": home, "HOME": home}
        done = [program("build", BASE, "-o", tmp_path / "out", environment=environment) for _ in range(2)]
        assert [one.returncode for one in done] == [0, 0]
        assert b"nothing to do" in done[1].stdout
    assert cache.read_text("utf-8") == "no folder"


def test_looking_leaves_no_trace(tmp_path: Path, own_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = small_lab(tmp_path / "lab.yaml")
    for option in ("--check", "--dry-run"):
        labspec(capsys, "build", option, spec, "-o", tmp_path / "out")
    assert list(own_cache.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["lab.yaml"]


def test_the_cache_does_not_grow_without_end(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamp, "MOST_STAMPS", 4)
    (tmp_path / "lab.yaml").write_text(SPEC, "utf-8")
    monkeypatch.setattr(stamp, "newest_of_compiler", lambda: 0)
    for number in range(9):
        list(build_each([tmp_path / "lab.yaml"], Request(tmp_path / f"out{number}")))
        assert len(list((own_cache / "labspec/builds").iterdir())) <= 4
    assert recall(key_of(str(tmp_path / "lab.yaml"), str(tmp_path / "out8"), "starter")) is not None
