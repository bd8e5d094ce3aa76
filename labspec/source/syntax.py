"""Syntax errors of YAML in plain words. Used by `parse`.

The two parsers word the same error differently, and both name what the grammar misses, not what the author did; so
the text around the place decides as much as the parser's words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from labspec.diagnostics import Diagnostic, Related, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    import yaml

_JINJA_HELP = "quote text that looks like Jinja; labspec keeps it as it is"
_JINJA_VALUE = re.compile(r"(?:^|[:\[,-]\s|[\[({,])\s*(\{[{%#].*)")
_MISSING_SPACE = re.compile(r"\s*(?:- )?[A-Za-z_][\w-]*:\S")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_QUOTE_IT = "quote the text"


class _Error(NamedTuple):
    """A syntax error and the text around it. Lines and columns count from 0."""

    problem: str
    context: str
    line: int
    column: int
    context_line: int
    context_column: int
    lines: list[str]
    file: str

    @property
    def text(self) -> str:
        return self.lines[self.line] if self.line < len(self.lines) else ""

    @property
    def before(self) -> str:
        return self.text[: self.column]

    @property
    def character(self) -> str:
        return self.text[self.column : self.column + 1]

    @property
    def at_end(self) -> bool:
        return not any(line.strip() for line in [self.text[self.column :], *self.lines[self.line + 1 :]])

    def span(self) -> Span:
        return Span(self.file, self.line + 1, self.column + 1, self.line + 1, self.column + 2)

    def context_span(self) -> Span:
        line, column = self.context_line + 1, self.context_column + 1
        return Span(self.file, line, column, line, column + 1)


def explain(error: yaml.MarkedYAMLError, lines: list[str], file: str) -> Diagnostic:
    """The finding about a syntax error, at the place the author has to look at.

    Args:
        error: what the parser raised.
        lines: the lines of the text.
        file: its name in places.

    """
    seen = _gather(error, lines, file)
    jinja = _explain_jinja(seen)
    if jinja is not None:
        return jinja
    for word, rule in _RULES:
        if word in seen.problem or word in seen.context:
            return rule(seen)
    return _syntax(f"this is not YAML: {seen.problem}", seen.span(), None)


def _gather(error: yaml.MarkedYAMLError, lines: list[str], file: str) -> _Error:
    line, column = (error.problem_mark.line, error.problem_mark.column) if error.problem_mark else (0, 0)
    if line >= len(lines) or (line == len(lines) - 1 and line and not lines[line]):
        line = _last_line_with_text(lines)
        column = len(lines[line].rstrip())
    context = error.context_mark
    context_line, context_column = (context.line, context.column) if context else (line, column)
    if context_line >= len(lines):
        context_line, context_column = line, column
    return _Error(error.problem or "", error.context or "", line, column, context_line, context_column, lines, file)


def _last_line_with_text(lines: list[str]) -> int:
    return next((number for number in range(len(lines) - 1, -1, -1) if lines[number].strip()), 0)


def _syntax(message: str, at: Span, help: str | None, code: str = "yaml-syntax") -> Diagnostic:
    return Diagnostic(code, message, at, help=help)


def _explain_jinja(seen: _Error) -> Diagnostic | None:
    for number in dict.fromkeys((seen.line, seen.context_line)):
        match = _JINJA_VALUE.search(seen.lines[number][:2000])
        if match is not None:
            column, line = match.start(1) + 1, number + 1
            at = Span(seen.file, line, column, line, column + 2)
            return _syntax("unquoted text looks like a Jinja template", at, _JINJA_HELP, "jinja-looking")
    return None


def _explain_tab(seen: _Error) -> Diagnostic:
    advice = "replace each tab at the start of a line by spaces"
    return _syntax("a tab stands here; YAML is indented with spaces", seen.span(), advice, "tab-indentation")


def _explain_colon(seen: _Error) -> Diagnostic:
    if ": " in seen.before.strip().removeprefix("- "):
        message = "a second `: ` on this line would begin another key"
        return _syntax(message, seen.span(), "quote the text that contains `: `")
    above = _line_above(seen)
    if above is not None and _MISSING_SPACE.match(seen.lines[above]):
        return _explain_missing_space(seen, above)
    key = seen.before.strip().removeprefix("- ")[-40:]
    number = f" on line {above + 1}" if above is not None else ""
    message = f"`{key}:` would continue the text above it{number}"
    first = len(seen.before) - len(seen.before.lstrip())
    at = Span(seen.file, seen.line + 1, first + 1, seen.line + 1, max(seen.column, first + 1) + 1)
    return _syntax(message, at, "line this key up with the keys it belongs to")


def _explain_unspaced(seen: _Error) -> Diagnostic:
    return _explain_missing_space(seen, seen.line, seen.column)


def _explain_missing_space(seen: _Error, number: int, column: int | None = None) -> Diagnostic:
    first = seen.lines[number].index(":") if column is None else column
    at = Span(seen.file, number + 1, first + 1, number + 1, first + 2)
    return _syntax("a space is missing after this `:`", at, "write `key: value`")


def _line_above(seen: _Error) -> int | None:
    return next((number for number in range(seen.line - 1, -1, -1) if seen.lines[number].strip()), None)


def _explain_lone_text(seen: _Error) -> Diagnostic:
    line = seen.lines[seen.context_line]
    if _MISSING_SPACE.match(line):
        return _explain_missing_space(seen, seen.context_line)
    at = Span(seen.file, seen.context_line + 1, seen.context_column + 1, seen.context_line + 1, len(line) + 1)
    advice = "write `key: value`, or indent the line if it continues the text above"
    return _syntax("this line is neither `key: value` nor a list item", at, advice)


def _explain_start(seen: _Error) -> Diagnostic:
    if seen.character == "\t":
        return _explain_tab(seen)
    character = "a backtick" if seen.character == "`" else f"`{seen.character}`"
    return _syntax(f"text cannot begin with {character}", seen.span(), _QUOTE_IT)


def _explain_misfit(seen: _Error) -> Diagnostic:
    before = seen.before.rstrip()
    if seen.character == ":" and not before:
        return _syntax("a key is missing before this `:`", seen.span(), "write the name of the key", "empty-key")
    if seen.character in ("]", "}") and seen.character:
        return _syntax(f"this `{seen.character}` closes nothing", seen.span(), "delete it, or quote the text")
    if before.endswith(("'", '"')):
        advice = f"quote the whole text, and double a `{before[-1]}` inside it" if before[-1] == "'" else _QUOTE_IT
        return _syntax("text stands after the closing quote", seen.span(), advice)
    if before.strip(" -"):
        return _syntax("this does not belong to the value before it", seen.span(), _QUOTE_IT)
    return _syntax("the indentation of this line fits no line above it", seen.span(), "line it up with the lines above")


def _explain_not_an_item(seen: _Error) -> Diagnostic:
    if seen.before.strip(" -"):
        return _explain_misfit(seen)
    message = "this line stands at the level of a list, but is no item of it"
    related = (Related("the list begins here", seen.context_span()),)
    advice = "begin it with `- `, or change its indentation"
    return Diagnostic("yaml-syntax", message, seen.span(), help=advice, related=related)


def _explain_bracket(seen: _Error) -> Diagnostic:
    opening = seen.lines[seen.context_line][seen.context_column : seen.context_column + 1]
    closing = "]" if opening == "[" else "}"
    if seen.at_end:
        return _syntax(f"this `{opening}` is never closed", seen.context_span(), f"add a `{closing}`")
    if seen.character == "?":
        return _syntax("unquoted text inside brackets cannot contain `?`", seen.span(), _QUOTE_IT)
    message = f"a `,` or a `{closing}` is missing before this"
    related = (Related(f"the `{opening}` stands here", seen.context_span()),)
    advice = f"close the `{opening}`, or quote text that contains brackets, commas or colons"
    return Diagnostic("yaml-syntax", message, seen.span(), help=advice, related=related)


def _explain_open_quote(seen: _Error) -> Diagnostic:
    return _syntax("this quote is never closed", seen.context_span(), "add the closing quote")


def _explain_escape(seen: _Error) -> Diagnostic:
    start = seen.text.rfind("\\", 0, seen.column + 1)
    column = seen.column if start < 0 else start
    surrogate = _SURROGATE_ESCAPE.match(seen.text, column)
    if surrogate is not None:
        at = Span(seen.file, seen.line + 1, column + 1, seen.line + 1, surrogate.end() + 1)
        message = "this escape is half of a pair of surrogates, and no character"
        return _syntax(message, at, "write the character itself, or its one number, such as `\\U0001F600`")
    at = Span(seen.file, seen.line + 1, column + 1, seen.line + 1, column + 3)
    advice = "write `\\\\` for a backslash, or use single quotes"
    return _syntax("this is not an escape that double quotes know", at, advice)


def _explain_content(seen: _Error) -> Diagnostic:
    if seen.at_end and not seen.character:
        return _syntax("the file ends where a value is expected", seen.span(), "close every bracket")
    if seen.character == ",":
        return _syntax("nothing stands before this `,`", seen.span(), "delete the comma, or write the value")
    return _syntax(f"a value cannot begin with `{seen.character}`", seen.span(), _QUOTE_IT)


def _explain_dash(seen: _Error) -> Diagnostic:
    advice = "begin the list on the next line, or quote the text"
    return _syntax("a list cannot begin on the line of its key", seen.span(), advice)


def _explain_block(seen: _Error) -> Diagnostic:
    advice = "put the text on the next line, indented, or quote it"
    return _syntax("text stands after the `|` or `>` that begins a block of text", seen.span(), advice)


def _explain_question(seen: _Error) -> Diagnostic:
    return _syntax("a `?` cannot stand here", seen.span(), _QUOTE_IT)


def _explain_after_root(seen: _Error) -> Diagnostic:
    advice = "put everything under the keys of one mapping"
    return _syntax("text stands after the end of the spec", seen.span(), advice)


def _refuse_directive(seen: _Error) -> Diagnostic:
    at = Span(seen.file, seen.context_line + 1, 1, seen.context_line + 1, len(seen.lines[seen.context_line]) + 1)
    advice = "delete the line that begins with `%`, or quote the text"
    return _syntax("YAML directives are not allowed", at, advice, "directive")


def _refuse_marker(code: str, words: str) -> Callable[[_Error], Diagnostic]:
    def rule(seen: _Error) -> Diagnostic:
        advice = "delete it, or quote the value if it is text"
        return _syntax(f"{words} are not allowed", seen.context_span(), advice, code)

    return rule


# The first entry whose words occur in the parser's problem or context wins.
_RULES: tuple[tuple[str, Callable[[_Error], Diagnostic]], ...] = (
    ("directive", _refuse_directive),
    ("incompatible YAML document", _refuse_directive),
    ("undefined tag handle", _refuse_marker("tag", "tags (`!name`)")),
    ("ing a tag", _refuse_marker("tag", "tags (`!name`)")),
    ("scanning an anchor", _refuse_marker("anchor", "anchors (`&name`)")),
    ("scanning an alias", _refuse_marker("alias", "aliases (`*name`)")),
    ("tab character", _explain_tab),
    ("cannot start any token", _explain_start),
    ("mapping values are not allowed", _explain_colon),
    ("unexpected ':'", _explain_unspaced),
    ("mapping keys are not allowed", _explain_question),
    ("sequence entries are not allowed", _explain_dash),
    ("could not find expected ':'", _explain_lone_text),
    ("unexpected end of stream", _explain_open_quote),
    ("unexpected document", _explain_open_quote),
    ("quoted scalar", _explain_escape),
    ("impossible number", _explain_escape),
    ("scanning a block scalar", _explain_block),
    ("<document start>", _explain_after_root),
    ("',' or", _explain_bracket),
    ("node content", _explain_content),
    ("parsing a block collection", _explain_not_an_item),
    ("parsing a block mapping", _explain_misfit),
)
