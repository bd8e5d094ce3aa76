"""Write anew what the tests compare with: `python -m tests.regen`. Read the diff.

These are the terminal output of every spec in `specs/invalid/` and of the published forms of the labs, what the
examples in `docs/codes/` and the guide print, what becomes of names of courses, the slips of every lab, the differences
of pairs, runs turn by turn, what students are told of an update, what previews say, and the page of a small proof. And,
which users read: the reference in `docs/reference/`, and the table by which shells complete commands.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from pathlib import Path

from labspec.cli import main
from tests.prove.pages import STORED, small_page

INVALID = Path(__file__).parent / "specs" / "invalid"
PUBLISHED = INVALID.parent / "published"


def cases() -> list[Path]:
    """The specs that must each have findings; files that begin with `_` are only their bases."""
    return sorted(path for path in INVALID.glob("*.yaml") if not path.name.startswith("_"))


def published() -> list[Path]:
    """The specs that say what an article publishes."""
    return sorted(PUBLISHED.glob("*.yaml"))


def check(case: Path) -> tuple[int, str]:
    """The exit code and the whole output of `labspec check`, called in the folder of the case."""
    printed = io.StringIO()
    with contextlib.chdir(case.parent), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(["check", case.name])
    return code, printed.getvalue()


def regenerate() -> None:
    """Write the output of every case beside it, take away outputs whose case is gone, and write the page."""
    for stale in {*INVALID.glob("*.txt")} - {case.with_suffix(".txt") for case in cases()}:
        stale.unlink()
    for case in (*cases(), *published()):
        case.with_suffix(".txt").write_bytes(check(case)[1].encode())
    STORED.write_bytes(small_page().encode())


if __name__ == "__main__":
    from tests.cli import runs
    from tests.codes import examples
    from tests.differences import cases as differences
    from tests.guide import test_first_lab, test_readme
    from tests.ledger import cases as ledgers
    from tests.mutants import test_mutants
    from tests.new import test_name
    from tests.preview import pages as previews
    from tests.reference import pages
    from tests.update import course

    regenerate()
    test_mutants.regenerate()
    examples.regenerate()
    differences.regenerate()
    ledgers.regenerate()
    course.regenerate()
    test_name.regenerate()
    with tempfile.TemporaryDirectory() as empty:
        test_first_lab.regenerate(Path(empty))
    pages.regenerate()
    test_readme.regenerate()
    runs.regenerate()
    previews.regenerate()
    written = len(cases()) + len(published())
    sys.stdout.write(f"wrote {written} outputs and the pages in docs and of a proof; read `git diff`\n")
