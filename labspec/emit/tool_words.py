"""The parts of the handout about tools that really run, their workspace, the trace and the fuel report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.encode import Markdown, json_text, markdown_cell_code, markdown_code, markdown_text
from labspec.emit.layout import json_value
from labspec.machine.runner import CLOSING_EVENTS, TRACED_CHARS, closing_event, fuel_report

if TYPE_CHECKING:
    from labspec.lab.model import Fixture, Lab, Tool

Rows = tuple[tuple[Markdown, ...], ...]
"""The cells of a table, row by row."""

_ARGUMENTS = {"read_file": ("file",), "write_file": ("file", "contents")}
_DOES = {
    "read_file": "Reads a text file.",
    "write_file": "Replaces a text file as a whole, or makes one in a folder that is there.",
}
_FAILS = {"read_file": "not_readable", "write_file": "not_writable"}


class WorkspaceText(NamedTuple):
    """What the handout says of the workspace and the tools that work in it.

    `tools` has for each real tool its name, its arguments, what it does and the code of its failure.
    """

    roots: Markdown
    files: tuple[Markdown, ...]
    tools: Rows
    takes_files: bool
    runs_commands: bool


class TraceText(NamedTuple):
    """What the handout says of the trace: how it closes for each kind of reason, an example, and its fuel report."""

    closings: Rows
    real_tools: bool
    scripted_tools: bool
    longest_text: int
    example: Markdown
    closing_json: Markdown
    report: tuple[Markdown, ...]


def plan_workspace(lab: Lab) -> WorkspaceText | None:
    """The words about the workspace, None if the lab has none."""
    if lab.workspace is None:
        return None
    kinds = {tool.kind for tool in lab.tools}
    return WorkspaceText(
        roots=Markdown.joined(", ", map(markdown_code, lab.workspace.roots)),
        files=tuple(markdown_code(f"workspace/{path}") for path, _ in lab.workspace.files),
        tools=tuple(_tool(tool) for tool in lab.tools if tool.kind != "scripted"),
        takes_files="builtin" in kinds,
        runs_commands="command" in kinds,
    )


def _tool(tool: Tool) -> tuple[Markdown, ...]:
    arguments = Markdown.joined(", ", map(markdown_cell_code, arguments_of(tool)))
    if tool.command is None:
        does, fails = markdown_text(tool.says or _DOES[tool.name]), _FAILS[tool.name]
    else:
        command = markdown_cell_code(" ".join(tool.command.argv))
        runs = Markdown.of("Runs {}, for at most {} seconds.", command, tool.command.seconds)
        does = runs if tool.says is None else Markdown.of("{}<br>{}", markdown_text(tool.says), runs)
        fails = tool.command.error
    return (markdown_cell_code(tool.name), arguments, does, markdown_cell_code(fails))


def arguments_of(tool: Tool) -> tuple[str, ...]:
    """The names of the arguments that a tool needs."""
    return _ARGUMENTS[tool.name] if tool.kind == "builtin" else ()


def says_of(tool: Tool) -> str:
    """What a tool is for, in one sentence."""
    return tool.says or _DOES.get(tool.name, "A tool of the lab.")


def plan_trace(lab: Lab, example: Fixture) -> TraceText | None:
    """The words about the trace, with that of a fixture as the example; None if runs leave none."""
    closing = closing_event(list(example.trace))
    if not lab.traced or closing is None:
        return None
    kinds = {tool.kind for tool in lab.tools}
    return TraceText(
        closings=tuple(
            (markdown_cell_code(event), Markdown.joined(", ", map(markdown_cell_code, names)))
            for event, names in _closings(lab).items()
        ),
        real_tools=kinds != {"scripted"},
        scripted_tools="scripted" in kinds,
        longest_text=TRACED_CHARS,
        example=markdown_code(f"fixtures/{example.id}.json"),
        closing_json=Markdown(json_value(closing)),
        report=tuple(Markdown(json_text(line)[1:-1]) for line in fuel_report(closing)),
    )


def _closings(lab: Lab) -> dict[str, list[str]]:
    """The reasons that each type of closing event stands for."""
    found: dict[str, list[str]] = {}
    for reason in lab.taxonomy:
        found.setdefault(CLOSING_EVENTS[reason.kind], []).append(reason.name)
    return found
