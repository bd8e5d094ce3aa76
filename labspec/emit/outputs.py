"""The plan of a repository, as values: which files it has, and what each of them prints.

`plan` makes it and `render` turns it into bytes. Nothing in it is raw text of an author's: what a template prints is
encoded for the kind of file it prints into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from labspec.emit.encode import Encoded

Owner: TypeAlias = Literal["generated", "seeded", "student"]
"""Whose a file is. `generated`: ours; edits are merged with what the spec makes. `seeded`: begun by us, then theirs who
hold the repository; what the spec makes is merged in where it fits. `student`: what the student writes; ours only until
the first edit."""


class Values(Protocol):
    """What a template is given: any named tuple."""

    def _asdict(self) -> dict[str, Any]: ...


class Printed(NamedTuple):
    """A file printed by a template, which sees the fields of `values` and of `cover` as its variables.

    In `cover` is what depends on the lab's cover: variants of a lab have the same `values`.
    """

    path: str
    template: str
    kind: type[Encoded]
    values: Values
    owner: Owner = "generated"
    cover: Values | None = None


class Copied(NamedTuple):
    """A file that is the same in every lab: a template without variables, or a module of the contract."""

    path: str
    source: Literal["template", "contract"]
    name: str
    owner: Owner = "generated"


class Serialized(NamedTuple):
    """A file of data, finished by an encoder."""

    path: str
    text: str
    owner: Owner = "generated"


Output: TypeAlias = Printed | Copied | Serialized


class Edition(NamedTuple):
    """Which repository is made of a lab: with the holes filled in (`solution`), with the hidden fixtures (`hidden`)."""

    solution: bool = False
    hidden: bool = False

    @property
    def name(self) -> str:
        """The edition's name in the manifest."""
        return ("solution" if self.solution else "starter") + ("+hidden" if self.hidden else "")

    @classmethod
    def named(cls, name: str) -> Edition:
        """The edition with this name. Raises ValueError if there is none."""
        editions = (cls(solution, hidden) for solution in (False, True) for hidden in (False, True))
        for edition in editions:
            if edition.name == name:
                return edition
        raise ValueError(f"there is no edition {name!r}")


class Plan(NamedTuple):
    """A whole repository: what the manifest says about it, and its files."""

    lab: str
    lab_version: str
    spec: str
    """The digest of the spec."""
    edition: Edition
    outputs: tuple[Output, ...]
