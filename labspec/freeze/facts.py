"""What a planner is told about a lab: its tools. Students get it as `planner.json`; `labspec freeze` uses it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from labspec.lab.model import Lab, Tool

_BUILTIN: Final = {
    "read_file": (["file"], "Reads a text file; you see how it begins."),
    "write_file": (["file", "contents"], "Replaces the whole text of a file."),
}


def has_planner(lab: Lab) -> bool:
    """Whether a repository of the lab gets a planner: its tools really run, and a trace shows what they came to."""
    return lab.traced and any(tool.kind != "scripted" for tool in lab.tools)


def real_tools(lab: Lab) -> list[dict[str, Any]]:
    """The tools that really run: name, names of the arguments, and what each is for."""
    return [_tool(tool) for tool in lab.tools if tool.kind != "scripted"]


def planner_facts(lab: Lab) -> dict[str, Any]:
    """The content of `planner.json`."""
    return {"lab": lab.id, "tools": real_tools(lab)}


def _tool(tool: Tool) -> dict[str, Any]:
    arguments, says = _BUILTIN.get(tool.name, ([], "Runs a program; it passes or it fails."))
    return {"name": tool.name, "args": list(arguments), "says": tool.says or says}
