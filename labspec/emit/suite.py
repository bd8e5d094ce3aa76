"""The plan of the contract tests, a file for each gate and each stretch goal, and of the student's own tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from labspec.contract import CHECKS
from labspec.emit.encode import Python, python_name, python_text, python_value, python_words
from labspec.emit.expected import ExpectedCase, base_files, constant_of, plan_expected
from labspec.emit.layout import WIDTH, assertion, call, comment, docstring, json_file, signature, value

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from labspec.emit.hints import Hints, HintsByCheck
    from labspec.lab.model import Check, Fixture, Gate, Goal, Lab, TestsCatch

PROMISES = {
    "exit": "ends as the table says",
    "one_line": "leaves exactly one line",
    "append": "leaves earlier lines alone",
    "fields": "has exactly the agreed fields",
    "sorted_keys": "writes its keys in order",
    "error_text": "keeps its last error short",
    "repeat": "ends the same way when it is repeated",
    "exit_code": "ends with the exit code of its reason",
    "trace": "leaves a trace of its events",
    "closing": "closes its trace as the table says",
    "use": "tells what it used of each budget",
    "report": "has a fuel report that says what its trace says",
    "workspace": "leaves the files of the workspace as agreed",
    "inside": "touches nothing outside the allowed roots",
}
"""What a check of each kind promises of a run, as the end of a sentence. One for each of the contract's checks."""


Pair: TypeAlias = "tuple[str, Fixture]"
"""The kind of a check and the fixture it is made on."""


class CheckTest(NamedTuple):
    """A test function: one check on one fixture."""

    signature: Python
    docstring: Python
    call: Python


class OwnTestsCheck(NamedTuple):
    """The test functions about the student's own tests, which stand in `file`."""

    pass_docstring: Python
    pass_call: Python
    catch_docstring: Python
    catch_call: Python


class GateFile(NamedTuple):
    """What the template of `tests/test_<gate>.py` is given."""

    module: Python
    imports: Python | None
    """What the checks of runs need of the contract, if there are any."""
    base_files: Python | None
    cases: tuple[ExpectedCase, ...]
    checks: tuple[CheckTest, ...]


class OwnCheckCover(NamedTuple):
    """What it is given of the lab's cover: the student's own tests can have the id of the lab in their name."""

    own: OwnTestsCheck | None


NO_OWN_CHECK: Final = OwnCheckCover(None)
"""What most gates ask of the student's own tests."""


class OwnCase(NamedTuple):
    """A test in the student's own test file."""

    signature: Python
    docstring: Python
    fixture: Python
    assertions: tuple[Python, ...]


class OwnTests(NamedTuple):
    """What the template of `test_loop_exit.py` is given."""

    solved: bool
    workspace: bool
    cases: tuple[OwnCase, ...]
    gates: Python | None


def shown_fixtures(lab: Lab, hidden: bool) -> tuple[Fixture, ...]:
    """The fixtures of an edition."""
    return tuple(fixture for fixture in lab.fixtures if hidden or not fixture.hidden)


def checks_of(gate: Gate, fixtures: tuple[Fixture, ...]) -> list[Pair]:
    """The kind and the fixture of each check of a gate that can be made with these fixtures, each once."""
    return _pairs(gate.checks, fixtures)


OWN_TESTS = 2
"""How many test functions are about the student's own tests, in a gate that asks for them."""


def tests_of(gate: Gate, fixtures: tuple[Fixture, ...]) -> int:
    """How many test functions the file of a gate has with these fixtures; without any there is no file."""
    return len(checks_of(gate, fixtures)) + (0 if gate.tests_catch is None else OWN_TESTS)


def goal_fixtures(lab: Lab, hidden: bool) -> tuple[Fixture, ...]:
    """The fixtures of an edition that belong to stretch goals."""
    goals = () if lab.stretch is None else lab.stretch.goals
    return tuple(fixture for goal in goals for fixture in goal.fixtures if hidden or not fixture.hidden)


def goal_checks(lab: Lab, goal: Goal, hidden: bool) -> list[Pair]:
    """The kind and the fixture of each check of a stretch goal that can be made in an edition."""
    own = tuple(fixture for fixture in goal.fixtures if hidden or not fixture.hidden)
    return _pairs(goal.checks, (*own, *shown_fixtures(lab, hidden)))


def _pairs(checks: tuple[Check, ...], fixtures: tuple[Fixture, ...]) -> list[Pair]:
    shown = {fixture.id: fixture for fixture in fixtures}
    pairs = [(check.kind, shown[name]) for check in checks for name in check.fixtures if name in shown]
    unique = {(kind, fixture.id): (kind, fixture) for kind, fixture in pairs}
    return list(unique.values())


def plan_gate(lab: Lab, gate: Gate, fixtures: tuple[Fixture, ...], hints: HintsByCheck) -> GateFile:
    """The checks of runs of one gate. Those of how a run ends can give hints."""
    return _test_file(lab, f"Gate {gate.id}, {gate.points} points: {gate.says}", checks_of(gate, fixtures), hints)


def plan_own_check(lab: Lab, gate: Gate) -> OwnCheckCover:
    """What the test file of a gate asks of the student's own tests, if it does."""
    return NO_OWN_CHECK if gate.tests_catch is None else OwnCheckCover(_own_check(lab, gate, gate.tests_catch))


def _own_check(lab: Lab, gate: Gate, asked: TestsCatch) -> OwnTestsCheck:
    file = python_text(own_tests_file(lab))
    arguments = [Python("own_tests"), file, Python("mutants"), python_text(gate.id), Python(str(asked.at_least))]
    passing = call(Python("check_own_tests_pass"), arguments[:2], indent=4)
    catching = call(Python("check_own_tests_catch"), arguments, indent=4)
    return OwnTestsCheck(
        pass_docstring=docstring(python_words("Your own tests pass, and there are some."), indent=4),
        pass_call=Python.joined("\n    ", passing),
        catch_docstring=docstring(python_words(f"{catch_words(asked)}."), indent=4),
        catch_call=Python.joined("\n    ", catching),
    )


def catch_words(asked: TestsCatch) -> str:
    """What a gate asks of the student's own tests, in the student's words."""
    number, wanted = len(asked.mistakes), asked.at_least
    wrong = f"all {number} wrong ones" if number > 1 else "a wrong one"
    if wanted < number:
        wrong = f"at least {wanted} of {number} wrong ones"
    return f"Your own tests accept a right loop and catch {wrong}"


def own_tests_file(lab: Lab) -> str:
    """The file of the student's own tests."""
    return f"{lab.id}.test.mjs" if lab.target == "node" else "test_loop_exit.py"


def plan_goal(lab: Lab, goal: Goal, hidden: bool) -> GateFile:
    """The test file of one stretch goal."""
    return _test_file(
        lab, f"Stretch goal {goal.id}, {goal.points} points: {goal.title}", goal_checks(lab, goal, hidden), {}
    )


def _test_file(lab: Lab, says: str, pairs: list[Pair], hints: HintsByCheck) -> GateFile:
    used = {fixture.id: fixture for _, fixture in pairs}
    kinds = {name: {kind for kind, fixture in pairs if fixture.id == name} for name in used}
    return GateFile(
        module=docstring(python_words(says)),
        imports=_imports([python_name(name) for name in _imported(pairs)]) if pairs else None,
        base_files=base_files(lab) if any(kind == "workspace" for kind, _ in pairs) else None,
        cases=tuple(
            plan_expected(lab, fixture, kinds[name], _hints_of(name, kinds[name], hints))
            for name, fixture in used.items()
        ),
        checks=tuple(_check(kind, fixture) for kind, fixture in pairs),
    )


def _imported(pairs: list[Pair]) -> list[str]:
    """What a test file takes from the contract."""
    return ["Bench", "Expected", *sorted({CHECKS[kind].__name__ for kind, _ in pairs})]


def _hints_of(fixture: str, kinds: Collection[str], hints: HintsByCheck) -> Hints:
    """The hints that the checks of a file can give on a fixture."""
    return {
        seen: words
        for (kind, name), found in hints.items()
        if name == fixture and kind in kinds
        for seen, words in found.items()
    }


def _imports(names: list[Python]) -> Python:
    flat = Python.joined(", ", names)
    if len("from contract import ") + len(flat) <= WIDTH:
        return flat
    return Python.joined("\n", [Python("("), *(Python.of("    {},", name) for name in names), Python(")")])


def _check(kind: str, fixture: Fixture) -> CheckTest:
    arguments = [Python("bench"), python_text(fixture.id), constant_of(fixture.id)]
    lines = call(python_name(CHECKS[kind].__name__), arguments, indent=4)
    return CheckTest(
        # The kind stands last: `exit` begins like `exit_code`, but no kind ends like another.
        signature=signature(python_name(f"test_{fixture.id}_{kind}"), Python("bench: Bench")),
        docstring=docstring(python_words(f"{fixture.title}: the run {PROMISES[kind]}."), indent=4),
        call=Python.joined("\n    ", lines),
    )


def plan_own_tests(lab: Lab, solved: bool) -> OwnTests:
    """The student's own test file: an example to start from, or a test for each fixture."""
    fixtures = shown_fixtures(lab, hidden=False)
    gates = Python.joined("\n", comment(python_words(earned_words(lab.own_test_gates)))) if lab.own_test_gates else None
    cases = tuple(map(_own_case, fixtures if solved else fixtures[:1]))
    return OwnTests(solved, lab.workspace is not None, cases, gates)


def earned_words(gates: Sequence[Gate]) -> str:
    """What a hole says about the gates that it earns."""
    names = ", ".join(f"{gate.id} ({gate.points})" for gate in gates) or "none by itself"
    return f"Gates this earns, with their points: {names}."


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
