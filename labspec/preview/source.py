"""The text of the spec with its line numbers, each finding below the line it belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from labspec.codes import known_codes, read_page
from labspec.diagnostics.display import printable
from labspec.page.words import Words, words
from labspec.preview.markdown import to_html
from labspec.preview.text import as_written

if TYPE_CHECKING:
    from labspec.diagnostics import Diagnostic, Report, Span


class Note(NamedTuple):
    """A finding. `place` is its line in the text on the page, or empty; `explained` is the page about its code."""

    number: int
    severity: str
    code: str
    says: Words
    place: str
    where: str
    help: Words
    related: tuple[Words, ...]
    explained: Markup


class Line(NamedTuple):
    """A line of the text, with the findings that belong to it. `anchor` is its place on the page."""

    number: int
    anchor: str
    text: Markup
    is_comment: bool
    notes: tuple[Note, ...]


class SourceFile(NamedTuple):
    """A file that was read: the spec, or one that it extends."""

    name: str
    lines: tuple[Line, ...]


class SourceView(NamedTuple):
    """All files, the spec first, and all findings. `homeless` are those without a line on the page."""

    files: tuple[SourceFile, ...]
    notes: tuple[Note, ...]
    homeless: tuple[Note, ...]


def plan_source(report: Report, texts: Mapping[str, str]) -> SourceView:
    """The `texts` of the files by name, with the findings of the report."""
    lines = {file: _lines(text) for file, text in texts.items()}
    prefixes = {file: f"{number}-" if number else "" for number, file in enumerate(texts)}
    found = [
        (finding, _note(number, finding, _place(finding.span, lines, prefixes)))
        for number, finding in enumerate(report.sorted(), 1)
    ]
    placed: defaultdict[str, list[tuple[Span, Note]]] = defaultdict(list)
    for finding, note in found:
        if note.place and finding.span is not None:
            placed[note.place].append((finding.span, note))
    files = [
        SourceFile(
            printable(file),
            tuple(_line(number, f"{prefixes[file]}{number}", text, placed) for number, text in enumerate(part, 1)),
        )
        for file, part in lines.items()
    ]
    notes = tuple(note for _, note in found)
    return SourceView(tuple(files), notes, tuple(note for note in notes if not note.place))


def _lines(text: str) -> list[str]:
    """The lines of a text; after its last line break there is none."""
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def _place(span: Span | None, lines: Mapping[str, list[str]], prefixes: Mapping[str, str]) -> str:
    """The place on the page of the line that a span begins in; empty if there is none."""
    if span is None or span.file not in lines:
        return ""
    # What is missing at the end of a file is missing below its last line.
    number = min(span.line, len(lines[span.file]))
    return f"{prefixes[span.file]}{number}" if number > 0 else ""


def _note(number: int, finding: Diagnostic, place: str) -> Note:
    return Note(
        number=number,
        severity=str(finding.severity),
        code=finding.code,
        says=words(finding.message),
        place=place,
        where=_where(finding.span),
        help=words(finding.help or ""),
        related=tuple(words(f"{_where(one.span)}: {one.message}") for one in finding.related),
        explained=_explained(finding.code),
    )


def _where(span: Span | None) -> str:
    return "" if span is None else f"{printable(span.file)}:{span.line}:{span.column}"


@cache
def _explained(code: str) -> Markup:
    """What `labspec explain` says of a code."""
    return to_html(read_page(code).body) if code in known_codes() else Markup()


def _line(number: int, anchor: str, text: str, placed: Mapping[str, list[tuple[Span, Note]]]) -> Line:
    found = placed.get(anchor, [])
    marked = _marked(text, [span for span, _ in found]) if found else as_written(text)
    return Line(number, anchor, marked, text.lstrip().startswith("#"), tuple(note for _, note in found))


def _marked(text: str, spans: list[Span]) -> Markup:
    """A line with the places of its findings marked."""
    marks = {place for span in spans for place in range(span.column - 1, _end(span, text))}
    cuts = [place for place in range(1, len(text)) if (place in marks) != (place - 1 in marks)]
    parts = [(start in marks, as_written(text[start:end])) for start, end in pairwise([0, *cuts, len(text)])]
    return Markup().join(Markup("<mark>{}</mark>").format(part) if marked else part for marked, part in parts)


def _end(span: Span, text: str) -> int:
    return min(span.end_column - 1, len(text)) if span.end_line == span.line else len(text)
