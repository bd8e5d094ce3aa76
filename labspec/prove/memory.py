"""Tools whose commands are remembered: the same command in a folder with the same content is run once in a proof.

Nearly all mutants give a command the same files to work on, and a command takes a hundred times as long as the rest of
a run. A command is remembered by its words and by everything that stands in the sandbox when it starts, whatever a
fixture says of that, so it may not depend on anything else: no clock, no chance, no network. Labs are asked for such
commands anyway, or no test of theirs could be trusted. The solution and the reference runner run theirs for real.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from labspec.machine.runner import Machine, Result, WorkspaceTools

MAX_BYTES = 4 * 1024 * 1024
"""How much may stand in a sandbox whose commands are remembered."""


class Entry(NamedTuple):
    """A file with its bytes, a link with its target, or a folder."""

    kind: Literal["file", "link", "folder"]
    mode: int
    content: bytes = b""


State: TypeAlias = dict[str, Entry]
"""Everything that stands in a folder, by its path in it."""


class RememberingTools(WorkspaceTools):
    """Tools that work in `root`, and look up in the folder `memory` what a command has done before.

    `environment` is that of the commands which are run. Several processes can share a memory.
    """

    def __init__(self, machine: Machine, root: Path, *, memory: Path, environment: Mapping[str, str]) -> None:
        super().__init__(machine, root)
        self._memory = memory
        self._environment = environment

    def run(self, name: str, step: Mapping[str, Any]) -> Result:
        """Run a call that has no problem, or do what it did the last time."""
        tool = self.machine.tools[name]
        if tool["kind"] != "command":
            return super().run(name, step)
        before = read_state(self.root.parent)
        if before is None:
            return self._run_for_real(name, step)
        place = self._memory / f"{_digest(tool, self.root.name, before)}.json"
        with contextlib.suppress(FileNotFoundError):
            return _repeat(json.loads(place.read_text(encoding="ascii")), self.root.parent)
        result = self._run_for_real(name, step)
        after = read_state(self.root.parent)
        if after is not None:
            _remember(place, result, before, after)
        return result

    def _run_for_real(self, name: str, step: Mapping[str, Any]) -> Result:
        with environment_of(self._environment):
            return super().run(name, step)


@contextlib.contextmanager
def environment_of(environment: Mapping[str, str]) -> Iterator[None]:
    """The environment of this process is another one for a while."""
    own = dict(os.environ)
    try:
        os.environ.clear()
        os.environ.update(environment)
        yield
    finally:
        os.environ.clear()
        os.environ.update(own)


def read_state(folder: Path) -> State | None:
    """Everything in `folder`; None if it is too much, can't be read, or can't be made again."""
    state: State = {}
    room = MAX_BYTES
    try:
        for path in _paths(os.fspath(folder)):
            entry = _entry(path)
            room -= len(entry.content) if entry is not None else 0
            if entry is None or room < 0:
                return None
            state[os.path.relpath(path, folder)] = entry
    except OSError:
        return None
    return state


def _paths(folder: str) -> Iterator[str]:
    """Every path below `folder`. Links are not followed. Raises OSError."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        yield entry.path
        if entry.is_dir(follow_symlinks=False):
            yield from _paths(entry.path)


def _entry(path: str) -> Entry | None:
    seen = os.lstat(path)
    mode = stat.S_IMODE(seen.st_mode)
    if stat.S_ISLNK(seen.st_mode):
        return Entry("link", 0, os.fsencode(Path(path).readlink()))
    if stat.S_ISDIR(seen.st_mode):
        return Entry("folder", mode)
    if stat.S_ISREG(seen.st_mode) and seen.st_size <= MAX_BYTES:
        return Entry("file", mode, Path(path).read_bytes())
    return None


def _digest(tool: Mapping[str, Any], folder: str, before: State) -> str:
    """The name under which a command is remembered that starts in `folder` of a sandbox."""
    asked = (tool["argv"], tool["seconds"], tool["error"], folder, list(before.items()))
    return hashlib.sha256(repr(asked).encode("utf-8", "surrogateescape")).hexdigest()


def _remember(place: Path, result: Result, before: State, after: State) -> None:
    """Write down what a command did. The file is there as a whole or not at all."""
    gone = [path for path, entry in before.items() if path not in after or after[path].kind != entry.kind]
    made = [
        [path, entry.kind, entry.mode, entry.content.decode("latin-1")]
        for path, entry in after.items()
        if before.get(path) != entry
    ]
    done = {"result": list(result), "gone": gone, "made": made}
    temporary = place.with_name(f"{place.name}.{os.getpid()}")
    temporary.write_text(json.dumps(done), encoding="ascii")
    temporary.replace(place)


def _repeat(done: Mapping[str, Any], folder: Path) -> Result:
    """Do to `folder` what a command did to one like it. Raises OSError."""
    for path in reversed(done["gone"]):  # what stands in a folder goes before it
        place = folder / path
        if place.is_dir() and not place.is_symlink():
            place.rmdir()
        else:
            place.unlink()
    for path, *entry in done["made"]:
        _make(folder / path, entry)
    return Result(*done["result"])


def _make(place: Path, entry: Sequence[Any]) -> None:
    kind, mode, text = entry
    content = text.encode("latin-1")
    if kind == "link":
        place.unlink(missing_ok=True)
        place.symlink_to(os.fsdecode(content))
        return
    if kind == "folder":
        place.mkdir(exist_ok=True)
    else:
        place.write_bytes(content)
    place.chmod(mode)
