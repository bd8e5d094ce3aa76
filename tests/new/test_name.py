"""What a course is called, and where it comes to lie."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.new import NameRefused, name_course
from tests.guide.transcript import environment, follow

NAMES = Path(__file__).with_name("names.md")


@pytest.mark.skipif(os.name == "nt", reason="the commands are for the shell of POSIX")
def test_names_come_to_what_is_written_down(tmp_path: Path) -> None:
    assert names_now(tmp_path) == NAMES.read_text(encoding="utf-8"), "run `python -m tests.regen` and read the diff"


@given(st.text(max_size=80), st.none() | st.text(max_size=140))
def test_any_name_is_a_folder_on_every_system_or_refused(name: str, title: str | None) -> None:
    try:
        course = name_course(name, title)
    except NameRefused:
        return
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", course.folder, re.ASCII)
    assert len(course.folder) <= 64
    assert course.title.strip()
    assert course.title.isprintable() or set("\u200c\u200d") & set(course.title)
    assert name_course(course.folder).folder == course.folder


def names_now(folder: Path) -> str:
    """The list of names as it would be if it showed what comes now."""
    return follow(NAMES.read_text(encoding="utf-8"), folder, environment(Path(sys.executable).parent, folder))


def regenerate() -> None:
    """Write what comes of the names into their list."""
    with tempfile.TemporaryDirectory() as empty:
        NAMES.write_text(names_now(Path(empty)), encoding="utf-8", newline="\n")
