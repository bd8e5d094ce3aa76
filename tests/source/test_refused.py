"""What YAML allows and a spec does not: for each file in `refused/`, the whole output is compared with its `.txt`.

`REGEN=1 pytest tests/source/test_refused.py` writes the outputs anew; read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labspec.diagnostics import Report
from labspec.diagnostics.terminal import to_terminal
from labspec.source import read
from labspec.source.events import PureParser
from labspec.source.parse import parse

FILES = sorted((Path(__file__).parent / "refused").glob("*.yaml"))
ONLY_C = {"missing-space-in-braces"}  # the pure parser sees an empty value there


def show(file: Path) -> str:
    report, texts = Report(), dict[str, str]()
    assert read(file, report, shown_as=file.name, texts=texts) is None
    return to_terminal(report, texts, colour=False)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_refused_file_gets_the_findings_that_were_reviewed(file: Path) -> None:
    expected = file.with_suffix(".txt")
    shown = show(file)
    if os.environ.get("REGEN"):
        expected.write_text(shown, encoding="utf-8")
    assert shown == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", [file for file in FILES if file.stem not in ONLY_C], ids=lambda file: file.stem)
def test_the_pure_parser_finds_the_same(file: Path) -> None:
    report, text = Report(), file.read_text(encoding="utf-8")
    assert parse(text, file.name, report, parser=PureParser) is None
    assert to_terminal(report, {file.name: text}, colour=False) == show(file)
