"""What a build does with each file of an existing repository, decided before anything is written.

Three versions decide: what is there, what was handed out (the pristine copy), and what the spec makes now. What a
person wrote is never replaced and never removed: it is kept, merged, or gets our version beside it.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from labspec.emit.manifest import with_held
from labspec.emit.tree import LAB, MANIFEST, PRISTINE, File, Tree, digest
from labspec.emit.write.merge import has_markers, like, merge
from labspec.emit.write.target import WriteRefused, blocked_folder, read_if_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from labspec.emit.write.known import Known

Status: TypeAlias = Literal["same", "new", "update", "keep", "merge", "conflict", "gone", "stale", "foreign"]
"""What becomes of a file. In the order of the class `_Planner`, where each is decided."""

BESIDE: Final = ".labspec-new"
"""What our version of a file is called where it can't take the place of somebody's: the name and this. No test runner
collects it, whatever the name."""

_BOOKKEEPING: Final = (LAB, PRISTINE, MANIFEST)


def beside_names(name: str) -> Iterator[str]:
    """The names, one after the other, that our version of a file can have beside it."""
    yield f"{name}{BESIDE}"
    yield from (f"{name}{BESIDE}-{number}" for number in count(2))


class Change(NamedTuple):
    """What is done to one path: `file` comes there, or what is there goes."""

    path: str
    file: File | None


class Step(NamedTuple):
    """What becomes of the file at `path`, in one word and a few more, and the changes that this takes."""

    path: str
    status: Status
    says: str = ""
    changes: tuple[Change, ...] = ()
    leaves: str | None = None
    """The digest of what is at the path afterwards, unless it is nothing, or a person's to put together."""
    held: bool = False
    """Whether that is a file with edits which are handed out."""

    @property
    def is_open(self) -> bool:
        """Whether a person has to put two versions together."""
        return self.status in ("conflict", "foreign")


class Policy(NamedTuple):
    """How edits are treated. With `markers`, a merge with conflicts puts both sides into the file.

    Edits found in a staff's repository are handed out with it, and so no change to the tests. Edits found in a
    student's clone are the student's: those are handed out only where they came with the clone (`is_clone`).
    """

    markers: bool = False
    is_clone: bool = False


def plan_steps(tree: Tree, target: Path, known: Known, policy: Policy) -> list[Step]:
    """The step for each file of the tree and of the manifest of the existing directory `target`, by path.

    The bookkeeping comes last: until it is there, the old one still tells what is ours. Raises WriteRefused if
    something stands in the place of a folder.
    """
    planner = _Planner(tree, target, known, _copies(tree, target), policy, set())
    paths = sorted({*tree, *known.manifest.digests}.difference(_BOOKKEEPING))
    steps = [step for path in paths for step in planner.steps(path)]
    held = {step.path: step.leaves for step in steps if step.held and step.leaves is not None}
    manifest = with_held(tree[MANIFEST], held)
    bookkeeping = {path: tree[path] for path in (LAB, PRISTINE) if path in tree} | {MANIFEST: manifest}
    return [*steps, *(planner.bookkeeping(path, file) for path, file in bookkeeping.items())]


def _copies(tree: Tree, target: Path) -> dict[str, list[str]]:
    """Our versions that earlier builds left beside files, by the path of the file."""
    found: dict[str, list[str]] = {}
    for folder in sorted({path[: path.rfind("/") + 1] for path in tree}):
        for name in sorted(_names(target / folder)):
            original, mark, number = name.rpartition(BESIDE)
            if mark and (not number or number.lstrip("-").isdigit()):
                found.setdefault(folder + original, []).append(folder + name)
    return found


def _names(folder: Path) -> list[str]:
    if folder.is_symlink() or not folder.is_dir():
        return []
    return [place.name for place in folder.iterdir()]


class _Planner(NamedTuple):
    """Decides on one file at a time."""

    tree: Tree
    target: Path
    known: Known
    copies: dict[str, list[str]]
    policy: Policy
    clear: set[str]
    """Folders that nothing stands in the way of: many files have the same."""

    def bookkeeping(self, path: str, file: File) -> Step:
        """Manifest and pristine copies are nobody's to edit: they become what they have to be."""
        there, made = self._there(path), digest(file.data)
        changes = () if there is not None and digest(there) == made else (Change(path, file),)
        return Step(path, "update" if changes else "same", "", changes, made)

    def steps(self, path: str) -> list[Step]:
        """The step for a file, and one for each copy beside it that is not needed any more."""
        step = self._made(path, self.tree[path]) if path in self.tree else self._no_longer_made(path)
        return [step] if step.is_open else [step, *self._needless_copies(path)]

    def _made(self, path: str, file: File) -> Step:
        self._check_folders(path)
        there = self._there(path)
        if there is None:
            return self._absent(path, file)
        made = self.known.made[path]
        if there == file.data or digest(there) == made:
            return Step(path, "same", leaves=made)
        if self.known.is_pristine(path, there):
            return Step(path, "update", "", (Change(path, file._replace(data=like(there, file.data))),), made)
        if path not in self.known.manifest.digests:
            return self._beside(path, file, "foreign", "labspec did not write what is there")
        return self._edited(path, there, file)

    def _absent(self, path: str, file: File) -> Step:
        place = self.target / path
        if place.is_symlink() or place.exists():
            return self._beside(path, file, "foreign", "what is there is no plain file")
        if path in self.known.manifest.digests:
            return Step(path, "gone", "deleted by hand, comes back", (Change(path, file),), digest(file.data))
        return Step(path, "new", "", (Change(path, file),), digest(file.data))

    def _edited(self, path: str, there: bytes, file: File) -> Step:
        """A file of ours that somebody has changed."""
        if has_markers(there):
            why = "both versions are still in it, between markers"
            is_in_it = self.known.is_pristine(path, file.data)  # or the markers are about an earlier version
            return Step(path, "conflict", why) if is_in_it else self._beside(path, file, "conflict", why)
        if self.copies.get(path):
            return self._beside(path, file, "conflict", "not put together yet")
        if self.known.is_pristine(path, file.data):
            return self._keep(path, there, "edited by hand")
        if file.owner == "student" and not self.known.manifest.edition.startswith("solution"):
            return self._keep(path, there, "the student's")
        base = self.known.pristine(path)
        merged = None if base is None else merge(base, there, file.data)
        if merged is not None and not merged.conflicts:
            return self._merge(path, there, file._replace(data=merged.data))
        if merged is not None and self.policy.markers:
            both = self._like_there(path, file._replace(data=merged.data))
            return Step(path, "conflict", "both versions are in it, between markers", (Change(path, both),))
        if file.owner == "seeded" and self.policy.is_clone:
            return self._keep(path, there, "edited by hand; the new version does not fit in")
        return self._beside(path, file, "conflict", "edited by hand and by the spec")

    def _keep(self, path: str, there: bytes, why: str) -> Step:
        return Step(path, "keep", why, (), digest(there), self._is_held(path, there))

    def _merge(self, path: str, there: bytes, file: File) -> Step:
        change = Change(path, self._like_there(path, file))
        says = "edited by hand and by the spec"
        return Step(path, "merge", says, (change,), digest(file.data), self._is_held(path, there))

    def _is_held(self, path: str, there: bytes) -> bool:
        """Whether the edits in a file are handed out."""
        return not self.policy.is_clone or self.known.manifest.held.get(path) == digest(there)

    def _like_there(self, path: str, file: File) -> File:
        """The file, executable if what is there is."""
        return file._replace(executable=file.executable or bool((self.target / path).stat().st_mode & 0o100))

    def _no_longer_made(self, path: str) -> Step:
        if blocked_folder(path, self.target) is not None:
            return Step(path, "same")
        there = self._there(path)
        if there is None:
            return Step(path, "same")
        if self.known.is_pristine(path, there):
            return Step(path, "stale", "no longer made, removed", (Change(path, None),))
        if path.startswith("tests/") and not self.policy.is_clone:
            # Handed out, it would count for every student as a test that the student has added.
            return Step(path, "conflict", "edited by hand, and no longer made: take what you need, and remove it")
        return Step(path, "keep", "edited by hand; labspec no longer makes it, and it is all yours")

    def _beside(self, path: str, file: File, status: Status, why: str) -> Step:
        """Leave what is there, and put ours beside it."""
        copies = self.copies.get(path, [])
        unedited = [copy for copy in copies if self._is_ours(path, copy)]
        current = next((copy for copy in unedited if digest(self._there(copy) or b"") == digest(file.data)), None)
        beside = current or (unedited or [self._free_name(path)])[0]
        changes = () if current else (Change(beside, file),)
        return Step(path, status, f"{why}; the new version is {beside}", changes)

    def _needless_copies(self, path: str) -> list[Step]:
        """Copies that nobody has edited, once the file itself needs no putting together."""
        ours = [copy for copy in self.copies.get(path, ()) if self._is_ours(path, copy)]
        return [Step(copy, "stale", "put together, removed", (Change(copy, None),)) for copy in ours]

    def _is_ours(self, path: str, copy: str) -> bool:
        """Whether a copy beside `path` is what we wrote there."""
        there = self._there(copy)
        if there is None:
            return False
        return self.known.is_pristine(path, there) or (path in self.tree and there == self.tree[path].data)

    def _free_name(self, path: str) -> str:
        taken = set(self.copies.get(path, ()))
        return next(name for name in beside_names(path) if name not in taken)

    def _there(self, path: str) -> bytes | None:
        return read_if_file(self.target / path)

    def _check_folders(self, path: str) -> None:
        inside = path[: path.rfind("/") + 1]
        if inside in self.clear:
            return
        folder = blocked_folder(path, self.target)
        if folder is None:
            self.clear.add(inside)
        else:
            message = f"{self.target / folder} stands where a folder with files of the lab must be"
            raise WriteRefused("target-blocked", message, "move it away, or build into a new folder")
