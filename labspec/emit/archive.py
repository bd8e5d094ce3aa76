"""Packs a tree into a zip archive, `Tree -> bytes`: what `labspec build --zip` puts beside a repository.

The same tree gives the same bytes on every machine. So nothing is compressed: implementations of zlib differ in what
they make of the same text. A repository is well below a megabyte.
"""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from typing import TYPE_CHECKING

from labspec.emit.write.target import check_paths

if TYPE_CHECKING:
    from labspec.emit.tree import Tree

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip archive can tell."""

_UNIX = 3
"""The system whose permissions an entry has, whatever the one it is made on."""

_MARK = b"labspec sha256:"
_MARK_LENGTH = len(_MARK) + 2 * hashlib.sha256().digest_size


def archive(tree: Tree, folder: str) -> bytes:
    """A zip archive with the files of the tree in one top folder, sorted, with their permissions and without times.

    Its comment ends it, and has the digest of everything before it. Raises ValueError if a path of the tree could leave
    the folder.
    """
    check_paths(tree)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as whole:
        for path, file in sorted(tree.items()):
            entry = zipfile.ZipInfo(f"{folder}/{path}", _LONG_AGO)
            entry.create_system = _UNIX
            entry.external_attr = (stat.S_IFREG | file.mode) << 16
            whole.writestr(entry, file.data)
        whole.comment = bytes(_MARK_LENGTH)
    data = packed.getvalue()[:-_MARK_LENGTH]
    return data + _mark(data)


def is_as_packed(data: bytes) -> bool:
    """Whether these bytes, which can be any, are an archive of ours that nobody has changed."""
    return data[-_MARK_LENGTH:] == _mark(data[:-_MARK_LENGTH])


def _mark(data: bytes) -> bytes:
    return _MARK + hashlib.sha256(data).hexdigest().encode("ascii")
