"""Any number of clones brought to the version of a lab that a spec makes now.

Clones of one version are alike in what they were made of, so what is compared and rendered for one serves all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.diagnostics import Report
from labspec.differences import compare
from labspec.differences.repository import read_repository
from labspec.emit import Edition, File, Plan, Policy, Step, Tree, WriteRefused, plan, plan_write, render, write
from labspec.emit.manifest import Manifest, read_manifest, read_pristine
from labspec.emit.render import file_of, with_bookkeeping
from labspec.emit.tree import LAB, MANIFEST, PRISTINE
from labspec.emit.write import finish_build
from labspec.emit.write.target import read_if_file
from labspec.update.what_changed import WHAT_CHANGED, plan_what_changed

if TYPE_CHECKING:
    from labspec.differences import Differences
    from labspec.lab.model import Lab

CLONE: Final = Policy(is_clone=True)

AT_ONCE: Final = 8
"""How many clones are updated at a time: mostly they wait for the disk, and for git to merge."""


class Updated(NamedTuple):
    """What became of a clone: the steps that were made or planned, or why it was refused."""

    clone: Path
    steps: tuple[Step, ...] = ()
    refusal: WriteRefused | None = None

    @property
    def is_fine(self) -> bool:
        """Whether the clone is at the new version, with nothing left for a person to put together."""
        return self.refusal is None and not any(step.is_open for step in self.steps)


def update_all(clones: Sequence[Path], lab: Lab, *, dry_run: bool = False) -> Iterator[Updated]:
    """Update every clone, and say what became of each, in their order. One that is refused stays as it is.

    With `dry_run`, nothing is written.
    """
    update = Update(lab)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda clone: update.of(clone, dry_run=dry_run), dict.fromkeys(clones))


class Update:
    """The new version of a lab, for clones of older ones. Any thread may use it."""

    def __init__(self, lab: Lab) -> None:
        """`lab` is the new version."""
        self._lab = lab
        self._lock = threading.Lock()
        self._differences: dict[tuple[str, bytes], Differences] = {}
        """By what clones have of their lab, to the byte: a clone that was tampered with tells nothing about others."""
        self._made: dict[Edition, tuple[Plan, Tree]] = {}

    def of(self, clone: Path, *, dry_run: bool = False) -> Updated:
        """Update one clone, or only say what would be done."""
        try:
            if not dry_run:
                finish_build(clone)
            tree = self._tree(clone)
            return Updated(clone, plan_write(tree, clone, CLONE) if dry_run else write(tree, clone, CLONE).steps)
        except WriteRefused as refusal:
            return Updated(clone, refusal=refusal)
        except OSError as error:
            message = f"cannot read {clone}: {error.strerror or error}"
            return Updated(clone, refusal=WriteRefused("write-failed", message, "nothing was changed there"))

    def _tree(self, clone: Path) -> Tree:
        """The new version for a clone, with the file that tells what changed: by this update, or by the last one."""
        manifest, edition = _read(clone)
        new, tree = self._new(edition)
        if manifest.spec == new.spec:
            pristine = read_pristine(read_if_file(clone / PRISTINE) or b"")
            return _with(new, tree, File(pristine[WHAT_CHANGED])) if WHAT_CHANGED in pristine else tree
        steps = plan_write(tree, clone, CLONE)
        told = plan_what_changed(manifest.version, self._lab.version, self._found(clone, manifest.spec), steps)
        return _with(new, tree, file_of(told))

    def _new(self, edition: Edition) -> tuple[Plan, Tree]:
        with self._lock:
            if edition not in self._made:
                new = plan(self._lab, edition)
                self._made[edition] = new, render(new)
            return self._made[edition]

    def _found(self, clone: Path, spec: str) -> Differences | None:
        """The differences between the version of a clone, whose spec has this digest, and the new one."""
        old, data = read_repository(clone, Report()), read_if_file(clone / LAB)
        if old is None or data is None:
            return None
        with self._lock:
            if (spec, data) not in self._differences:
                self._differences[spec, data] = compare(old, self._lab, as_handed_out=True)
            return self._differences[spec, data]


def _read(clone: Path) -> tuple[Manifest, Edition]:
    data = read_if_file(clone / MANIFEST)
    manifest = None if data is None else read_manifest(data)
    try:
        if manifest is not None:
            return manifest, Edition.named(manifest.edition)
    except ValueError:  # which it says itself
        pass
    message = f"{clone} is not a clone of a repository that this version of labspec built"
    raise WriteRefused("not-a-clone", message, f"name the folder that holds {MANIFEST}")


def _with(new: Plan, tree: Tree, told: File) -> Tree:
    files = {path: file for path, file in tree.items() if path not in (PRISTINE, MANIFEST)}
    return with_bookkeeping(new, {**files, WHAT_CHANGED: told})
