"""The examples of the pages in `docs/codes/`: each is run, and what labspec prints is what the page shows.

An example has one of three forms:
- a block `yaml`: some lines of a variant. It is laid over the small lab, `tests/specs/valid/_base.yaml`;
- a block `yaml whole`: a whole file;
- a block `console`: commands after `$`, each with what it prints.
A block `text` after the first two holds the findings with the code of the page, as `labspec check` prints them where
it does not know the lines of the file.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from labspec.codes import known_codes, page_folder, read_page
from labspec.codes.page import SUBJECTS
from labspec.diagnostics import Report
from labspec.diagnostics.terminal import count, to_terminal
from labspec.pipeline import load

SMALL_LAB: Final = Path(__file__).parent.parent / "specs" / "valid" / "_base.yaml"
FOLDER_IN_PAGES: Final = "/labs"
"""What pages call the folder that the examples are run in."""

_SPEC: Final = re.compile(r"```yaml(?P<whole> whole)?\n(?P<spec>.*?)```\n\n```text\n(?P<printed>.*?)```\n", re.DOTALL)
_CONSOLE: Final = re.compile(r"```console\n(?P<transcript>.*?)```\n", re.DOTALL)
_INDEX_HEAD: Final = """\
# What the codes of findings mean

Every finding of labspec has a code, as in `error[row-never-fires]`. Each has a page here, which
`labspec explain row-never-fires` prints too. `labspec explain` alone lists all of them.

The examples show only the lines that matter: they are laid over a small sound lab,
[`small-lab.yaml`](../../tests/specs/valid/_base.yaml), as a variant is. So a gate or a row with few keys is one of that
lab, changed. The tests run all examples, and what labspec prints is what the pages show.
"""


class Example(NamedTuple):
    """The part of a page that labspec prints: where it stands in the text, what the page shows, and what comes."""

    start: int
    end: int
    shown: str
    came: str


def example_of(code: str) -> Example | None:
    """Run the example of a page; None if the page has none."""
    text = page_text(code)
    spec = _SPEC.search(text)
    if spec is not None:
        came = _findings(spec["spec"], code, is_whole=spec["whole"] is not None)
        return Example(*spec.span("printed"), spec["printed"], came)
    console = _CONSOLE.search(text)
    if console is not None:
        return Example(*console.span("transcript"), console["transcript"], _replayed(console["transcript"]))
    return None


def page_text(code: str) -> str:
    """The whole file of a page."""
    return (page_folder() / f"{code}.md").read_text(encoding="utf-8")


def index() -> str:
    """The page that lists the others, for readers on GitHub."""
    pages = [read_page(code) for code in known_codes()]
    parts = [_INDEX_HEAD]
    for subject in SUBJECTS:
        about = [page for page in pages if page.subject == subject]
        lines = "".join(f"- [{page.code}]({page.code}.md): {page.title}\n" for page in about)
        parts.append(f"## {subject}\n\n{lines}")
    return "\n".join(parts)


def regenerate() -> None:
    """Write what the examples print into the pages, and the page that lists them."""
    for code in known_codes():
        example = example_of(code)
        if example is not None:
            text = page_text(code)
            written = text[: example.start] + example.came + text[example.end :]
            (page_folder() / f"{code}.md").write_bytes(written.encode())
    (page_folder() / "README.md").write_bytes(index().encode())


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A new folder with the small lab in it, as the working directory."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        shutil.copyfile(SMALL_LAB, folder / "small-lab.yaml")
        with contextlib.chdir(folder):
            yield folder


def _findings(spec: str, code: str, *, is_whole: bool) -> str:
    """The findings of a spec that have the code of the page."""
    with _folder():
        # At the end, so that the lines have the numbers that they have on the page.
        variant = "" if is_whole else "extends: ./small-lab.yaml\n"
        Path("lab.yaml").write_bytes((spec + variant).encode())
        report = load(Path("lab.yaml"), proof=True).report
    about = Report([finding for finding in report.diagnostics if finding.code == code])
    return to_terminal(about, {}, colour=False).removesuffix(f"\n{count(about)}\n")


def _replayed(transcript: str) -> str:
    """The commands of a transcript with what each prints now."""
    commands = [line for line in transcript.splitlines() if line.startswith("$ ")]
    with _folder() as folder:
        return "".join(f"{command}\n{_output(command[2:], folder)}" for command in commands)


def _output(command: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"PATH": path, "HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    return done.stdout.replace(str(folder), FOLDER_IN_PAGES)
