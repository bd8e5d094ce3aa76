"""Suggested fixtures added to a spec: to its text, round after round, until nothing more is suggested.

Works on the content of the file and writes nothing; `labspec check --fix` does that when all is done.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.diagnostics import Diagnostic, Report, Severity, Suggestion
from labspec.freeze.yaml import list_item
from labspec.pipeline import Loaded, load
from labspec.source import Mapping, Node, Plain, name_of, plain, read_data
from labspec.source import Sequence as Items
from labspec.source.insert import InsertError, find_gap, insert
from labspec.source.read import MAX_BYTES

if TYPE_CHECKING:
    from pathlib import Path

MOST_ROUNDS: Final = 5
"""After so many rounds something is wrong with the suggestions, and going on would not mend it."""

NOTE: Final = "Suggested by labspec check --fix. Read what it expects; then say in your own words what it shows."
_WIDTH: Final = 110


class Added(NamedTuple):
    """A fixture that was added, and the line it begins on."""

    suggestion: Suggestion
    line: int


class LeftOut(NamedTuple):
    """A fixture that could not be added, and why."""

    suggestion: Suggestion
    why: str


class Fixed(NamedTuple):
    """The content of a spec with the fixtures that were added, and what it means now."""

    data: bytes
    loaded: Loaded
    added: tuple[Added, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def fix(path: Path, data: bytes) -> Fixed:
    """The content `data` of the spec at `path`, with all fixtures that are suggested for it.

    A spec that has errors which no suggestion answers stays as it is. A fixture that would bring one is left out.
    """
    fixed = Fixed(data, load(path, data, proof=True))
    fixable: frozenset[str] = frozenset()
    for _ in range(MOST_ROUNDS):
        suggestions = fixed.loaded.report.suggestions
        fixable |= {one.code for one in suggestions}
        seen = {one.suggestion.fixture["id"] for one in fixed.left_out}
        waiting = [one for one in suggestions if one.fixture["id"] not in seen]
        if not waiting or _first_error(fixed.loaded, fixable) is not None:
            break
        fixed = _one_round(path, fixed, waiting, fixable)
    return fixed


def _one_round(path: Path, fixed: Fixed, waiting: Sequence[Suggestion], fixable: frozenset[str]) -> Fixed:
    """All suggestions that nothing blocks at once; one after the other, if together they bring an error."""
    blocked = tuple(LeftOut(one, one.blocked) for one in waiting if one.blocked)
    free = [one for one in waiting if not one.blocked]
    fixed = fixed._replace(left_out=(*fixed.left_out, *blocked))
    together = _with(path, fixed, free, fixable) if free else fixed
    if len(free) > 1 and together.data == fixed.data:
        together = fixed
        for one in free:
            together = _with(path, together, [one], fixable)
    if together.data == fixed.data:
        return together
    return together._replace(loaded=load(path, together.data, proof=True))


def _with(path: Path, fixed: Fixed, suggestions: Sequence[Suggestion], fixable: frozenset[str]) -> Fixed:
    """All of the suggestions added, or all of them left out. Its `loaded` is that of `fixed`."""
    try:
        data, added = add_fixtures(fixed.data, name_of(path), suggestions)
    except InsertError as error:
        return fixed._replace(left_out=(*fixed.left_out, *(LeftOut(one, str(error)) for one in suggestions)))
    wrong = _first_error(load(path, data), fixable)
    if wrong is not None:
        why = f"with it there would be an error: {wrong.message}"
        return fixed._replace(left_out=(*fixed.left_out, *(LeftOut(one, why) for one in suggestions)))
    return fixed._replace(data=data, added=(*fixed.added, *added))


def _first_error(loaded: Loaded, fixable: frozenset[str]) -> Diagnostic | None:
    """The first error that no fixture answers."""
    errors = (one for one in loaded.report.sorted() if one.severity is Severity.ERROR)
    return next((one for one in errors if one.code not in fixable), None)


def add_fixtures(data: bytes, file: str, suggestions: Sequence[Suggestion]) -> tuple[bytes, list[Added]]:
    """The content of a spec file with more fixtures in it, and where each of them begins. Only lines are added.

    `file` is the name of the file in messages. Raises InsertError if that can't be done, and RuntimeError if the new
    text would not mean the old one and the fixtures, which is a fault of ours.
    """
    root, text = _read(data, file)
    gap = find_gap(text, root, "fixtures")
    items = [yaml_of(one, gap.indent) for one in suggestions]
    longer = insert(data, gap, ("\n" if gap.spaced else "").join(items))
    if len(longer) > MAX_BYTES:
        raise InsertError(f"the file would be larger than {MAX_BYTES} bytes")
    after, _ = _read(longer, file)
    if _shape(after) != _shape(root, suggestions):
        if not data.endswith(b"\n"):
            raise InsertError("the last line of the file has no line end, which its text would get; end it first")
        raise RuntimeError(f"adding lines to {file} would change what it says")
    return longer, [
        Added(*pair) for pair in zip(suggestions, _last_lines(after.get("fixtures"), len(items)), strict=True)
    ]


def yaml_of(suggestion: Suggestion, indent: int = 2) -> str:
    """The fixture as it would stand in the spec, for people to paste."""
    return f"{_comment(suggestion, indent)}{list_item(suggestion.fixture, indent)}"


def _read(data: bytes, file: str) -> tuple[Mapping, str]:
    """The root and the text of a file. Raises InsertError if it is not, or would not be, a spec that can be read."""
    report, texts = Report(), dict[str, str]()
    source = read_data(data, file, report, texts=texts)
    if source is None:
        raise InsertError("; ".join(finding.message for finding in report.diagnostics))
    return source.root, texts[file]


def _comment(suggestion: Suggestion, indent: int) -> str:
    """What the author should read before the fixture."""
    notes = [NOTE, *([f"Note: {suggestion.note}."] if suggestion.note else [])]
    margin = f"{' ' * indent}# "
    lines = (line for note in notes for line in textwrap.wrap(note, _WIDTH - len(margin)))
    return "".join(f"{margin}{line}\n" for line in lines)


def _shape(root: Mapping, suggestions: Sequence[Suggestion] = ()) -> str:
    """What a spec says, with further fixtures, as a text: 1 and true are not the same in it, as they are in Python."""
    values: dict[str, Plain] = {entry.key: plain(entry.value) for entry in root.entries}
    if suggestions:
        fixtures = values.get("fixtures")
        values["fixtures"] = [*(fixtures if isinstance(fixtures, list) else []), *(one.fixture for one in suggestions)]
    return json.dumps(values)


def _last_lines(fixtures: Node | None, count: int) -> list[int]:
    items = fixtures.items if isinstance(fixtures, Items) else ()
    return [item.span.line for item in items[-count:]]
