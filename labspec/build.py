"""From specs to their repositories: work that specs share is done once, and what has not changed is not done at all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from labspec.emit import Edition, Policy, Step, Tree, WriteRefused, plan, plan_write, render, write
from labspec.emit.tree import digest
from labspec.emit.write.diff import diff_of
from labspec.emit.write.words import steps_text
from labspec.parallel import each
from labspec.pipeline import Loaded, load
from labspec.stamps.stamp import key_of, recall, remember

Mode: TypeAlias = Literal["write", "dry-run", "check"]


class Request(NamedTuple):
    """Into which folder repositories are built, which edition of them, whether they are written or looked at, and
    whether each gets an archive.
    """

    output: Path
    edition: Edition = Edition()
    mode: Mode = "write"
    policy: Policy = Policy()
    zipped: bool = False

    @property
    def can_recall(self) -> bool:
        """Whether a stamp answers it: stamps know nothing of archives."""
        return self.mode == "write" and not self.zipped

    def key(self, spec: Path) -> str:
        """By which the stamp of a build is found."""
        return key_of(str(spec), str(self.output), self.edition.name)


class Made(NamedTuple):
    """What a spec comes to before anything is written. Without a lab, it has errors."""

    loaded: Loaded
    lab: str | None = None
    tree: Tree | None = None


class Built(NamedTuple):
    """What became of the repository of a spec: a text about it, or why it was refused."""

    target: Path | None
    text: str = ""
    is_fine: bool = True
    refusal: WriteRefused | None = None


class Outcome(NamedTuple):
    """What became of all specs: those that had to be read, and every repository."""

    loaded: list[Loaded]
    built: list[Built]

    @property
    def is_fine(self) -> bool:
        """Whether each spec has its repository, with nothing left for a person to do."""
        return all(one.is_fine for one in self.built)


def build_all(specs: Sequence[Path], request: Request) -> Outcome:
    """Build the repository of every spec, in their order. One that can't be built does not keep others from it."""
    began = time.time_ns()
    named = list(dict.fromkeys(specs))
    recalled = {spec: recall(request.key(spec)) if request.can_recall else None for spec in named}
    changed = [spec for spec in named if recalled[spec] is None]
    made = dict(zip(changed, each(partial(make, edition=request.edition), changed), strict=True))
    return Outcome([one.loaded for one in made.values()], list(_build_each(named, recalled, made, request, began)))


def make(spec: Path, edition: Edition) -> Made:
    """Load a spec, and make the tree of its lab."""
    loaded = load(spec)
    lab, loaded.lab = loaded.lab, None  # what is made of it is all that the process which writes has to know
    return Made(loaded) if lab is None else Made(loaded, lab.id, render(plan(lab, edition)))


def _build_each(
    specs: Sequence[Path],
    recalled: dict[Path, tuple[str, str] | None],
    made: dict[Path, Made],
    request: Request,
    began: int,
) -> Iterator[Built]:
    taken: set[Path] = set()
    for spec in specs:
        known = recalled[spec]
        if known is not None:
            target, said = known
            one = Built(Path(target), said)
        else:
            one = _build(spec, made[spec], taken, request, began)
        if one.target is not None:
            taken.add(one.target)
        yield one


def _build(spec: Path, made: Made, taken: set[Path], request: Request, began: int) -> Built:
    if made.lab is None or made.tree is None:
        return Built(None, is_fine=False)
    target = request.output / made.lab
    place = target.absolute()
    if place in taken:
        message = f"two of the specs have the id `{made.lab}`"
        refusal = WriteRefused("duplicate-lab", message, "build them one after the other, into folders with `-o`")
        return Built(None, is_fine=False, refusal=refusal)
    try:
        steps = _steps(made.tree, target, request)
    except WriteRefused as refusal:
        return Built(place, is_fine=False, refusal=refusal)
    if request.mode == "write" and not made.loaded.report.diagnostics:
        _remember(spec, made, target, steps, request, began)
    told = _told(target, steps, request.mode)
    return _with_archive(told, made.tree, target, request.mode) if request.zipped else told


def _with_archive(told: Built, tree: Tree, target: Path, mode: Mode) -> Built:
    from labspec.packing import pack  # a build without an archive needs none of it

    try:
        packed = pack(tree, target, mode)
    except WriteRefused as refusal:
        return told._replace(is_fine=False, refusal=refusal)
    return told._replace(text=told.text + packed.text, is_fine=told.is_fine and packed.is_fine)


def _steps(tree: Tree, target: Path, request: Request) -> tuple[Step, ...]:
    if request.mode == "write":
        return write(tree, target, request.policy).steps
    return plan_write(tree, target, request.policy)


def _told(target: Path, steps: tuple[Step, ...], mode: Mode) -> Built:
    diffs = (diff_of(change, target) for step in steps for change in step.changes if mode == "check")
    text = "".join([*diffs, steps_text(target, steps, planned=mode != "write")])
    is_fine = not any(step.is_open or (mode == "check" and step.changes) for step in steps)
    return Built(target.absolute(), text, is_fine)


def _remember(spec: Path, made: Made, target: Path, steps: tuple[Step, ...], request: Request, began: int) -> None:
    """Leave a stamp, if it is known what the next build will say."""
    changes = any(step.changes for step in steps)
    if any(step.is_open or (changes and step.status in ("keep", "merge")) for step in steps):
        return
    left = [step for step in steps if step.leaves is not None]
    said = steps_text(target, [step._replace(status="same", changes=()) if changes else step for step in left])
    files = {step.path: step.leaves for step in left if step.leaves is not None}
    sources = {str(Path(name).absolute()): digest(text.encode("utf-8")) for name, text in made.loaded.texts.items()}
    remember(request.key(spec), str(target.absolute()), said, sources, files, began=began)
