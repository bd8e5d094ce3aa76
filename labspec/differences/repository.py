"""A built repository as the old side. It holds the digest of its spec and its files as handed out, and not the spec.

So it can be said whether it was built from just this spec, and otherwise what its files show: fixtures, gates, and
which files would change. How its loop decides stands nowhere in it as data, and nothing is claimed about runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from labspec.differences.items import changes, from_to, moved
from labspec.differences.model import Change, Differences, Runs, Section
from labspec.emit import Edition, plan, render
from labspec.emit.manifest import read_manifest
from labspec.emit.target import read_if_file
from labspec.emit.tree import MANIFEST, PRISTINE

if TYPE_CHECKING:
    from pathlib import Path

    from labspec.lab.model import Lab

_ADVICE: Final = (
    "for more, give the old spec: `git show REVISION:lab.yaml > old.yaml`, `labspec diff old.yaml lab.yaml`"
)
_GATES: Final = "tests/gates.json"


class RepositoryError(Exception):
    """The folder can't be compared with a spec; the sentence says why, and what to do."""


def compare_repository(folder: Path, new: Lab) -> Differences:
    """What can be said about the change from a built repository to a lab.

    Raises RepositoryError if the folder is not a repository that labspec built, or one of another lab.
    """
    about = _manifest(folder)
    lab, version = str(about["lab"]), str(about.get("lab_version", "without a version"))
    if lab != new.id:
        raise RepositoryError(f"{folder} was built from the lab `{lab}`, and the spec is of the lab `{new.id}`")
    old_called, new_called = f"{lab} {version} in {folder.as_posix()}", f"{new.id} {new.version}"
    if about.get("spec") == new.digest:
        runs = Runs("same", "The spec has the digest that the repository's manifest names.")
        return Differences("Nothing differs: it was built from just this spec.", old_called, new_called, runs, ())
    before = _pristine(folder)
    edition = str(about["edition"])
    tree = render(plan(new, Edition(solution=edition.startswith("solution"), hidden=edition.endswith("+hidden"))))
    after: dict[str, str] = json.loads(tree[PRISTINE].data)
    headline = "The spec is another one than the repository was built from."
    runs = Runs("not decided", f"How runs end can't be compared: a repository does not hold its spec; {_ADVICE}.")
    found = tuple(section for section in _sections(before, after) if section.changes)
    return Differences(headline, old_called, new_called, runs, found)


def _manifest(folder: Path) -> dict[str, Any]:
    data = read_if_file(folder / MANIFEST)
    if data is None or read_manifest(data) is None:
        raise RepositoryError(f"{folder} is no repository that labspec built: it has no manifest ({MANIFEST})")
    manifest: dict[str, Any] = json.loads(data)
    return manifest


def _pristine(folder: Path) -> dict[str, str]:
    data = read_if_file(folder / PRISTINE)
    try:
        texts = json.loads(b"" if data is None else data)
        return {str(path): str(text) for path, text in texts.items()}
    except (ValueError, AttributeError, RecursionError) as error:
        raise RepositoryError(
            f"{folder} has lost the copies of its files as handed out ({PRISTINE}): {_ADVICE}"
        ) from error


def _sections(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Section]:
    yield Section("gates", "Gates and points", tuple(_gate_changes(_data(old, _GATES), _data(new, _GATES))))
    yield Section("fixtures", "Fixtures that students have", tuple(_fixture_changes(old, new)))
    yield Section("files", "Files as handed out", tuple(_file_changes(old, new)))


def _data(texts: Mapping[str, str], path: str) -> Any:
    try:
        return json.loads(texts[path])
    except (KeyError, ValueError, RecursionError) as error:
        raise RepositoryError(f"the repository's copy of {path} can't be read: {_ADVICE}") from error


def _gate_changes(old: Any, new: Any) -> Iterator[Change]:
    before, after = ({str(gate["id"]): gate for gate in rubric["gates"]} for rubric in (old, new))
    yield from changes("gate", before, after, _gate_differs)
    for name in moved(list(before), list(after)):
        yield Change("moved", "gate", name)


def _gate_differs(old: Any, new: Any) -> Iterator[str]:
    yield from from_to("points", old["points"], new["points"])
    yield from from_to("tests", old["tests"], new["tests"])
    yield from from_to("automatic zeros", json.dumps(old.get("zero_if", [])), json.dumps(new.get("zero_if", [])))


def _fixture_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    before, after = (
        {PurePosixPath(path).stem: _inputs(texts, path) for path in _fixtures(texts)} for texts in (old, new)
    )
    yield from changes("fixture", before, after, lambda one, other: iter(("another input",) if one != other else ()))


def _fixtures(texts: Mapping[str, str]) -> Iterator[str]:
    return (path for path in texts if path.startswith("fixtures/") and path.endswith(".json"))


def _inputs(texts: Mapping[str, str], path: str) -> Any:
    return {key: value for key, value in _data(texts, path).items() if key != "goal"}


def _file_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    before, after = ({path: texts[path] for path in texts.keys() - set(_fixtures(texts))} for texts in (old, new))
    before, after = dict(sorted(before.items())), dict(sorted(after.items()))
    yield from changes("file", before, after, lambda one, other: iter(("another text",) if one != other else ()))
