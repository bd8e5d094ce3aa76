"""The plan of `tools.py`: the tools of a lab that really run, and the workspace they work in.

Only what the lab's tools need becomes code: a lab without commands starts no program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.encode import Python, python_text, python_value
from labspec.emit.layout import INDENT, WIDTH, call, indented, value
from labspec.emit.loop import tools_constant

if TYPE_CHECKING:
    from labspec.lab.model import Command, Lab


class ToolsFile(NamedTuple):
    """What the template of `tools.py` is given.

    `commands` is the statement that names the programs, empty if there are none; `builtin` the names of the tools for
    files, of which `others` are not; `dispatch` the statements that run a call without a problem.
    """

    imports: tuple[Python, ...]
    constants: tuple[Python, ...]
    commands: Python
    reads: bool
    writes: bool
    scripted: bool
    others: bool
    builtin: Python
    dispatch: tuple[Python, ...]
    error_chars: int | None
    error_otherwise: Python


def plan_tools(lab: Lab) -> ToolsFile:
    """The plan of `tools.py` for a lab with a workspace."""
    kinds = {tool.kind for tool in lab.tools}
    names = {tool.name for tool in lab.tools if tool.kind == "builtin"}
    return ToolsFile(
        imports=_imports(commands="command" in kinds),
        constants=_constants(lab),
        commands=_commands(lab),
        reads="read_file" in names,
        writes="write_file" in names,
        scripted="scripted" in kinds,
        others=bool(kinds - {"builtin"}),
        builtin=python_value(tuple(sorted(names))),
        dispatch=_dispatch(lab),
        error_chars=lab.errors.max_chars,
        error_otherwise=python_text(lab.errors.otherwise),
    )


def _imports(*, commands: bool) -> tuple[Python, ...]:
    modules = {"os"} | ({"contextlib", "signal", "subprocess", "sys"} if commands else set())
    plain = [Python(f"import {module}") for module in sorted(modules)]
    froms = (
        "collections.abc import Sequence",
        "dataclasses import dataclass",
        "pathlib import Path",
        "typing import Any",
    )
    return (*plain, *(Python(f"from {words}") for words in froms))


def _constants(lab: Lab) -> tuple[Python, ...]:
    scripted = tuple(tool.name for tool in lab.tools if tool.kind == "scripted")
    if not scripted:
        return (tools_constant(lab),)
    names = Python.of("SCRIPTED = {}", value(scripted, before=len("SCRIPTED = ")))
    limit = Python.of("LONGEST_ERROR = {}", lab.errors.max_chars or 0)
    found = ((tools_constant(lab), True), (names, len(scripted) < len(lab.tools)), (limit, bool(lab.errors.max_chars)))
    return tuple(constant for constant, needed in found if needed)


def _commands(lab: Lab) -> Python:
    entries = [_command(tool.name, tool.command) for tool in lab.tools if tool.command is not None]
    return Python.joined("\n", [Python("COMMANDS = {"), *entries, Python("}")]) if entries else Python("")


def _command(name: str, command: Command) -> Python:
    """An entry of the dict of commands, with its comma."""
    head = Python.of("{}: Command", python_text(name))
    rest = [Python.of("seconds={}", command.seconds), Python.of("error={}", python_text(command.error))]
    inner = INDENT + INDENT
    argv = value(command.argv, before=inner, after=1, indent=inner)
    lines = call(head, [python_value(command.argv), *rest], INDENT, after=1)
    if len(lines) > 3 or any(INDENT + len(line) > WIDTH for line in lines):
        lines = [
            Python.of("{}(", head),
            *indented([Python.of("{},", part) for part in (argv, *rest)], INDENT),
            Python(")"),
        ]
    return Python.of("{},", Python.joined("\n", indented(lines, INDENT)))


def _dispatch(lab: Lab) -> tuple[Python, ...]:
    """One branch for each kind of tool; the last needs no condition, because the tool is known."""
    names = {tool.name for tool in lab.tools if tool.kind == "builtin"}
    kinds = {tool.kind for tool in lab.tools}
    branches = {
        'call.name == "read_file"': "self.read_file(call.path)" if "read_file" in names else "",
        'call.name == "write_file"': (
            'self.write_file(call.path, call.step["args"]["contents"])' if "write_file" in names else ""
        ),
        "call.name in COMMANDS": "self.run_command(COMMANDS[call.name])" if "command" in kinds else "",
        "": "scripted_result(call.step)" if "scripted" in kinds else "",
    }
    found = [(condition, act) for condition, act in branches.items() if act]
    lines = [line for condition, act in found[:-1] for line in (f"if {condition}:", f"    return {act}")]
    return tuple(Python(line) for line in (*lines, f"return {found[-1][1]}"))
