"""What is planned once for all variants of a lab that differ in their covers only."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Concatenate, Final, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from labspec.lab.model import Lab

MOST: Final = 32
"""For how many labs is kept what was made of them."""

Arguments = ParamSpec("Arguments")
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
