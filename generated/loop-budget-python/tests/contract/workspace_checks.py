"""Checks of what a run did to its workspace, and around it; see `checks.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .bench import Bench
from .observation import Expected
from .wording import printable, show

MAX_PATHS = 10
MAX_SAME = 120  # characters of a text that are shown although they are right
SHOWN_SAME = 20


def check_workspace(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The files of the workspace are exactly as they should be after the run."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    run.require_end()
    came = run.observation.files
    wanted = expected.files
    paths = sorted({*came, *wanted})
    differs = [path for path in paths if came.get(path) != wanted.get(path)]
    if differs:
        raise run.failure(
            f"the run of `{fixture_id}` left other files in the workspace than agreed",
            expected=_show_files(differs, wanted, came),
            came=_show_files(differs, came, wanted),
            decides=expected.decided_by,
            differs=f"{len(differs)} of {len(paths)} files",
        )


def check_inside(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """Nothing was created, changed or removed outside the allowed roots."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    run.require_end()
    outside = run.observation.outside
    if outside:
        shown = [printable(path) for path in outside[:MAX_PATHS]]
        if len(outside) > MAX_PATHS:
            shown.append(f"(and {len(outside) - MAX_PATHS} more)")
        raise run.failure(
            f"the run of `{fixture_id}` wrote outside the allowed roots",
            expected="nothing is created, changed or removed outside them",
            came="\n".join(shown),
            decides=expected.decided_by,
        )


def _show_files(
    paths: Sequence[str],
    files: Mapping[str, str | None],
    others: Mapping[str, str | None],
) -> str:
    shown = paths[:MAX_PATHS]
    return "\n".join(
        _show_file(each, files.get(each), others.get(each)) for each in shown
    )


def _show_file(path: str, text: str | None, other: str | None) -> str:
    """A file and its text; of a long one the part where it begins to differ."""
    if text is None:
        return f"{printable(path, 80)}: no such file"
    same = _common(text, other or "")
    if same < MAX_SAME:
        return f"{printable(path, 80)}: {show(text)}"
    start = same - SHOWN_SAME
    return f"{printable(path, 80)}, from character {start + 1} on: {show(text[start:])}"


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
