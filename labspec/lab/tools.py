"""Resolve tools and the workspace they work on: programs that may be named, paths that stay inside."""

from __future__ import annotations

from typing import Final

from labspec.lab.model import Command, Tool, Workspace
from labspec.lab.places import Places, Step
from labspec.spec.loop import LoopSpec, ToolSpec

BUILTIN_TOOLS: Final = ("read_file", "write_file")
PROGRAMS: Final = ("python", "node")
"""The first word of a command: the languages of the targets, and nothing else that a machine may or may not have."""

SECONDS: Final = 10
FAILED: Final = "command_failed"
_STRANGE: Final = frozenset('\\\\:*?"<>|')
"""Characters that some file system does not allow in a name."""


def resolve_tools(spec: LoopSpec, places: Places) -> tuple[Tool, ...]:
    """The tools. Reports what a tool of its kind can't be."""
    for name, tool in spec.tools.items():
        _check_tool(name, tool, places)
        if tool.kind != "scripted" and spec.workspace is None:
            message = f"the tool `{name}` really runs, and the lab has no workspace for it"
            places.key_error(
                "no-workspace", message, "tools", name, help="add `workspace: {roots: [...], files: {...}}`"
            )
    return tuple(_tool(name, tool) for name, tool in spec.tools.items())


def _tool(name: str, tool: ToolSpec) -> Tool:
    if tool.kind != "command":
        return Tool(name, tool.kind, tool.says)
    command = Command(tuple(tool.argv or ()), tool.seconds or SECONDS, tool.error or FAILED)
    return Tool(name, tool.kind, tool.says, command)


def _check_tool(name: str, tool: ToolSpec, places: Places) -> None:
    path = ("tools", name)
    if tool.kind == "builtin" and name not in BUILTIN_TOOLS:
        message = f"there is no builtin tool `{name}`"
        places.key_error("unknown-builtin", message, *path, help="builtin tools are `read_file` and `write_file`")
    if tool.kind == "command" and tool.argv is None:
        places.error("missing-key", f"the tool `{name}` is a command and needs the key `argv`", *path)
    if tool.kind == "command" and tool.argv and tool.argv[0] not in PROGRAMS:
        message = f"the command of the tool `{name}` starts with `{tool.argv[0]}`"
        places.error("unknown-program", message, *path, "argv", 0, help="a command starts with `python` or `node`")
    for key in ("argv", "seconds", "error"):
        if tool.kind != "command" and key in tool.model_fields_set:
            message = f"the tool `{name}` is {tool.kind} and has no `{key}`"
            places.key_error("unknown-key", message, *path, key, help="only a tool of kind `command` has it")


def resolve_workspace(spec: LoopSpec, places: Places) -> Workspace | None:
    """The workspace, if there is one. Reports paths that could leave it or that some system can't hold."""
    if spec.workspace is None:
        return None
    for path in spec.workspace.files:
        check_path(path, places, "workspace", "files", path)
    for index, root in enumerate(spec.workspace.roots):
        check_path(root.rstrip("/"), places, "workspace", "roots", index, is_key=False)
    _check_no_file_is_a_folder(list(spec.workspace.files), places)
    return Workspace(tuple(spec.workspace.roots), tuple(spec.workspace.files.items()))


def check_path(path: str, places: Places, *at: Step, is_key: bool = True) -> None:
    """Report a path of a file in the workspace that is not plain: relative, with `/`, and inside."""
    parts = path.split("/")
    wrong = any(part in ("", ".", "..") or part.endswith((".", " ")) or set(part) & _STRANGE for part in parts)
    if wrong or len(path) > 200:
        report = places.key_error if is_key else places.error
        advice = "a path is relative to the workspace, with `/` between plain names"
        report("bad-path", f"`{path}` can't be a path in the workspace", *at, help=advice)


def _check_no_file_is_a_folder(paths: list[str], places: Places) -> None:
    known = {path.casefold(): path for path in paths}
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            above = known.get("/".join(parts[:depth]).casefold())
            if above is not None:
                message = f"`{above}` is a file, and `{path}` would lie in it"
                places.key_error("bad-path", message, "workspace", "files", path)
        if known[path.casefold()] != path:
            message = f"`{path}` and `{known[path.casefold()]}` are one file on some systems"
            places.key_error("bad-path", message, "workspace", "files", path)
