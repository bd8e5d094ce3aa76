"""The tools of the lab, and the workspace they work in. This file is given.

The loop asks a workspace twice about a call: `look` says what can be seen of it before
it runs, and `run` runs it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOOLS = ("read_file", "write_file", "run_tests")


@dataclass(frozen=True)
class Command:
    """A program that a tool runs, and the code of its failure.

    It may take so many seconds. "python" is the Python that runs the loop.
    """

    argv: tuple[str, ...]
    seconds: int
    error: str


COMMANDS = {
    "run_tests": Command(("python", "check.py"), seconds=10, error="test_failed"),
}


@dataclass(frozen=True)
class Call:
    """What can be seen of a call before it runs.

    `path` is the file as the model named it, and `inside` tells whether it lies in an
    allowed root. `size` is how many bytes the call would write, `lines` how many lines.
    A call that nothing can run has a `problem`: unknown_tool or bad_arguments.
    """

    name: str
    step: dict[str, Any]
    path: str = ""
    inside: bool = True
    size: int = 0
    lines: int = 0
    problem: str = ""

    @property
    def known(self) -> bool:
        """Whether the lab has such a tool."""
        return self.problem != "unknown_tool"


@dataclass(frozen=True)
class ToolResult:
    """What came of a call: the text for the trace, or the code of the failure."""

    ok: bool
    error: str = ""
    text: str = ""


class Workspace:
    """A folder of files, and the tools that work in it.

    `roots` are the folders in it whose files the model may touch.
    """

    def __init__(self, root: Path, roots: Sequence[str]) -> None:
        self.root = Path(os.path.realpath(root))
        self.roots = [self.real(path) for path in roots]

    def look(self, name: str, step: dict[str, Any]) -> Call:
        """Look at a call before it runs."""
        if name not in TOOLS:
            return Call(name, step, problem="unknown_tool")
        if name not in ("read_file", "write_file"):
            return Call(name, step)
        args = step.get("args")
        args = args if isinstance(args, dict) else {}
        file: Any = args.get("file")
        if not is_text(file) or not file or "\0" in file:
            return Call(name, step, problem="bad_arguments")
        if name == "read_file":
            return Call(name, step, file, self.inside(file))
        contents: Any = args.get("contents")
        if not is_text(contents):
            return Call(name, step, problem="bad_arguments")
        size, lines = len(contents.encode("utf-8")), count_lines(contents)
        return Call(name, step, file, self.inside(file), size, lines)

    def run(self, call: Call) -> ToolResult:
        """Run a call. A call with a problem fails with that code."""
        if call.problem:
            return ToolResult(ok=False, error=call.problem)
        if call.name == "read_file":
            return self.read_file(call.path)
        if call.name == "write_file":
            return self.write_file(call.path, call.step["args"]["contents"])
        return self.run_command(COMMANDS[call.name])

    def inside(self, path: str) -> bool:
        """Whether a path lies in an allowed root, wherever its links may lead.

        Parts of paths are compared, not letters: `roots-evil` does not lie in `roots`.
        """
        real = self.real(path)
        return any(real.is_relative_to(root) for root in self.roots)

    def real(self, path: str) -> Path:
        """Where a path leads when all links are followed, also those behind a circle."""
        real = os.path.realpath(self.root / path)
        while (again := os.path.realpath(real)) != real:
            real = again
        return Path(real)

    def reachable(self, path: str) -> Path | None:
        """The real path, None if it lies beyond the folder that holds the workspace.

        Your loop refuses what it may not touch. This is the net below the rope.
        """
        real = self.real(path)
        return real if real.is_relative_to(self.root.parent) else None

    def read_file(self, file: str) -> ToolResult:
        """The text of a file."""
        path = self.reachable(file)
        try:
            if path is not None and path.is_file():
                return ToolResult(ok=True, text=path.read_bytes().decode("utf-8"))
        except (OSError, ValueError):
            pass  # it cannot be read, or is no text: the code below says so
        return ToolResult(ok=False, error="not_readable")

    def write_file(self, file: str, contents: str) -> ToolResult:
        """Replace the text of a file. If that fails, the old text is still there."""
        path = self.reachable(file)
        data = contents.encode("utf-8")
        try:
            if path is not None and (path.is_file() or not path.exists()):
                replace_file(path, data)
                return ToolResult(ok=True, text=f"wrote {len(data)} bytes")
        except OSError:
            pass  # it cannot be written: the code below says so
        return ToolResult(ok=False, error="not_writable")

    def run_command(self, command: Command) -> ToolResult:
        """Run a program in the workspace. Only exit code 0 in time is a success."""
        program, *words = command.argv
        quiet = subprocess.DEVNULL
        try:
            process = subprocess.Popen(
                [sys.executable if program == "python" else program, *words],
                cwd=self.root,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                stdin=quiet,
                stdout=quiet,
                stderr=quiet,
                start_new_session=True,
            )
        except OSError:
            return ToolResult(ok=False, error=command.error)
        try:
            passed = process.wait(timeout=command.seconds) == 0
        except subprocess.TimeoutExpired:
            passed = False
        finally:
            end(process)
        if passed:
            return ToolResult(ok=True, text="pass")
        return ToolResult(ok=False, error=command.error)


def is_text(value: Any) -> bool:
    """Whether a value is text that a file can hold: JSON knows halves of characters."""
    if not isinstance(value, str):
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def count_lines(text: str) -> int:
    """How many lines a text has, whether or not the last one is ended."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def replace_file(path: Path, data: bytes) -> None:
    """Write a file beside the old one and put it in its place: nobody sees half of it."""
    import tempfile  # here, because most runs write nothing, and it takes a while

    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".write-")
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program and, where the system has groups of them, all that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
