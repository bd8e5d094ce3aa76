"""The plan of a repository whose loop is written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.encode import Markdown, Python, Toml, python_comment, python_text, toml_text
from labspec.emit.handout import TargetWords
from labspec.emit.layout import WIDTH, json_file, value
from labspec.emit.loop import (
    APPEND_CHECKS,
    LINE_CHECKS,
    REPORT_CHECKS,
    ModuleCover,
    earned_comment,
    plan_loop,
    plan_module_cover,
)
from labspec.emit.outputs import Copied, Edition, Output, Printed, Serialized
from labspec.emit.reach import reach
from labspec.emit.repository import (
    contract_tests,
    gitignore,
    handout,
    is_solved,
    lab_file,
    owner_of,
    with_covers,
    workspace_files,
)
from labspec.emit.shared import shared
from labspec.emit.suite import own_tests_file, plan_own_tests
from labspec.emit.tool_words import arguments_of, says_of
from labspec.emit.tools import plan_tools
from labspec.machine.runner import CLOSING_EVENTS, closing_event, fuel_report

if TYPE_CHECKING:
    from labspec.lab.model import Lab


class RecordFile(NamedTuple):
    """What the template of `loop_exit.py` is given."""

    solved: bool
    reasons: Python
    line_gates: Python
    append_gates: Python


class CommandLine(NamedTuple):
    """What the template of `lab.py` is given beside its first lines."""

    exit_codes: Python
    traced: bool
    workspace: bool


class TraceFile(NamedTuple):
    """What the template of `loop_trace.py` is given."""

    closing_events: Python


class ModelFile(NamedTuple):
    """What the template of `model.py` is given."""

    script_ends_with_stop: bool


class ReportFile(NamedTuple):
    """What the template of `report.py` is given; `example` is a report of the lab."""

    solved: bool
    example: tuple[Python, ...]
    gates: Python


class Project(NamedTuple):
    """What the template of `pyproject.toml` is given."""

    name: Toml
    version: Toml
    description: Toml
    modules: Toml
    workspace: bool


def plan_python(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    """The files of a repository in Python."""
    covers = {
        "run_loop.py": _loop_cover(lab),
        "lab.py": plan_module_cover("The command line of the lab, which is given", lab),
    }
    return (
        *handout(lab, edition, _words(lab)),
        *with_covers(_code(lab, edition), covers),
        *_tool_files(lab),
        *contract_tests(lab, edition),
        lab_file(lab),
        *_bookkeeping(lab),
    )


def _words(lab: Lab) -> TargetWords:
    parts = lab.starter
    files = (
        (parts.loop, "`run_loop.py`: the loop"),
        (parts.ledger, "`loop_exit.py`: how an exit becomes a line in the ledger"),
        (parts.report if lab.traced else "given", "`report.py`: the fuel report of a trace"),
        (parts.tests, "`test_loop_exit.py`: tests of your own"),
    )
    node = ", and Node 20 or newer for the commands of the tools" if lab.needs_node else ""
    return TargetWords(
        needs=Markdown(f"You need Python 3.10 or newer, and pytest{node}."),
        runner=Markdown("python lab.py"),
        own_tests=Markdown(f"python -m pytest {own_tests_file(lab)}"),
        known_tools=Markdown("in `TOOLS`"),
        constants=tuple(f"MAX_{budget.name.upper()}" for budget in lab.budgets),
        writes=tuple(Markdown(text) for part, text in files if part == "todo"),
        planner=Markdown("python planner.py") if lab.traced and lab.workspace is not None else None,
    )


def loop_output(lab: Lab, shown: Lab, edition: Edition) -> Printed:
    """The loop's file, with the loop of the lab that is `shown`."""
    return _loop(lab, shown, edition)._replace(cover=_loop_cover(lab))


def _loop_cover(lab: Lab) -> ModuleCover:
    return plan_module_cover("The loop of the lab", lab)


def _loop(lab: Lab, shown: Lab, edition: Edition) -> Printed:
    loop = plan_loop(shown, is_solved(lab.starter.loop, edition))
    return Printed("run_loop.py", "python/run_loop.py", Python, loop, owner_of(lab.starter.loop))


@shared
def _code(lab: Lab, edition: Edition) -> tuple[Printed, ...]:
    """The modules. What depends on the cover is put in afterwards."""
    parts = lab.starter
    whole = lab.solved()
    record = _record_file(whole, is_solved(parts.ledger, edition))
    own_tests = plan_own_tests(lab, is_solved(parts.tests, edition))
    return (
        _loop(lab, whole if edition.solution else lab, edition),
        Printed("loop_exit.py", "python/loop_exit.py", Python, record, owner_of(parts.ledger)),
        Printed("lab.py", "python/lab.py", Python, _command_line(whole)),
        Printed("test_loop_exit.py", "python/test_loop_exit.py", Python, own_tests, "student"),
        *_traced_code(lab, edition),
        *_tool_code(lab),
    )


def _traced_code(lab: Lab, edition: Edition) -> tuple[Printed, ...]:
    if not lab.traced:
        return ()
    part = lab.starter.report
    report = _report_file(lab, is_solved(part, edition))
    return (
        Printed("loop_trace.py", "python/loop_trace.py", Python, _trace_file(lab.solved())),
        Printed("report.py", "python/report.py", Python, report, owner_of(part)),
    )


def _tool_code(lab: Lab) -> tuple[Printed, ...]:
    """The tools that really run, and the models that call them."""
    if lab.workspace is None:
        return ()
    return (
        Printed("tools.py", "python/tools.py", Python, plan_tools(lab.solved())),
        Printed("model.py", "python/model.py", Python, ModelFile(lab.plan_ends == "stop")),
    )


def _tool_files(lab: Lab) -> tuple[Output, ...]:
    """The files that tools work on, and the live planner."""
    if lab.workspace is None:
        return ()
    return (*workspace_files(lab), *(_planner(lab) if lab.traced else ()))


def _planner(lab: Lab) -> tuple[Output, ...]:
    """The live planner, and what it tells a model about the tools."""
    tools = [{"name": tool.name, "args": list(arguments_of(tool)), "says": says_of(tool)} for tool in lab.tools]
    return (
        Copied("planner.py", "template", "python/planner.py"),
        Serialized("planner.json", json_file({"tools": tools})),
    )


def _bookkeeping(lab: Lab) -> tuple[Output, ...]:
    attributes = "python/.gitattributes" if lab.workspace is None else "python/workspace.gitattributes"
    return (
        Printed("pyproject.toml", "python/pyproject.toml", Toml, _project(lab)),
        Copied("requirements-dev.txt", "template", "python/requirements-dev.txt"),
        gitignore(lab, "python/.gitignore"),
        Copied(".gitattributes", "template", attributes),
        *reach(lab),
    )


def _project(lab: Lab) -> Project:
    modules = ["contract", "loop_exit", "run_loop"]
    modules += ["loop_trace", "report"] if lab.traced else []
    modules += ["lab", "model", "tools"] if lab.workspace is not None else []
    return Project(
        name=toml_text(lab.id),
        version=toml_text(lab.version),
        description=toml_text(lab.title),
        modules=Toml.joined(", ", map(toml_text, sorted(modules))),
        workspace=lab.workspace is not None,
    )


def _trace_file(lab: Lab) -> TraceFile:
    events = {reason.name: CLOSING_EVENTS[reason.kind] for reason in lab.taxonomy}
    return TraceFile(Python.of("CLOSING_EVENTS = {}", value(events, before=len("CLOSING_EVENTS = "))))


def _report_file(lab: Lab, solved: bool) -> ReportFile:
    closing = closing_event(list(lab.fixtures[0].trace))
    lines = fuel_report(closing)
    return ReportFile(
        solved=solved,
        example=tuple(python_comment(line) for line in lines),
        gates=earned_comment(lab, REPORT_CHECKS, indent=4),
    )


def _record_file(lab: Lab, solved: bool) -> RecordFile:
    names = [python_text(reason.name) for reason in lab.taxonomy]
    flat = Python.of("ExitReason = Literal[{}]", Python.joined(", ", names))
    lines = [Python("ExitReason = Literal["), *(Python.of("    {},", name) for name in names), Python("]")]
    return RecordFile(
        solved=solved,
        reasons=flat if len(flat) <= WIDTH else Python.joined("\n", lines),
        line_gates=earned_comment(lab, LINE_CHECKS, indent=8),
        append_gates=earned_comment(lab, APPEND_CHECKS, indent=4),
    )


def _command_line(lab: Lab) -> CommandLine:
    codes = {reason.name: reason.exit_code for reason in lab.taxonomy}
    return CommandLine(
        exit_codes=Python.of("EXIT_CODES = {}", value(codes, before=len("EXIT_CODES = "))),
        traced=lab.traced,
        workspace=lab.workspace is not None,
    )
