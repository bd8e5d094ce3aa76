"""The plans of the JavaScript files: every value that their templates print."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.contract import CHECKS
from labspec.emit.node.encode import JavaScript, javascript_key, javascript_name, javascript_text, javascript_words
from labspec.emit.node.layout import Comment, Doc, block, expanded, flat_object, lines, listed, shown, text
from labspec.emit.node.moments import Moments
from labspec.emit.node.names import settings_of
from labspec.emit.suite import earned_words, shown_fixtures
from labspec.machine.runner import CLOSING_EVENTS, CRASH

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from labspec.lab.model import Budget, Fixture, Lab, Tool

REPORT_CHECKS = ("report",)
"""The checks that are about the fuel report."""

TRACE_CHECKS = ("trace", "closing", "use")
"""The checks that are about the trace."""


class LoopCover(NamedTuple):
    """What the template of the loop is given of the lab's cover. `file` is what the file is called."""

    module: JavaScript
    file: JavaScript


class LoopFile(NamedTuple):
    """What else the template of the loop is given. `limits` and `used` are object literals."""

    solved: bool
    tracer_solved: bool
    tools_import: JavaScript
    default_budget: JavaScript
    closing_events: JavaScript
    reads_files: bool
    has_scripted: bool
    mixed: bool
    plan_can_end: bool
    limited: bool
    limits: JavaScript
    counters: tuple[JavaScript, ...]
    last_error_told: bool
    reason_used: bool
    named_used: bool
    moments: JavaScript
    turns: JavaScript
    used: JavaScript
    settled: JavaScript
    gates: JavaScript
    tracer_gates: JavaScript


class CommandLineCover(NamedTuple):
    """What the template of `lab.mjs` is given of the lab's cover. `program` is the path of the loop."""

    module: JavaScript
    program: JavaScript


class CommandLine(NamedTuple):
    """What else the template of `lab.mjs` is given."""

    constants: JavaScript
    workspace: bool


class ToolsCover(NamedTuple):
    """What the template of `tools.mjs` is given of the lab's cover."""

    module: JavaScript


class ToolsFile(NamedTuple):
    """What else the template of `tools.mjs` is given."""

    tools: JavaScript
    workspace: bool
    scripted: bool
    error_chars: int | None
    error_otherwise: JavaScript


class ReportFile(NamedTuple):
    """What the template of `report.mjs` is given."""

    solved: bool
    gates: JavaScript


class OwnTestsCover(NamedTuple):
    """What the template of the student's tests is given of the lab's cover."""

    loop: JavaScript
    file: JavaScript


class OwnTests(NamedTuple):
    """What else the template of the student's tests is given."""

    solved: bool
    cases: tuple[JavaScript, ...]
    gates: JavaScript | None


def plan_loop_cover(lab: Lab, file: str) -> LoopCover:
    """The first lines of the student's file, and its name."""
    return LoopCover(_head(f"The loop of the lab: {lab.title}"), JavaScript(file))


def plan_loop(lab: Lab, solved: bool, tracer_solved: bool) -> LoopFile:
    """The plan of the student's file, with the loop and the tracer written out where they are solved."""
    moments = Moments(lab)
    settings = settings_of(budget.name for budget in lab.budgets)
    return LoopFile(
        solved=solved,
        tracer_solved=tracer_solved,
        tools_import=_tools_import(moments),
        default_budget=_default_budget(lab, settings),
        closing_events=_closing_events(lab),
        reads_files=moments.reads_files,
        has_scripted=moments.has_scripted,
        mixed=moments.reads_files and moments.has_scripted,
        plan_can_end=moments.can_end,
        limited=bool(lab.budgets),
        limits=_limits(settings),
        counters=tuple(moments.counters()),
        last_error_told=moments.last_error_told,
        reason_used="decision.reason" in moments.read,
        named_used="call.named" in moments.read,
        moments=_indented(lines(moments.statements()), 6),
        turns=moments.variables["turns"],
        used=_used(lab, moments),
        settled=_settled(moments),
        gates=_gates(lab, [kind for kind in CHECKS if kind not in REPORT_CHECKS]),
        tracer_gates=_gates(lab, TRACE_CHECKS),
    )


def plan_command_line_cover(lab: Lab, file: str) -> CommandLineCover:
    """The first lines of `lab.mjs`, and the path of the loop."""
    module = _head(f"The command line of the lab, which is given: {lab.title}")
    return CommandLineCover(module, javascript_text(f"./{file}"))


def plan_command_line(lab: Lab, hidden: bool) -> CommandLine:
    """The plan of `lab.mjs`."""
    settings = settings_of(budget.name for budget in lab.budgets)
    first = shown_fixtures(lab, hidden)[0]
    limits = [(javascript_key(name), javascript_text(setting)) for name, setting in settings.items()]
    constants = (
        ("FIRST_FIXTURE", javascript_text(f"{first.id}.json")),
        ("REASONS", _reasons(lab)),
        ("LIMITS", expanded(limits)),
    )
    declared = [(text(f"const {name} = "), value, text(";")) for name, value in constants]
    return CommandLine(
        constants=shown(lines(declared)),
        workspace=lab.workspace is not None,
    )


def plan_tools_cover(lab: Lab) -> ToolsCover:
    """The first lines of `tools.mjs`."""
    return ToolsCover(_head(f"The tools of the lab, which are given: {lab.title}"))


def plan_tools(lab: Lab) -> ToolsFile:
    """The plan of `tools.mjs`."""
    moments = Moments(lab)
    return ToolsFile(
        tools=shown(expanded((javascript_key(tool.name), _tool(tool)) for tool in lab.tools)),
        workspace=moments.reads_files,
        scripted=moments.has_scripted,
        error_chars=lab.errors.max_chars,
        error_otherwise=javascript_text(lab.errors.otherwise),
    )


def plan_report(lab: Lab, solved: bool) -> ReportFile:
    """The plan of `report.mjs`."""
    return ReportFile(solved, _gates(lab, REPORT_CHECKS))


def plan_own_tests_cover(loop: str, file: str) -> OwnTestsCover:
    """The path of the loop that the student's tests import, and the name of their own file."""
    return OwnTestsCover(JavaScript(f"./{loop}"), JavaScript(file))


def plan_own_tests(lab: Lab, solved: bool) -> OwnTests:
    """The student's own test file: an example to start from, or a test for each fixture."""
    fixtures = shown_fixtures(lab, hidden=False)
    cases = tuple(map(_own_case, fixtures if solved else fixtures[:1]))
    gates = _head(earned_words(lab.own_test_gates)) if lab.own_test_gates else None
    return OwnTests(solved, cases, gates)


# --- comments ---


def _head(sentence: str) -> JavaScript:
    return shown(Comment(tuple(javascript_words(sentence))))


def _gates(lab: Lab, kinds: Collection[str]) -> JavaScript:
    """A comment in a function that says which gates have checks of these kinds."""
    earned = [gate for gate in lab.rubric if {check.kind for check in gate.checks} & set(kinds)]
    words = javascript_words(earned_words(earned))
    return shown(Comment(tuple(words)), indent=2, before=2)


# --- the loop ---


def _tools_import(moments: Moments) -> JavaScript:
    names = ["callTool", "failure", "lookAt"]
    names = ["Workspace", *names] if moments.reads_files else names
    return JavaScript(f'import {{ {", ".join(names)} }} from "./tools.mjs";')


def _default_budget(lab: Lab, settings: dict[str, JavaScript]) -> JavaScript:
    pairs: list[tuple[JavaScript, Doc]] = [
        (settings[budget.name], JavaScript(str(budget.limit))) for budget in lab.budgets
    ]
    about = "/** What a run may use up. */"
    if lab.workspace is not None:
        about = "/** What a run may use up, and the folders that its tools may work in. */"
        roots = listed("[", [javascript_text(root) for root in lab.workspace.roots], "]")
        pairs.append((text("allowedRoots"), roots))
    declared = (text("export const DEFAULT_BUDGET = "), expanded(pairs), text(";"))
    return shown(lines([text(about), declared]))


def _closing_events(lab: Lab) -> JavaScript:
    events = {reason.name: CLOSING_EVENTS[reason.kind] for reason in lab.taxonomy}
    events.setdefault(CRASH, "error")
    pairs = [(javascript_key(name), javascript_text(event)) for name, event in events.items()]
    about = text("/** The event that closes the trace, for each reason why a loop can stop. */")
    return shown(lines([about, (text("const CLOSING_EVENTS = "), expanded(pairs), text(";"))]))


def _limits(settings: dict[str, JavaScript]) -> JavaScript:
    pairs = [(javascript_key(name), JavaScript.of("settings.{}", setting)) for name, setting in settings.items()]
    return shown(expanded(pairs), indent=2)


def _used(lab: Lab, moments: Moments) -> JavaScript:
    pairs = [(javascript_key(budget.name), _use(budget, moments)) for budget in lab.budgets]
    return shown(expanded(pairs), indent=6)


def _use(budget: Budget, moments: Moments) -> Doc:
    """How much of a budget was used. What crossed the limit was not granted, so it is not use."""
    limit = JavaScript.of("limits.{}", javascript_name(budget.name))
    meters = [moments.variables[name] for name in budget.meters if name in moments.variables]
    if len(meters) > 1:
        return _call("Math.min", [_call("Math.max", meters), limit])
    return _call("Math.min", [*(meters or [text("0")]), limit])


def _settled(moments: Moments) -> JavaScript:
    """What the promise of a run that is done resolves to."""
    told = {"turns": "turns", "toolCalls": "tool_calls", "writeBytes": "write_bytes"}
    pairs = ["ok: true", "reason"]
    for name, meter in told.items():
        if meter in moments.variables:
            variable = moments.variables[meter]
            pairs.append(name if variable == name else f"{name}: {variable}")
    return JavaScript(f"{{ {', '.join([*pairs, 'tracer'])} }}")


def _indented(doc: Doc, columns: int) -> JavaScript:
    return JavaScript.of("{}{}", JavaScript(" " * columns), shown(doc, indent=columns, before=columns))


# --- the command line and the tools ---


def _reasons(lab: Lab) -> Doc:
    return expanded(
        (
            javascript_key(reason.name),
            flat_object(
                [
                    (text("kind"), javascript_text(reason.kind)),
                    (text("exitCode"), JavaScript(str(reason.exit_code))),
                ]
            ),
        )
        for reason in lab.taxonomy
    )


def _tool(tool: Tool) -> Doc:
    kind = (text("kind"), javascript_text(tool.kind))
    if tool.command is None:
        return flat_object([kind])
    return expanded(
        [
            kind,
            (text("argv"), listed("[", [javascript_text(word) for word in tool.command.argv], "]")),
            (text("seconds"), JavaScript(str(tool.command.seconds))),
            (text("error"), javascript_text(tool.command.error)),
        ]
    )


# --- the student's tests ---


def _own_case(fixture: Fixture) -> JavaScript:
    ending = fixture.ending
    names = listed("[", [javascript_text(name) for name in ending.tool_names], "]")
    error = text("null") if ending.last_error is None else javascript_text(ending.last_error)
    played = _call("await playFixture", [javascript_text(fixture.id), text("program")])
    body: list[Doc] = [
        (text("const { record } = "), played, text(";")),
        _equal("reason", javascript_text(ending.reason)),
        _equal("turns", JavaScript(str(ending.turns))),
        (text("assert.deepEqual(record.tool_names, "), names, text(");")),
        _equal("last_error", error),
    ]
    head = JavaScript.of("test({}, async () =>", javascript_text(fixture.title))
    return shown((block(head, body), text(");")))


def _equal(field: str, value: JavaScript) -> Doc:
    return (_call("assert.equal", [text(f"record.{field}"), value]), text(";"))


def _call(function: str, arguments: Sequence[Doc]) -> Doc:
    return (text(function), listed("(", arguments, ")"))
