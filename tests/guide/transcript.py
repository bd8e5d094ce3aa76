"""A guide, followed to the letter: its commands are run, its changes are made, and what comes is what it shows.

Two kinds of block are followed, in their order, from an empty folder:
- `console`: lines after `$` are commands, in which `cd` goes on to hold. What each prints stands below it; a line `...`
  there stands for any lines.
- `diff`: a line `--- FILE`, then, once or more, lines after `-` that stand in the file once, and after `+` what takes
  their place.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FOLDER_IN_PAGES: Final = "/courses"
"""What pages call the folder in which they are followed."""

_BLOCK: Final = re.compile(r"^```(?P<kind>console|diff)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND: Final = re.compile(r"^\$ (?P<command>.+)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_HUNK: Final = re.compile(r"((?:^-.*\n)+)((?:^\+.*\n)*)", re.MULTILINE)
_ANYTHING: Final = "...\n"


def commands(guide: str) -> list[str]:
    """The commands of a guide."""
    blocks = [block["body"] for block in _BLOCK.finditer(guide) if block["kind"] == "console"]
    return [command["command"] for block in blocks for command in _COMMAND.finditer(block)]


def follow(guide: str, folder: Path, environment: Mapping[str, str]) -> str:
    """The guide as it would be if it showed what its commands print now.

    They are run in `folder` by a shell with just this `environment`.
    """
    place = folder

    def run(shown: re.Match[str]) -> str:
        nonlocal place
        command = shown["command"]
        came = _output(command, place, environment).replace(str(folder), FOLDER_IN_PAGES)
        if command.startswith("cd "):
            place = place / command.removeprefix("cd ")
        output = shown["output"] if _is_shown_by(came, shown["output"]) else came
        return f"$ {command}\n{output}"

    def block(found: re.Match[str]) -> str:
        if found["kind"] == "console":
            return f"```console\n{_COMMAND.sub(run, found['body'])}```"
        _change(found["body"], place)
        return found[0]

    return _BLOCK.sub(block, guide)


def _output(command: str, folder: Path, environment: Mapping[str, str]) -> str:
    """What a command prints for its user to keep, without the blanks that end some lines of tables."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={**environment, "PWD": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    # On stderr is the progress of a proof, which a terminal writes over.
    told = "".join(line for line in done.stderr.splitlines(keepends=True) if " tested (" not in line)
    lines = [line.rstrip() for line in f"{done.stdout}{told}".splitlines()]
    return "".join(f"{line}\n" for line in lines).rstrip("\n") + "\n" if any(lines) else ""


def _is_shown_by(came: str, shown: str) -> bool:
    pattern = r"\n(?:.*\n)*?".join(re.escape(part) for part in f"\n{shown}".split(f"\n{_ANYTHING}"))
    return _ANYTHING in shown and re.fullmatch(pattern, f"\n{came}") is not None


def _change(body: str, place: Path) -> None:
    head, *lines = body.splitlines(keepends=True)
    path = place / head.removeprefix("--- ").rstrip()
    text = path.read_text(encoding="utf-8")
    for hunk in _HUNK.finditer("".join(lines)):
        old, new = (re.sub("^[-+]", "", part, flags=re.MULTILINE) for part in hunk.groups())
        assert text.count(old) == 1, f"{path.name} has no such lines, or has them more than once:\n{old}"
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8", newline="\n")


def environment(programs: Path, home: Path) -> dict[str, str]:
    """What the shell of a user has who has `programs` installed and nothing set."""
    return {"PATH": os.pathsep.join([str(programs), os.environ["PATH"]]), "HOME": str(home)}
