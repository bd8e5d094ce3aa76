"""From the text of a spec to its nodes, through the events of a YAML parser. Used by `read`.

What YAML allows beyond plain mappings, lists and values is refused with a hint, and parsing goes on to find the rest;
only a syntax error, a limit, or a second document ends it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from labspec.diagnostics import Related, Report, Severity, Span
from labspec.source.events import MAX_DEPTH, TOO_DEEP, EventParser, make_parser
from labspec.source.locate import narrow
from labspec.source.nodes import Entry, Mapping, Node, Scalar, Sequence
from labspec.source.scalars import Refused, resolve
from labspec.source.text import character_code, find_escape, forbidden_character, name_character

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_NODES = 20_000
"""The most keys and values in a file. The labs we know have fewer than 2,000."""

MAX_FINDINGS = 100
"""After so many findings in one file, more would not be read."""

_BRACES_HELP = "put quotes around a text with a comma in it; write anything else as `key: value`"
_START_OF_FILE = (1, 1, 1, 2)
_ROOT_HELP = "a spec is a mapping: lines of the form `key: value`, such as `labspec: 1`"
_CORE_TAG = "tag:yaml.org,2002:"
_JINJA_HELP = "quote text that looks like Jinja; labspec keeps it as it is"
_JINJA = re.compile(r"\{\{.*?\}\}|\{\{")


def parse(
    text: str, file: str, report: Report, *, parser: Callable[[str], EventParser] = make_parser
) -> Mapping | None:
    """The root of a YAML text, or None if there was an error in it.

    Args:
        text: the text, as `decode` returns it.
        file: its name in the places of nodes and findings.
        report: receives the findings.
        parser: makes the event parser.

    """
    found = len(report.diagnostics)
    root = None
    composer = _Composer(text, file, report)
    try:
        composer.parser = parser(text)
        root = composer.document()
    except _Stopped:
        root = None
    except yaml.MarkedYAMLError as error:
        composer.report_syntax(error)
    except yaml.YAMLError as error:
        report.error("yaml-syntax", f"this is not YAML: {error}", Span(file, *_START_OF_FILE))
    failed = any(finding.severity is Severity.ERROR for finding in report.diagnostics[found:])
    return None if failed else root


class _Stopped(Exception):  # noqa: N818  # not an error of ours: the finding is in the report
    """Parsing cannot go on."""


class _Composer:
    """Builds the nodes of one document from events. `document` is called once."""

    parser: EventParser

    def __init__(self, text: str, file: str, report: Report) -> None:
        self._lines = text.split("\n")
        self._file = file
        self._report = report
        self._found = len(report.diagnostics)
        self._nodes = 0
        self._aliases: set[str] = set()
        self._jinja_lines: set[int] = set()

    def document(self) -> Mapping | None:
        """The root of the only document."""
        self._refuse_directives()
        self._next()  # the start of the stream
        start = self._next()
        if isinstance(start, StreamEndEvent):
            self._stop("empty-file", "the file is empty", Span(self._file, *_START_OF_FILE), _ROOT_HELP)
        root = self._root(self._next())
        self._next()  # the end of the document
        after = self._next()
        if isinstance(after, DocumentStartEvent):
            self._stop("second-document", "a second document begins here", self._span(after), "a spec is one document")
        return root

    def report_syntax(self, error: yaml.MarkedYAMLError) -> None:
        """Say a syntax error in plain words, unless it only follows from text that looks like Jinja."""
        if error.problem == TOO_DEEP and error.problem_mark is not None:
            line, column = error.problem_mark.line + 1, error.problem_mark.column + 1
            self._report_depth(Span(self._file, line, column, line, column + 1))
            return
        from labspec.source.syntax import explain  # only a spec with a syntax error pays for its import

        finding = explain(error, self._lines, self._file)
        if finding.span is None or finding.span.line not in self._jinja_lines:
            self._report.diagnostics.append(finding)

    def _root(self, event: Event) -> Mapping | None:
        at = self._span(event)
        if isinstance(event, ScalarEvent) and event.value == "" and not event.style:
            self._stop("empty-file", "the file is empty", Span(self._file, *_START_OF_FILE), _ROOT_HELP)
        if not isinstance(event, MappingStartEvent):
            kind = "a list" if isinstance(event, SequenceStartEvent) else "a single value"
            self._stop("root-not-a-mapping", f"the file holds {kind}", at, _ROOT_HELP)
        root = self._node(event, 1)
        if not isinstance(root, Mapping):
            return None
        if not root.entries and not self._found_any():
            self._error("empty-file", "the spec is an empty mapping", at, _ROOT_HELP)
        return root

    def _node(self, event: Event, depth: int) -> Node:
        self._check_limits(event, depth)
        if isinstance(event, NodeEvent):
            self._refuse_properties(event)
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if isinstance(event, MappingStartEvent):
            return self._jinja(event) if self._looks_like_jinja(event) else self._mapping(event, depth)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event, depth)
        return Scalar(None, self._span(event))  # an alias, which has been refused

    def _mapping(self, start: MappingStartEvent, depth: int) -> Mapping:
        entries: dict[str, Entry] = {}
        while not isinstance(event := self._next(), MappingEndEvent):
            key = self._key(event, depth)
            value_event = self._next()
            if key is None:
                self._node(value_event, depth + 1)
                continue
            value = self._value(value_event, key, depth)
            self._add(entries, Entry(str(key.value), key.span, value))
        last = next(reversed(entries.values())).value.span if entries else None
        return Mapping(tuple(entries.values()), self._between(start, event, last))

    def _add(self, entries: dict[str, Entry], entry: Entry) -> None:
        first = entries.setdefault(entry.key, entry)
        if first is not entry:
            message = f"the key `{_short(entry.key)}` stands here for the second time"
            related = (Related(f"`{_short(entry.key)}` first stands on line {first.key_span.line}", first.key_span),)
            advice = f"keep the one on line {first.key_span.line} or the one on line {entry.key_span.line}"
            if first.key_span.line == entry.key_span.line:
                advice = "keep one of the two"
            self._error("duplicate-key", message, entry.key_span, advice, related)

    def _sequence(self, start: SequenceStartEvent, depth: int) -> Sequence:
        items = []
        while not isinstance(event := self._next(), SequenceEndEvent):
            items.append(self._value(event, None, depth))
        return Sequence(tuple(items), self._between(start, event, items[-1].span if items else None))

    def _value(self, event: Event, key: Scalar | None, depth: int) -> Node:
        """The value of a key, or an item of a list."""
        if not isinstance(event, ScalarEvent) or _has_properties(event):
            return self._node(event, depth + 1)
        self._check_limits(event, depth + 1)
        if not event.value:
            return self._empty(event, key)
        return self._plain(event)

    def _empty(self, event: Event, key: Scalar | None) -> Scalar:
        """The value where nothing stands: in braces, it may be that a text with a comma was not quoted."""
        span = self._span(event)
        at, message, advice = span, "this list item is empty", "write a value, `null`, or `[]` for an empty list"
        if key is not None:
            at, name = key.span, str(key.value)
            message = f"nothing stands after `{_short(name)}:`"
            if (span.line, span.column) == (at.end_line, at.end_column):  # no `:` either
                message = f"`{_short(name)}` stands here without a value"
                advice = "put a space after the `:`" if ":" in name else _BRACES_HELP
        self._error("empty-value", message, at, advice)
        return Scalar(None, at)

    def _key(self, event: Event, depth: int) -> Scalar | None:
        """The text of a key, or None if it cannot be one."""
        span = self._span(event)
        if isinstance(event, ScalarEvent) and not _has_properties(event) and event.value not in ("", "<<"):
            self._check_limits(event, depth)
            return Scalar(event.value, span)
        if not isinstance(event, ScalarEvent):
            if not isinstance(event, AliasEvent) and not self._looks_like_jinja(event):
                self._error("key-not-text", "a key has to be text, not a list or a mapping", span, None)
            self._node(event, depth + 1)
            return None
        self._check_limits(event, depth)
        self._refuse_properties(event)
        if not event.value and not _has_properties(event):
            self._error("empty-key", "a key is missing before this `:`", span, "write the name of the key")
            return None
        if event.value == "<<" and _is_plain(event):
            advice = "write the keys out, or use `extends` to build on another spec"
            self._error("merge-key", "merge keys (`<<`) are not allowed", span, advice)
            return None
        if not _is_plain(event):
            self._refuse_characters(event, span)
        return Scalar(event.value, span)

    def _scalar(self, event: ScalarEvent) -> Scalar:
        if _is_plain(event):
            return self._plain(event)
        span = self._span(event)
        self._refuse_characters(event, span)
        return Scalar(event.value, span, self._lead(event, span))

    def _plain(self, event: ScalarEvent) -> Scalar:
        span = self._span(event)
        if not event.value:
            return Scalar(None, span)  # its tag or anchor has been refused
        value = resolve(event.value)
        if isinstance(value, Refused):
            self._error(value.code, value.message, span, value.help)
            return Scalar(event.value, span)
        return Scalar(value, span, self._lead(event, span) if isinstance(value, str) else None)

    def _lead(self, event: ScalarEvent, span: Span) -> int | None:
        """How far the value is from the start of its span, if it stands there character for character."""
        if span.line != span.end_line:
            return None
        lead = 0 if _is_plain(event) else 1
        start = span.column - 1 + lead
        written = self._lines[span.line - 1][start : span.end_column - 1 - lead]
        return lead if written == event.value else None

    def _refuse_properties(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent):
            self._refuse_alias(event.anchor or "", self._span(event))
        elif event.anchor is not None or getattr(event, "tag", None) is not None:
            self._refuse_anchor_and_tag(event, self._span(event))

    def _refuse_anchor_and_tag(self, event: NodeEvent, at: Span) -> None:
        advice = "delete it, or quote the value if it is text"
        if event.anchor is not None:
            written = f"&{event.anchor}"
            self._error("anchor", f"anchors (`{_short(written)}`) are not allowed", self._part(at, written), advice)
        tag = getattr(event, "tag", None)
        if tag is not None:
            written = tag.replace(_CORE_TAG, "!!")
            self._error("tag", f"tags (`{_short(written)}`) are not allowed", self._part(at, written), advice)

    def _refuse_alias(self, name: str, at: Span) -> None:
        """Once for each name: a few hundred bytes can hold very many."""
        if name not in self._aliases:
            self._aliases.add(name)
            advice = "write the value out, or quote it if it is text"
            self._error("alias", f"aliases (`*{_short(name)}`) are not allowed", at, advice)

    def _part(self, at: Span, written: str) -> Span:
        """The place of the characters `written` on the first line of `at`; all of it if they do not stand there."""
        start = self._lines[at.line - 1].find(written, at.column - 1)
        return at if start < 0 or not written else Span(at.file, at.line, start + 1, at.line, start + 1 + len(written))

    def _refuse_characters(self, event: ScalarEvent, at: Span) -> None:
        character = forbidden_character(event.value)
        if character is not None:
            message = f"a text may not contain {name_character(character)}, however it is written"
            escape = find_escape("\n".join(self._lines[at.line - 1 : at.end_line]), character)
            self._error(character_code(character), message, self._part(at, escape), "delete the escape")

    def _looks_like_jinja(self, start: Event) -> bool:
        if not isinstance(start, MappingStartEvent) or not start.flow_style:
            return False
        inner = self.parser.peek_event()
        if not isinstance(inner, MappingStartEvent) or not inner.flow_style:
            return False
        outer_at, inner_at = self._span(start), self._span(inner)
        return (outer_at.line, outer_at.column + 1) == (inner_at.line, inner_at.column)

    def _jinja(self, start: MappingStartEvent) -> Scalar:
        """Report `{{ … }}` once, and skip the mapping of a mapping that YAML sees in it."""
        at = self._span(start)
        match = _JINJA.match(self._lines[at.line - 1], at.column - 1)
        width = len(match.group()) if match else 1
        span = Span(at.file, at.line, at.column, at.line, at.column + width)
        self._jinja_lines.add(at.line)
        self._error("jinja-looking", "unquoted text looks like a Jinja template", span, _JINJA_HELP)
        open_collections = 1
        while open_collections:
            event = self._next()
            open_collections += isinstance(event, MappingStartEvent | SequenceStartEvent)
            open_collections -= isinstance(event, MappingEndEvent | SequenceEndEvent)
        return Scalar(None, span)

    def _check_limits(self, event: Event, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            at = self._span(event)
            self._stop("too-many-values", f"the file has more than {MAX_NODES} keys and values", at, None)
        if depth > MAX_DEPTH:
            self._report_depth(self._span(event))
            raise _Stopped

    def _report_depth(self, at: Span) -> None:
        message = f"lists and mappings are nested more than {MAX_DEPTH} deep"
        self._report.error("nested-too-deep", message, at, help="close a bracket, or make the structure flatter")

    def _found_any(self) -> bool:
        return len(self._report.diagnostics) > self._found

    def _next(self) -> Event:
        event = self.parser.get_event()
        if event is None:  # only after the end of the stream, which `document` never passes
            raise _Stopped
        return event

    def _error(self, code: str, message: str, at: Span, help: str | None, related: tuple[Related, ...] = ()) -> None:
        if len(self._report.diagnostics) >= self._found + MAX_FINDINGS:
            self._stop("too-many-findings", f"more than {MAX_FINDINGS} findings; the rest is not shown", at, None)
        self._report.error(code, message, narrow(at), help=help, related=related)

    def _stop(self, code: str, message: str, at: Span, help: str | None) -> NoReturn:
        self._report.error(code, message, narrow(at), help=help)
        raise _Stopped

    def _span(self, event: Event) -> Span:
        """The place of an event; the end of a block scalar is the end of its last line with text."""
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:  # PyYAML's types allow it, its parsers always set both
            return Span(self._file, *_START_OF_FILE)
        first, lead, line, column = start.line, start.column, end.line, end.column
        if isinstance(event, ScalarEvent) and event.style in ("|", ">"):
            # The end stands on the line below, but for a block on the last line of a file that has no end.
            line = min(line + (column > 0), len(self._lines))
            while line > first + 1 and not self._lines[line - 1].strip():
                line -= 1
            line, column = line - 1, len(self._lines[line - 1])
        elif (line, column) <= (first, lead):
            line, column = first, lead + 1
        return Span(self._file, first + 1, lead + 1, line + 1, column + 1)

    def _between(self, start: CollectionStartEvent, end: Event, last: Span | None) -> Span:
        """The place of a collection. The end event of a block collection stands after comments and blank lines."""
        first = self._span(start)
        final = self._span(end) if last is None or start.flow_style else last
        return Span(self._file, first.line, first.column, final.end_line, final.end_column)

    def _refuse_directives(self) -> None:
        """Directives stand before everything else; the parsers disagree about which are errors."""
        for number, line in enumerate(self._lines, 1):
            if line.startswith("%"):
                at = Span(self._file, number, 1, number, len(line) + 1)
                self._stop("directive", "YAML directives are not allowed", at, "delete the line that begins with `%`")
            if line.strip() and not line.lstrip().startswith("#"):
                return


def _is_plain(event: ScalarEvent) -> bool:
    return not event.style


def _has_properties(event: ScalarEvent) -> bool:
    return event.anchor is not None or event.tag is not None or not _is_plain(event)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
