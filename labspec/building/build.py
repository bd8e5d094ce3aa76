"""Builds the repository of each spec: from the spec to a tree side by side, onto the disk one after the other.

A tree is written as soon as it is there and then let go, so that many take no more memory than a few.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from labspec.building.parallel import each
from labspec.building.request import Mode, Request
from labspec.emit import Edition, Step, Tree, WriteRefused, plan, plan_write, render, write
from labspec.emit.tree import digest
from labspec.emit.write.diff import diff_of
from labspec.emit.write.words import steps_text
from labspec.known import KnownLabs
from labspec.pipeline import Loaded, load
from labspec.plain_file import name_of
from labspec.stamps.stamp import recall, remember


class Made(NamedTuple):
    """What a spec comes to before anything is written. Without a lab, it has errors."""

    loaded: Loaded
    lab: str | None = None
    tree: Tree | None = None


class Built(NamedTuple):
    """What became of a spec and its repository: a text about it, or why it was refused, and what had to be read.

    It is fine if the spec has its repository, with nothing left for a person to do.
    """

    text: str = ""
    is_fine: bool = True
    refusal: WriteRefused | None = None
    loaded: Loaded | None = None


def build_each(specs: Sequence[Path], request: Request) -> Generator[Built, None, None]:
    """Build the repository of each spec, in their order: it is on the disk when what became of it is told.

    One that can't be built does not keep others from it.
    """
    began = time.time_ns()
    named = list(dict.fromkeys(specs))
    stamped = {spec: recall(request.key(spec)) if request.can_recall else None for spec in named}
    changed = [spec for spec in named if stamped[spec] is None]
    taken = {Path(stamp[0]): spec for spec, stamp in reversed(stamped.items()) if stamp is not None}
    builder = _Builder(request, began, taken)
    with closing(each(partial(make, edition=request.edition), changed)) as trees:
        for spec in named:
            stamp = stamped[spec]
            if stamp is None:
                made = next(trees)
                yield builder.build(spec, made)._replace(loaded=made.loaded)
            else:
                yield builder.unchanged(spec, *stamp)


_KNOWN: Final = KnownLabs()
"""Of this process, and of those that it forks: variants of one lab are checked once."""


def make(spec: Path, edition: Edition) -> Made:
    """Load a spec, and make the tree of its lab."""
    loaded = load(spec, known=_KNOWN)
    lab = loaded.lab
    loaded.lab = loaded.resolved = None  # what is made of it is all that the process which writes has to know
    return Made(loaded) if lab is None else Made(loaded, lab.id, render(plan(lab, edition)))


class _Builder(NamedTuple):
    """Builds one repository after the other."""

    request: Request
    began: int
    """When the first spec was read, in nanoseconds."""
    taken: dict[Path, Path]
    """By target, the spec that it is built from: those that have nothing to do come before all others."""

    def unchanged(self, spec: Path, target: str, said: str) -> Built:
        """What a repository comes to that has nothing to do, as its stamp says."""
        refusal = self._refusal(spec, Path(target))
        return Built(said) if refusal is None else Built(is_fine=False, refusal=refusal)

    def build(self, spec: Path, made: Made) -> Built:
        """Build the repository of a spec that was read."""
        if made.lab is None or made.tree is None:
            return Built(is_fine=False)
        target = self.request.output / made.lab
        refusal = self._refusal(spec, target.absolute())
        if refusal is not None:
            return Built(is_fine=False, refusal=refusal)
        try:
            steps = self._steps(made.tree, target)
        except WriteRefused as refusal:
            return Built(is_fine=False, refusal=refusal)
        if self.request.mode == "write" and not made.loaded.report.diagnostics:
            self._remember(spec, made, target, steps)
        told = _told(target, steps, self.request.mode)
        return _with_archive(told, made.tree, target, self.request.mode) if self.request.zipped else told

    def _refusal(self, spec: Path, target: Path) -> WriteRefused | None:
        """Why a spec may not be built into a target: another one is."""
        other = self.taken.setdefault(target, spec)
        if other == spec:
            return None
        message = f"`{name_of(other)}` and `{name_of(spec)}` have the same id, `{target.name}`"
        help = "give one of them an `id` of its own, or build them one after the other, into folders with `-o`"
        return WriteRefused("duplicate-lab", message, help)

    def _steps(self, tree: Tree, target: Path) -> tuple[Step, ...]:
        if self.request.mode == "write":
            return write(tree, target, self.request.policy).steps
        return plan_write(tree, target, self.request.policy)

    def _remember(self, spec: Path, made: Made, target: Path, steps: tuple[Step, ...]) -> None:
        """Leave a stamp, if it is known what the next build will say."""
        changes = any(step.changes for step in steps)
        if any(step.is_open or (changes and step.status in ("keep", "merge")) for step in steps):
            return
        left = [step for step in steps if step.leaves is not None]
        said = steps_text(target, [step._replace(status="same", changes=()) if changes else step for step in left])
        files = {step.path: step.leaves for step in left if step.leaves is not None}
        sources = {str(Path(name).absolute()): digest(text.encode("utf-8")) for name, text in made.loaded.texts.items()}
        remember(self.request.key(spec), str(target.absolute()), said, sources, files, began=self.began)


def _with_archive(told: Built, tree: Tree, target: Path, mode: Mode) -> Built:
    from labspec.building.packing import pack  # a build without an archive needs none of it

    try:
        packed = pack(tree, target, mode)
    except WriteRefused as refusal:
        return told._replace(is_fine=False, refusal=refusal)
    return told._replace(text=told.text + packed.text, is_fine=told.is_fine and packed.is_fine)


def _told(target: Path, steps: tuple[Step, ...], mode: Mode) -> Built:
    diffs = (diff_of(change, target) for step in steps for change in step.changes if mode == "check")
    text = "".join([*diffs, steps_text(target, steps, planned=mode != "write")])
    is_fine = not any(step.is_open or (mode == "check" and step.changes) for step in steps)
    return Built(text, is_fine)
