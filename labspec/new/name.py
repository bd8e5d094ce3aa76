"""What a course is called: its title, as people read it, and the name of its folder, which every system can hold."""

from __future__ import annotations

from typing import Final, NamedTuple

from slugify import slugify

from labspec.device_names import DEVICE_NAMES
from labspec.emit.encode import visible

MAX_FOLDER: Final = 64
"""How many characters the name of a folder may have: paths have a limit on Windows."""

MAX_TITLE: Final = 120
"""How many characters a title may have."""


class NameRefused(Exception):  # noqa: N818 - a refusal is an answer, and the name says which
    """No folder can have this name, or nothing that is left of it; or a title is empty or too long."""

    def __init__(self, message: str, help: str) -> None:
        """`message` is a sentence about the name, and `help` says what to do about it."""
        super().__init__(message)
        self.message = message
        self.help = help


class CourseName(NamedTuple):
    """A course's title on one line, and its folder: `[a-z0-9-]`, neither a path nor a device."""

    title: str
    folder: str


def name_course(name: str, title: str | None = None) -> CourseName:
    """The name of the course that a user calls `name`.

    The folder is `name` in small letters, digits and `-`. The title, where none is given, is `name` as it was written,
    or in words where it was written like a folder. Raises NameRefused.
    """
    folder = _folder(name)
    return CourseName(_title(title if title is not None else _in_words(name, folder)), folder)


def _folder(name: str) -> str:
    if "/" in name or "\\" in name:
        message = f"`{_shown(name)}` is a path, not a name"
        raise NameRefused(message, "go to the folder that is to hold the course, and give a name without `/` or `\\`")
    folder = slugify(name)
    if not folder:
        raise NameRefused(
            "the name has no letter or digit that a folder could be called by",
            'give a name with letters, and the rest as a title: `labspec new my-course --title "..."`',
        )
    if folder in DEVICE_NAMES:
        raise NameRefused(f"`{folder}` can't be a folder: it is a device name of Windows", f"try `{folder}-course`")
    if len(folder) > MAX_FOLDER:
        raise NameRefused(
            f"`{_shown(name)}` makes a folder name of {len(folder)} characters, and {MAX_FOLDER} are the most",
            'give a short name, and the rest as a title: `labspec new my-course --title "..."`',
        )
    return folder


def _in_words(name: str, folder: str) -> str:
    return folder.replace("-", " ").capitalize() if name == folder else name


def _title(text: str) -> str:
    title = visible(text)
    if not title:
        raise NameRefused("the title of the course is empty", "give it some words, or leave out `--title`")
    if len(title) > MAX_TITLE:
        message = f"the title of the course has {len(title)} characters, and {MAX_TITLE} are the most"
        raise NameRefused(message, "shorten it; README.md is yours, and has room for more")
    return title


def _shown(name: str) -> str:
    """A name that may be long or hold characters that nobody sees, as a message can quote it."""
    shown = visible(name)
    return shown if len(shown) <= MAX_FOLDER else f"{shown[:MAX_FOLDER]}..."
