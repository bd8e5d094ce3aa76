"""The tree: a whole repository in memory, from file path to file. `render` makes it, `write` and `compare` take it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from labspec.emit.outputs import Owner


class File(NamedTuple):
    """A file of a repository."""

    data: bytes
    owner: Owner = "generated"
    executable: bool = False

    @property
    def mode(self) -> int:
        """The permissions the file is written with, whatever the umask."""
        return 0o755 if self.executable else 0o644


Tree: TypeAlias = Mapping[str, File]
"""The files by their paths: relative, with `/`, sorted."""

MANIFEST = ".labspec/manifest.json"
PRISTINE = ".labspec/pristine.json"
LAB = ".labspec/lab.json"


def digest(data: bytes) -> str:
    """The SHA-256 of a file, in hexadecimal. CRLF counts as LF: a checkout on Windows has the same digest."""
    unix = data.replace(b"\r\n", b"\n") if b"\r" in data else data  # to look for two characters takes much longer
    return hashlib.sha256(unix).hexdigest()
