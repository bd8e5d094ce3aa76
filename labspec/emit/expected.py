"""What a test expects of a fixture: the constants at the head of a test file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.contract import Expected
from labspec.emit.encode import Python, python_name, python_text, python_value
from labspec.emit.layout import INDENT, WIDTH, indented, value
from labspec.emit.wording import row_words
from labspec.lab.model import UNLIMITED_ERROR_CHARS
from labspec.machine.runner import closing_event, fuel_report

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from labspec.emit.hints import Hints
    from labspec.lab.model import Fixture, Lab

WORKSPACE_CONSTANT = Python("_WORKSPACE")
"""Holds the files of the workspace before a run. No fixture's constant begins like it."""


class ExpectedCase(NamedTuple):
    """What is expected of a fixture, as a constant of a test file.

    `hints` are the entries of a dict, and `more` further arguments, each ready to stand on its own lines.
    """

    constant: Python
    reason: Python
    turns: int
    tool_names: Python
    last_error: Python
    exit_code: int
    decided_by: Python
    max_error_chars: int | None
    hints: tuple[Python, ...]
    more: tuple[Python, ...]


def constant_of(fixture: str) -> Python:
    """The constant that holds what is expected of a fixture."""
    return python_name(fixture.upper())


def plan_expected(lab: Lab, fixture: Fixture, kinds: Collection[str], hints: Hints) -> ExpectedCase:
    """What checks of some kinds need to know of a fixture."""
    ending = fixture.ending
    return ExpectedCase(
        constant=constant_of(fixture.id),
        reason=python_text(ending.reason),
        turns=ending.turns,
        tool_names=value(ending.tool_names, before=len("    tool_names="), after=1, indent=4),
        last_error=python_text(ending.last_error) if ending.last_error is not None else Python("None"),
        exit_code=ending.exit_code,
        decided_by=_wrapped_text(decided_by(lab, fixture), before=len("    decided_by="), indent=4),
        max_error_chars=_error_limit(lab),
        hints=tuple(_hint(signature, text) for signature, text in hints.items()),
        more=tuple(_more(lab, fixture, kinds)),
    )


def expected_exit(lab: Lab, fixture: Fixture, hints: Hints) -> Expected:
    """The same as a value, as far as checks of exits need it."""
    ending = fixture.ending
    return Expected(
        reason=ending.reason,
        turns=ending.turns,
        tool_names=ending.tool_names,
        last_error=ending.last_error,
        exit_code=ending.exit_code,
        decided_by=decided_by(lab, fixture),
        hints=hints,
    )


def _error_limit(lab: Lab) -> int | None:
    """The `max_error_chars` that a test has to name; None where the contract's own will do."""
    longest = lab.errors.max_chars
    if longest is None:
        return UNLIMITED_ERROR_CHARS
    return None if longest == Expected._field_defaults["max_error_chars"] else longest


def decided_by(lab: Lab, fixture: Fixture) -> str:
    """Which row decides about a fixture, and when, ready to print.

    A row that a stretch goal adds or changes has no number, because the handout does not list it.
    """
    ending = fixture.ending
    when = f"at `{ending.at}` of turn {ending.turn}"
    own = next((row for row in lab.table if row.id == ending.row), None)
    changed = next((row for row in lab.solved().table if row.id == ending.row), None)
    if own is not None and changed is not None and own == changed._replace(number=own.number):
        return f"row {own.number} ({own.id}) {when}: {row_words(own)}"
    return f"the row {ending.row} of the goal {when}" + ("" if changed is None else f": {row_words(changed)}")


def _wrapped_text(text: str, before: int, indent: int) -> Python:
    """A string literal; in several pieces, one below the other, if it is too long for one line."""
    literal = python_text(text)
    if before + len(literal) + 1 <= WIDTH or " " not in text:
        return literal
    return _pieces([piece for line in text.splitlines(keepends=True) for piece in _wrapped_line(line, indent)], indent)


def _wrapped_line(line: str, indent: int) -> Iterator[Python]:
    """A line of text as literals that each fit into a line of source, if their words do."""
    rest = line.split(" ")
    while rest:
        count = len(rest)
        while count > 1 and indent + INDENT + len(python_text(" ".join(rest[:count]) + " ")) > WIDTH:
            count -= 1
        piece, rest = " ".join(rest[:count]), rest[count:]
        yield python_text(piece + (" " if rest else ""))


def _pieces(pieces: list[Python], indent: int) -> Python:
    """String literals that are one text, for a line that is `indent` columns in."""
    lines = [Python("("), *indented(pieces, indent + INDENT), *indented([Python(")")], indent)]
    return Python.joined("\n", lines)


def _hint(signature: str, text: str) -> Python:
    name = Python.of("        {}: ", python_text(signature))
    return Python.of("{}{},", name, _wrapped_text(text, before=len(name), indent=8))


# --- traces and workspaces ---


def _more(lab: Lab, fixture: Fixture, kinds: Collection[str]) -> Iterator[Python]:
    """The arguments about trace and workspace, as far as the checks look at them.

    Every test of a traced run knows how the trace closes: that a run left none is noticed wherever it happens.
    """
    closing = closing_event(list(fixture.trace))
    if lab.traced and closing is not None:
        if "trace" in kinds:
            yield _argument("trace", tuple(map(_event, fixture.trace[:-1])))
        yield _argument("closing", (closing["type"], closing["reason"]))
        if "use" in kinds:
            yield _argument("budgets", closing["budgets"])
            yield _argument("used", closing["used"])
        if "report" in kinds:
            yield _argument("report", tuple(fuel_report(closing)))
    if "workspace" in kinds:
        yield _files(lab, fixture)


def _argument(name: str, data: object) -> Python:
    head = Python.of("    {}=", python_name(name))
    return Python.of("{}{},", head, value(data, before=len(head), after=1, indent=INDENT))


def _event(event: Mapping[str, object]) -> tuple[object, ...]:
    return (event["type"], event["turn"], event.get("name"), event.get("error"))


def base_files(lab: Lab) -> Python:
    """The statement that says what the workspace holds before a run."""
    files = {} if lab.workspace is None else dict(lab.workspace.files)
    entries = [_file(path, text, INDENT) for path, text in files.items()]
    return Python.joined("\n", [Python.of("{} = {{", WORKSPACE_CONSTANT), *entries, Python("}")])


def _files(lab: Lab, fixture: Fixture) -> Python:
    """The files after a run: those from before, but for what differs."""
    before = {} if lab.workspace is None else dict(lab.workspace.files)
    gone = dict.fromkeys(before.keys() - fixture.files.keys())
    written = {path: text for path, text in fixture.files.items() if before.get(path) != text}
    differ = sorted({**gone, **written}.items())
    if not differ:
        return Python.of("    files={},", WORKSPACE_CONSTANT)
    entries = [_file(path, text, INDENT + INDENT) for path, text in differ]
    base = Python.of("        **{},", WORKSPACE_CONSTANT)
    return Python.joined("\n", [Python("    files={"), base, *entries, Python("    },")])


def _file(path: str, text: str | None, indent: int) -> Python:
    """An entry of a dict of files, on lines of its own; a text of several lines has a literal for each."""
    head = Python.of("{}{}: ", Python(" " * indent), python_text(path))
    flat = python_value(text)
    lines = (text or "").splitlines(keepends=True)
    if len(lines) < 2 or len(head) + len(flat) + 1 <= WIDTH:
        return Python.of("{}{},", head, flat)
    whole = indent + INDENT + len(flat) <= WIDTH  # the formatter would join the pieces
    return Python.of("{}{},", head, _pieces([flat] if whole else [python_text(line) for line in lines], indent))
