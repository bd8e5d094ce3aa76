"""What a spec says, as a digest: the same for any layout, comments, line ends or order of keys."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from labspec.source.nodes import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from labspec.source.nodes import Entry


def section_texts(sections: Iterable[Entry]) -> dict[str, str]:
    """What each section says, as JSON with its keys in alphabetical order."""
    return {entry.key: json.dumps(plain(entry.value), sort_keys=True, ensure_ascii=True) for entry in sections}


def spec_digest(texts: Mapping[str, str]) -> str:
    """The SHA-256 of a spec whose sections say this, in hexadecimal."""
    whole = ", ".join(f"{json.dumps(key)}: {text}" for key, text in sorted(texts.items()))
    return hashlib.sha256(f"{{{whole}}}".encode("ascii")).hexdigest()
