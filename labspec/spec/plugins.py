"""Keep pydantic's plugins away from the models of a spec.

A plugin of some other package in the environment could change what a spec means. And looking for plugins imports
`importlib.metadata` with all of `email`: a sixth of the time that `labspec check` takes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

_LOADER: Final = "pydantic.plugin._loader"
"""Where pydantic (2.0 to 2.14, at least) looks for plugins when it builds a validator."""


@contextmanager
def without_plugins() -> Iterator[None]:
    """Validators built inside find no plugins. Everything is as before afterwards.

    Where a future pydantic looks elsewhere, this does nothing; PYDANTIC_DISABLE_PLUGINS still works there.
    """
    if _LOADER in sys.modules:
        yield
        return
    stand_in = ModuleType(_LOADER)
    stand_in.get_plugins = tuple  # type: ignore[attr-defined]  # `tuple()` is what it returns when there are none
    sys.modules[_LOADER] = stand_in
    try:
        yield
    finally:
        del sys.modules[_LOADER]
