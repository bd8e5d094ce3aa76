"""What is made once for all variants of a lab that differ in their covers only.

Both decorators keep what came of the same objects, for a while. Objects that are only equal are not taken for the same:
to Python 1 and true are equal, and they print differently. Kept objects stay alive, so that no other can be taken for
them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from operator import is_
from typing import TYPE_CHECKING, Concatenate, Final, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from labspec.lab.model import Lab

MOST_LABS: Final = 32
"""For how many labs, in one edition each, is kept what was made of them."""

MOST_FILES: Final = 100 * MOST_LABS
"""For how many files is kept what was made of them: a lab has about a hundred."""

_FORGETS: Final[list[Callable[[], None]]] = []
"""Empties the store of a function, for each that is decorated."""

Flags = ParamSpec("Flags")
Argument = TypeVar("Argument")
Made = TypeVar("Made")


def shared(make: Callable[Concatenate[Lab, Flags], Made]) -> Callable[Concatenate[Lab, Flags], Made]:
    """For functions of a lab that need nothing of its cover, and of values that can be hashed.

    The function is given the lab without its cover. What it made is kept for all labs of which the rest is the same:
    that is so where `KnownLabs` made one of another.
    """

    @lru_cache(maxsize=MOST_LABS)
    def kept(same: _Same[Lab], *flags: Flags.args, **named: Flags.kwargs) -> Made:
        return make(same.value, *flags, **named)

    _FORGETS.append(kept.cache_clear)

    @wraps(make)
    def made(lab: Lab, /, *flags: Flags.args, **named: Flags.kwargs) -> Made:
        lab = lab.without_cover()
        return kept(_Same(lab, lab), *flags, **named)  # type: ignore[arg-type]  # TypeError if it has no hash

    return made


def once(make: Callable[[Argument], Made]) -> Callable[[Argument], Made]:
    """For functions of something that variants share, such as a file: what was made is kept for the same object."""

    @lru_cache(maxsize=MOST_FILES)
    def kept(same: _Same[Argument]) -> Made:
        return make(same.value)

    _FORGETS.append(kept.cache_clear)

    @wraps(make)
    def made(argument: Argument) -> Made:
        return kept(_Same(argument, (argument,)))

    return made


def forget() -> None:
    """Forget all that is kept: what is asked for next is made anew. Whoever compares two builds needs that."""
    for empty in _FORGETS:
        empty()


class _Same(Generic[Argument]):
    """A value as a key: equal to another whose parts are the same objects."""

    __slots__ = ("_hash", "_parts", "value")

    def __init__(self, value: Argument, parts: tuple[object, ...]) -> None:
        self.value = value
        self._parts = parts
        self._hash = hash(tuple(map(id, parts)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and all(map(is_, self._parts, other._parts))
