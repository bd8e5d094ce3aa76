"""Write a tree: a new target is built beside its place and renamed, an existing one is changed step by step."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.emit.tree import digest
from labspec.emit.write.create import create_folder
from labspec.emit.write.known import read_known
from labspec.emit.write.lock import locked
from labspec.emit.write.steps import Change, Policy, Step, plan_steps
from labspec.emit.write.target import WriteRefused, check_can_hold, check_paths
from labspec.emit.write.transaction import Transaction, is_unfinished, recover

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labspec.emit.tree import Tree


STAFF: Final = Policy()
"""For a repository that is to be handed out."""


class Written(NamedTuple):
    """What `write` did with each file, in the order it did it."""

    target: Path
    steps: tuple[Step, ...]

    @property
    def written(self) -> tuple[str, ...]:
        """The paths that were written, sorted."""
        return tuple(sorted(change.path for change in self._changes() if change.file is not None))

    @property
    def removed(self) -> tuple[str, ...]:
        """The paths that were removed, sorted."""
        return tuple(sorted(change.path for change in self._changes() if change.file is None))

    def _changes(self) -> Iterator[Change]:
        return (change for step in self.steps for change in step.changes)


def write(tree: Tree, target: Path, policy: Policy = STAFF) -> Written:
    """Make the directory `target` hold this tree, and what people have made of it.

    Missing parent folders are created. A build that was killed in `target` is first brought to its end.

    Raises WriteRefused if the target is not ours to write or the disk refuses; then the target is byte for byte what it
    was. Raises ValueError if a path of the tree could leave the target.
    """
    with _refusing(tree, target) as place:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_dir():
            with locked(place.parent):
                if not place.is_dir():  # another build may have been first
                    create_folder(tree, place)
                    return Written(place, _new_steps(tree))
        with locked(place):
            recover(place)
            return Written(place, _update(tree, place, policy))


def finish_build(target: Path) -> None:
    """Bring a build that was killed in `target` to its end, if there is one. Raises WriteRefused as `write` does."""
    with _refusing({}, target) as place:
        if place.is_dir():
            with locked(place):
                recover(place)


def plan_write(tree: Tree, target: Path, policy: Policy = STAFF) -> tuple[Step, ...]:
    """What `write` would do with each file. Changes nothing; raises as `write` does."""
    with _refusing(tree, target) as place:
        if not place.is_dir():
            return _new_steps(tree)
        if is_unfinished(place):
            message = f"a build of {place} was interrupted"
            raise WriteRefused("target-unfinished", message, "build it again: that brings it to its end")
        return tuple(plan_steps(tree, place, read_known(tree, place), policy))


@contextlib.contextmanager
def _refusing(tree: Tree, target: Path) -> Iterator[Path]:
    """The place of a target that can hold the tree. What the disk refuses inside becomes a refusal."""
    check_paths(tree)
    place = Path(os.path.abspath(target))  # noqa: PTH100 - `resolve` would follow the symlink that is refused
    try:
        check_can_hold(place)
        yield place
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteRefused("write-failed", f"cannot write {place}: {reason}", "nothing was changed there") from error


def _new_steps(tree: Tree) -> tuple[Step, ...]:
    return tuple(Step(path, "new", "", (Change(path, file),), digest(file.data)) for path, file in tree.items())


def _update(tree: Tree, target: Path, policy: Policy) -> tuple[Step, ...]:
    steps = tuple(plan_steps(tree, target, read_known(tree, target), policy))
    changes = [change for step in steps for change in step.changes]
    if changes:
        with Transaction(target) as transaction:
            for change in changes:
                transaction.stage(change)
            transaction.commit()
    return steps
