"""The plan of the contract tests: one file for each gate, `gates.json`, and the student's own test file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.contract import CHECKS, Expected
from labspec.emit.encode import Python, python_name, python_text, python_value, python_words
from labspec.emit.layout import WIDTH, assertion, call, docstring, indented, json_file, signature, value
from labspec.emit.wording import row_words
from labspec.lab.model import UNLIMITED_ERROR_CHARS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labspec.emit.hints import Hints
    from labspec.lab.model import Fixture, Gate, Lab

TIMEOUT_SECONDS = 20
"""How long one run of a student's loop may take. Scripted runs take milliseconds; a loaded laptop takes longer."""

PROMISES = {
    "exit": "ends as the table says",
    "one_line": "leaves exactly one line",
    "append": "leaves earlier lines alone",
    "fields": "has exactly the agreed fields",
    "sorted_keys": "writes its keys in order",
    "error_text": "keeps its last error short",
    "repeat": "ends the same way when it is repeated",
    "exit_code": "ends with the exit code of its reason",
}
"""What a check of each kind promises of a run, as the end of a sentence. One for each of the contract's checks."""


class ExpectedCase(NamedTuple):
    """A fixture's expected exit, as a constant of a test file."""

    constant: Python
    reason: Python
    turns: int
    tool_names: Python
    last_error: Python
    exit_code: int
    decided_by: Python
    max_error_chars: int | None
    hints: tuple[Python, ...]
    """The entries of a dict, each ready to stand on its own lines."""


class CheckTest(NamedTuple):
    """A test function: one check on one fixture."""

    signature: Python
    docstring: Python
    call: Python


class GateFile(NamedTuple):
    """What the template of `tests/test_<gate>.py` is given."""

    module: Python
    imports: Python
    cases: tuple[ExpectedCase, ...]
    checks: tuple[CheckTest, ...]


class OwnCase(NamedTuple):
    """A test in the student's own test file."""

    signature: Python
    docstring: Python
    fixture: Python
    assertions: tuple[Python, ...]


class OwnTests(NamedTuple):
    """What the template of `test_loop_exit.py` is given."""

    solved: bool
    cases: tuple[OwnCase, ...]


def shown_fixtures(lab: Lab, hidden: bool) -> tuple[Fixture, ...]:
    """The fixtures of an edition."""
    return tuple(fixture for fixture in lab.fixtures if hidden or not fixture.hidden)


def checks_of(gate: Gate, fixtures: tuple[Fixture, ...]) -> list[tuple[str, Fixture]]:
    """The kind and the fixture of each check of a gate that can be made with these fixtures, each once."""
    shown = {fixture.id: fixture for fixture in fixtures}
    pairs = [(check.kind, shown[name]) for check in gate.checks for name in check.fixtures if name in shown]
    unique = {(kind, fixture.id): (kind, fixture) for kind, fixture in pairs}
    return list(unique.values())


def plan_gate(lab: Lab, gate: Gate, fixtures: tuple[Fixture, ...], hints: Mapping[str, Hints]) -> GateFile:
    """The test file of one gate. Its `exit` checks can give hints."""
    pairs = checks_of(gate, fixtures)
    used = dict.fromkeys(fixture.id for _, fixture in pairs)
    hinted = {fixture.id: hints[fixture.id] for kind, fixture in pairs if kind == "exit"}
    functions = sorted({CHECKS[kind].__name__ for kind, _ in pairs})
    return GateFile(
        module=docstring(python_words(f"Gate {gate.id}, {gate.points} points: {gate.says}")),
        imports=_imports([python_name(name) for name in ("Bench", "Expected", *functions)]),
        cases=tuple(_expected(lab, lab.fixture(name), hinted.get(name, {})) for name in used),
        checks=tuple(_check(kind, fixture) for kind, fixture in pairs),
    )


def _imports(names: list[Python]) -> Python:
    flat = Python.joined(", ", names)
    if len("from contract import ") + len(flat) <= WIDTH:
        return flat
    return Python.joined("\n", [Python("("), *(Python.of("    {},", name) for name in names), Python(")")])


def constant_of(fixture: str) -> Python:
    """The constant that holds what is expected of a fixture."""
    return python_name(fixture.upper())


def _expected(lab: Lab, fixture: Fixture, hints: Hints) -> ExpectedCase:
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
    )


def _error_limit(lab: Lab) -> int | None:
    """The `max_error_chars` that a test has to name; None where the contract's own will do."""
    longest = lab.errors.max_chars
    if longest is None:
        return UNLIMITED_ERROR_CHARS
    return None if longest == Expected._field_defaults["max_error_chars"] else longest


def decided_by(lab: Lab, fixture: Fixture) -> str:
    """Which row decides about a fixture, and when, ready to print."""
    ending = fixture.ending
    row = lab.row(ending.row)
    return f"row {row.number} ({row.id}) at `{ending.at}` of turn {ending.turn}: {row_words(row)}"


def _wrapped_text(text: str, before: int, indent: int) -> Python:
    """A string literal; in several pieces, one below the other, if it is too long for one line."""
    literal = python_text(text)
    if before + len(literal) + 1 <= WIDTH or " " not in text:
        return literal
    pieces: list[Python] = []
    rest = text.split(" ")
    while rest:
        count = len(rest)
        while count > 1 and indent + 4 + len(python_text(" ".join(rest[:count]) + " ")) > WIDTH:
            count -= 1
        piece, rest = " ".join(rest[:count]), rest[count:]
        pieces.append(python_text(piece + (" " if rest else "")))
    return Python.joined("\n", [Python("("), *indented(pieces, indent + 4), *indented([Python(")")], indent)])


def _hint(signature: str, text: str) -> Python:
    name = Python.of("        {}: ", python_text(signature))
    return Python.of("{}{},", name, _wrapped_text(text, before=len(name), indent=8))


def _check(kind: str, fixture: Fixture) -> CheckTest:
    arguments = [Python("bench"), python_text(fixture.id), constant_of(fixture.id)]
    lines = call(python_name(CHECKS[kind].__name__), arguments, indent=4)
    return CheckTest(
        # The kind stands last: `exit` begins like `exit_code`, but no kind ends like another.
        signature=signature(python_name(f"test_{fixture.id}_{kind}"), Python("bench: Bench")),
        docstring=docstring(python_words(f"{fixture.title}: the run {PROMISES[kind]}."), indent=4),
        call=Python.joined("\n    ", lines),
    )


def gates_json(lab: Lab, fixtures: tuple[Fixture, ...]) -> str:
    """The rubric as the scoreboard of the tests reads it."""
    gates = [
        {
            "id": gate.id,
            "points": gate.points,
            "says": gate.says,
            "file": f"test_{gate.id}.py",
            "tests": len(checks_of(gate, fixtures)),
        }
        for gate in lab.rubric
        if checks_of(gate, fixtures)
    ]
    return json_file({"lab": lab.id, "timeout_seconds": TIMEOUT_SECONDS, "gates": gates})


def plan_own_tests(lab: Lab, solved: bool) -> OwnTests:
    """The student's own test file: an example to start from, or a test for each fixture."""
    fixtures = shown_fixtures(lab, hidden=False)
    return OwnTests(solved, tuple(map(_own_case, fixtures if solved else fixtures[:1])))


def _own_case(fixture: Fixture) -> OwnCase:
    ending = fixture.ending
    error = ending.last_error
    names = value(ending.tool_names, before=len("    assert event.tool_names == "), indent=4)
    return OwnCase(
        signature=signature(python_name(f"test_{fixture.id}"), Python("tmp_path: Path")),
        docstring=docstring(python_words(fixture.title), indent=4),
        fixture=python_text(fixture.id),
        assertions=(
            assertion(Python("event.reason"), "==", python_text(ending.reason)),
            assertion(Python("event.turns"), "==", python_value(ending.turns)),
            assertion(Python("event.tool_names"), "==", names),
            assertion(Python("event.last_error"), "is" if error is None else "==", python_value(error)),
        ),
    )


def fixture_json(fixture: Fixture) -> str:
    """A fixture as the runners read it: inputs only."""
    return json_file(fixture.data)
