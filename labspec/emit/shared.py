"""What is made once for all variants of a lab that differ in their covers only."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Concatenate, Final, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from labspec.lab.model import Lab

MOST: Final = 32
"""For how many labs is kept what was made of them."""

MOST_FILES: Final = 1_000
"""For how many files is kept what was made of them: a lab has about a hundred."""

Arguments = ParamSpec("Arguments")
Argument = TypeVar("Argument")
Made = TypeVar("Made")


class Shared(Generic[Arguments, Made]):
    """A decorator for functions of a lab, and of flags such as whether hidden fixtures are shown, that need no cover.

    The function is given the lab without it, and is called once for all labs of which the rest is the same. That is so
    where `KnownLabs` made one lab of another. Labs that are only equal are not taken for the same: to Python 1 and true
    are equal, and they print differently.
    """

    def __init__(self, make: Callable[Concatenate[Lab, Arguments], Made]) -> None:
        self._make = make
        self._made: tuple[tuple[Lab, tuple[object, ...], Made], ...] = ()

    def __call__(self, lab: Lab, *flags: Arguments.args, **named: Arguments.kwargs) -> Made:
        """What the function makes of the lab."""
        lab = lab.without_cover()
        for known, asked, made in self._made:
            if asked == (flags, named) and all(map(is_, known, lab)):
                return made
        made = self._make(lab, *flags, **named)
        self._made = ((lab, (flags, named), made), *self._made[: MOST - 1])
        return made


class Once(Generic[Argument, Made]):
    """A decorator for functions of something that variants share: what came of the same object is returned again."""

    def __init__(self, make: Callable[[Argument], Made]) -> None:
        self._make = make
        self._made: dict[int, tuple[Argument, Made]] = {}
        """By identity. The object is kept beside what was made of it, so that no other can get its identity."""

    def __call__(self, argument: Argument) -> Made:
        """What the function makes of the object."""
        known = self._made.pop(id(argument), None)
        if known is None:
            known = argument, self._make(argument)
            if len(self._made) >= MOST_FILES:
                del self._made[next(iter(self._made))]
        self._made[id(argument)] = known  # the latest is the last
        return known[1]
