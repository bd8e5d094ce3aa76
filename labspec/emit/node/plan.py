"""The plan of a repository whose loop is written in JavaScript: its own files, beside those that all targets share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.encode import Markdown
from labspec.emit.handout import TargetWords
from labspec.emit.layout import json_file
from labspec.emit.node.encode import JavaScript
from labspec.emit.node.files import (
    CommandLine,
    LoopFile,
    OwnTests,
    ReportFile,
    ToolsFile,
    plan_command_line,
    plan_command_line_cover,
    plan_loop,
    plan_loop_cover,
    plan_own_tests,
    plan_own_tests_cover,
    plan_report,
    plan_tools,
    plan_tools_cover,
)
from labspec.emit.node.names import settings_of
from labspec.emit.outputs import Copied, Edition, Output, Printed, Serialized
from labspec.emit.reach import reach
from labspec.emit.repository import contract_tests, gitignore, handout, is_solved, lab_file, owner_of, workspace_files
from labspec.emit.shared import shared
from labspec.emit.suite import own_tests_file
from labspec.emit.tool_words import arguments_of, says_of

if TYPE_CHECKING:
    from labspec.lab.model import Lab, Part


def plan_node(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    """The files of a repository in JavaScript."""
    return (
        *handout(lab, edition, _words(lab)),
        *_code(lab, edition),
        *_tool_code(lab),
        *contract_tests(lab, edition),
        lab_file(lab),
        *_bookkeeping(lab),
    )


def loop_file(lab: Lab) -> str:
    """The student's file."""
    return f"{lab.id}.mjs"


def _words(lab: Lab) -> TargetWords:
    parts = lab.starter
    settings = settings_of(budget.name for budget in lab.budgets)
    files = (
        (_loop_part(lab), f"`{loop_file(lab)}`: the loop and its trace"),
        (parts.report, "`report.mjs`: the fuel report"),
        (parts.tests, f"`{own_tests_file(lab)}`: tests of your own"),
    )
    return TargetWords(
        needs=Markdown("You need Node 20 or newer, and for the tests Python 3.10 or newer with pytest."),
        runner=Markdown("node lab.mjs"),
        own_tests=Markdown(f"node --test {own_tests_file(lab)}"),
        known_tools=Markdown("in `TOOLS` of `tools.mjs`"),
        constants=tuple(f"DEFAULT_BUDGET.{setting}" for setting in settings.values()),
        writes=tuple(Markdown(text) for part, text in files if part == "todo"),
        planner=Markdown("node planner.mjs") if lab.workspace is not None else None,
    )


def loop_output(lab: Lab, shown: Lab, edition: Edition) -> Printed:
    """The loop's file, with the loop of the lab that is `shown`."""
    return _loop_output(lab, _plan_loop(lab, shown, edition))


def _plan_loop(lab: Lab, shown: Lab, edition: Edition) -> LoopFile:
    return plan_loop(shown, is_solved(lab.starter.loop, edition), is_solved(lab.starter.ledger, edition))


def _loop_output(lab: Lab, loop: LoopFile) -> Printed:
    file, owner = loop_file(lab), owner_of(_loop_part(lab))
    return Printed(file, "node/loop.mjs", JavaScript, loop, owner, plan_loop_cover(lab, file))


def _code(lab: Lab, edition: Edition) -> tuple[Output, ...]:
    code, loop, tests = _planned(lab, edition), loop_file(lab), own_tests_file(lab)
    main, tests_cover = plan_command_line_cover(lab, loop), plan_own_tests_cover(loop, tests)
    return (
        _loop_output(lab, code.loop),
        Printed("lab.mjs", "node/lab.mjs", JavaScript, code.command_line, cover=main),
        Printed("tools.mjs", "node/tools.mjs", JavaScript, code.tools, cover=plan_tools_cover(lab)),
        Printed("report.mjs", "node/report.mjs", JavaScript, code.report, owner_of(lab.starter.report)),
        Printed(tests, "node/loop.test.mjs", JavaScript, code.own_tests, "student", tests_cover),
    )


class _Code(NamedTuple):
    """What the files with code have beside what depends on the lab's cover."""

    loop: LoopFile
    command_line: CommandLine
    tools: ToolsFile
    report: ReportFile
    own_tests: OwnTests


@shared
def _planned(lab: Lab, edition: Edition) -> _Code:
    parts, whole = lab.starter, lab.solved()
    return _Code(
        loop=_plan_loop(lab, whole if edition.solution else lab, edition),
        command_line=plan_command_line(whole, edition.hidden),
        tools=plan_tools(whole),
        report=plan_report(lab, is_solved(parts.report, edition)),
        own_tests=plan_own_tests(lab, is_solved(parts.tests, edition)),
    )


def _loop_part(lab: Lab) -> Part:
    """The record is part of the loop's file here: it is the tracer."""
    return "todo" if "todo" in (lab.starter.loop, lab.starter.ledger) else "given"


def _tool_code(lab: Lab) -> tuple[Output, ...]:
    """The files that tools work on, and the live planner, with what it tells a model about the tools."""
    if lab.workspace is None:
        return ()
    tools = [{"name": tool.name, "args": list(arguments_of(tool)), "says": says_of(tool)} for tool in lab.tools]
    return (
        *workspace_files(lab),
        Copied("planner.mjs", "template", "node/planner.mjs"),
        Serialized("planner.json", json_file({"lab": lab.id, "tools": tools})),
    )


def _bookkeeping(lab: Lab) -> tuple[Output, ...]:
    attributes = ".gitattributes" if lab.workspace is None else "workspace.gitattributes"
    return (
        Serialized("package.json", _package(lab)),
        Copied("pytest.ini", "template", "node/pytest.ini"),
        gitignore(lab, "node/.gitignore"),
        Copied("requirements-dev.txt", "template", "python/requirements-dev.txt"),
        Copied(".gitattributes", "template", f"python/{attributes}"),
        *reach(lab),
    )


def _package(lab: Lab) -> str:
    """There is nothing to install: `npm start` and `npm test` are only shorter words."""
    settings = {
        "name": lab.id,
        "version": lab.version,
        "description": lab.title,
        "private": True,
        "type": "module",
        "engines": {"node": ">=20"},
        "scripts": {"start": f"node {loop_file(lab)}", "test": f"node --test {own_tests_file(lab)}"},
    }
    return json.dumps(settings, indent=2) + "\n"
