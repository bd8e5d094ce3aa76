"""What people do with the files of a repository, and what a build then does: every line that they wrote is there."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labspec.emit import Policy, Step, Tree, plan_write, write
from labspec.emit.manifest import read_manifest
from labspec.emit.tree import MANIFEST, digest

from .trees import contents, lines, tree_of

FILES = ("README.md", "RUBRIC.md", "SUBMISSION.md", "run_loop.py", "lab.py", "tests/test_gate.py")
BASE = {path: lines(*(f"{path} line {number}" for number in range(8))) for path in FILES}


class Edit(NamedTuple):
    """What a person did with one file: removed some of its lines, and wrote others. `form` is how the file was left."""

    removed: frozenset[int]
    written: dict[int, str]
    """Lines by the number of the line that they stand before."""
    form: str

    def apply(self, text: str) -> bytes:
        """The file that the person left."""
        left: list[str] = []
        for number, line in enumerate([*text.splitlines(), ""]):
            left += self.written.get(number, "").splitlines()
            if number not in self.removed and line:
                left.append(line)
        data = "".join(f"{line}\n" for line in left).encode("utf-8")
        match self.form:
            case "crlf":
                return data.replace(b"\n", b"\r\n")
            case "no final newline":
                return data.removesuffix(b"\n")
            case "binary":
                return data + b"\0\xff"
        return data

    def own_lines(self) -> set[bytes]:
        """The lines that only the person can have written."""
        return {line.encode("utf-8") for text in self.written.values() for line in text.splitlines()}


WORDS = st.text("abc é漢", min_size=1, max_size=4).map(lambda word: f"mine {word.strip()}!")
EDIT = st.builds(
    Edit,
    st.frozensets(st.integers(0, 7), max_size=4),
    st.dictionaries(st.integers(0, 8), st.lists(WORDS, min_size=1, max_size=2).map("\n".join), max_size=3),
    st.sampled_from(["", "crlf", "no final newline", "binary"]),
)
CHANGED_TEXT = st.lists(st.integers(0, 7), max_size=4, unique=True)


@st.composite
def new_texts(draw: st.DrawFn) -> dict[str, str]:
    """What the spec makes of the files now: the same, with lines changed, or no file any more; and a new file."""
    texts = {"GUIDE.md": "a new file\n"}
    for path, text in BASE.items():
        kind = draw(st.sampled_from(["unchanged", "changed", "removed"]))
        if kind == "unchanged":
            texts[path] = text
        elif kind == "changed":
            changed = draw(CHANGED_TEXT)
            texts[path] = lines(*(f"{line}{' today' * (n in changed)}" for n, line in enumerate(text.splitlines())))
    return texts


def work_of_a_person(
    target: Path, edits: dict[str, Edit], deleted: frozenset[str], renamed: frozenset[str]
) -> dict[str, bytes]:
    """Edit, delete, rename and add files; returns those that now hold something of the person's."""
    written = {path: edit.apply(BASE[path]) for path, edit in edits.items()}
    for path in renamed:
        written[f"{path}.mine"] = written.pop(path, BASE[path].encode("utf-8"))
    for path in {*deleted, *renamed}:
        written.pop(path, None)
        (target / path).unlink()
    written["notes/GUIDE.md"] = b"added by hand"
    for path, data in written.items():
        (target / path).parent.mkdir(exist_ok=True)
        (target / path).write_bytes(data)
    return {
        path: data
        for path, data in written.items()
        if data.replace(b"\r\n", b"\n").decode("utf-8", "replace") != BASE.get(path)
    }


def assert_open_steps_show_both_versions(steps: tuple[Step, ...], found: dict[str, bytes], *, markers: bool) -> None:
    """Our version of a file that could not be merged stands beside it, or in it between markers."""
    for change in (change for step in steps if step.is_open for change in step.changes):
        assert change.file is not None
        assert found[change.path] == change.file.data
        assert markers or ".labspec-new" in change.path


@given(
    new_texts(),
    st.dictionaries(st.sampled_from(FILES), EDIT),
    st.frozensets(st.sampled_from(FILES), max_size=2),
    st.frozensets(st.sampled_from(FILES), max_size=2),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_every_line_that_a_person_wrote_is_still_there(
    new: dict[str, str],
    edits: dict[str, Edit],
    deleted: frozenset[str],
    renamed: frozenset[str],
    markers: bool,
    is_clone: bool,
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(temporary, "lab")
        write(tree_of(BASE), target)
        written = work_of_a_person(target, edits, deleted, renamed)
        tree, policy = tree_of(new, "2.0.0"), Policy(markers, is_clone)

        said = plan_write(tree, target, policy)
        assert write(tree, target, policy).steps == said
        found = contents(target)

        for path, data in written.items():
            if path in edits:
                assert edits[path].own_lines() <= set(found[path].replace(b"\r\n", b"\n").split(b"\n")), path
            if path not in {*BASE, *new} or (path in BASE and path not in new):
                assert found[path] == data
        assert {path: found[path].decode("utf-8").replace("\r\n", "\n") for path in new if path not in written} == {
            path: text for path, text in new.items() if path not in written
        }
        assert_open_steps_show_both_versions(said, found, markers=markers)
        again = write(tree, target, policy)
        assert (again.written, again.removed) == ((), ())
        assert contents(target) == found


def rebuilt(tmp_path: Path, edited: dict[str, bytes], new: dict[str, str], policy: Policy | None = None) -> Path:
    """The repository after edits and a build of the new texts."""
    target = tmp_path / "lab"
    if not target.exists():
        write(tree_of(BASE), target)
    for path, data in edited.items():
        (target / path).write_bytes(data)
    write(tree_of({**BASE, **new}, "2.0.0"), target, policy or Policy())
    return target


TODAY = BASE["README.md"].replace("line 3", "line 3 today")
FAR = BASE["README.md"].replace("line 7", "line 7, in my words").encode("utf-8")
NEAR = BASE["README.md"].replace("line 3", "line 3, in my words").encode("utf-8")


def statuses(tree: Tree, target: Path, policy: Policy | None = None) -> dict[str, str]:
    """What a build would do, of the files where it would do or say something."""
    steps = plan_write(tree, target, policy or Policy())
    return {step.path: step.status for step in steps if step.status != "same"}


def test_edits_far_apart_are_merged(tmp_path: Path) -> None:
    target = rebuilt(tmp_path, {"README.md": FAR}, {"README.md": TODAY})
    merged = (target / "README.md").read_text("utf-8")
    assert "line 3 today" in merged
    assert "line 7, in my words" in merged


def test_edits_of_the_same_lines_leave_the_file_and_put_the_new_version_beside_it(tmp_path: Path) -> None:
    target = rebuilt(tmp_path, {"README.md": NEAR}, {"README.md": TODAY})
    assert (target / "README.md").read_bytes() == NEAR
    assert (target / "README.md.labspec-new").read_text("utf-8") == TODAY


def test_a_conflict_is_told_until_the_copy_is_gone(tmp_path: Path) -> None:
    tree = tree_of({**BASE, "README.md": TODAY}, "2.0.0")
    target = rebuilt(tmp_path, {"README.md": NEAR}, {"README.md": TODAY})
    assert statuses(tree, target)["README.md"] == "conflict"
    (target / "README.md.labspec-new").unlink()
    assert statuses(tree, target)["README.md"] == "keep"


def test_taking_the_new_version_is_enough_to_put_a_conflict_together(tmp_path: Path) -> None:
    tree = tree_of({**BASE, "README.md": TODAY}, "2.0.0")
    target = rebuilt(tmp_path, {"README.md": NEAR}, {"README.md": TODAY})
    shutil.copy(target / "README.md.labspec-new", target / "README.md")
    assert write(tree, target).removed == ("README.md.labspec-new",)
    assert statuses(tree, target) == {}


def test_a_copy_is_renewed_until_somebody_edits_it(tmp_path: Path) -> None:
    newer, newest = (BASE["README.md"].replace("line 3", f"line 3 {day}") for day in ("of Monday", "of Friday"))
    target = rebuilt(tmp_path, {"README.md": NEAR}, {"README.md": TODAY})
    rebuilt(tmp_path, {}, {"README.md": newer})
    assert (target / "README.md.labspec-new").read_text("utf-8") == newer
    (target / "README.md.labspec-new").write_text("half put together\n", "utf-8")
    rebuilt(tmp_path, {}, {"README.md": newest})
    assert (target / "README.md.labspec-new").read_text("utf-8") == "half put together\n"
    assert (target / "README.md.labspec-new-2").read_text("utf-8") == newest
    assert (target / "README.md").read_bytes() == NEAR


def test_markers_put_both_versions_into_the_file(tmp_path: Path) -> None:
    target = rebuilt(tmp_path, {"README.md": NEAR}, {"README.md": TODAY}, Policy(markers=True))
    both = (target / "README.md").read_text("utf-8")
    assert (
        "<<<<<<< edited by hand\nREADME.md line 3, in my words\n=======\nREADME.md line 3 today\n>>>>>>> from the spec"
        in both
    )
    assert not (target / "README.md.labspec-new").exists()


def test_what_the_spec_changes_while_markers_stand_is_put_beside_and_stays_until_it_is_put_together(
    tmp_path: Path,
) -> None:
    """In the file are an earlier version and the person's: whoever takes the markers out does not have the newest."""
    newest = BASE["README.md"].replace("line 3", "line 3 of Friday")
    target = rebuilt(tmp_path, {"README.md": NEAR}, {"README.md": TODAY}, Policy(markers=True))
    for _ in range(2):
        rebuilt(tmp_path, {}, {"README.md": newest}, Policy(markers=True))
        assert (target / "README.md.labspec-new").read_text("utf-8") == newest
    (target / "README.md").write_bytes(NEAR)
    tree = tree_of({**BASE, "README.md": newest}, "2.0.0")
    assert statuses(tree, target)["README.md"] == "conflict"
    (target / "README.md.labspec-new").unlink()
    assert statuses(tree, target)["README.md"] == "keep"


@pytest.mark.parametrize(("is_clone", "status"), [(False, "conflict"), (True, "keep")])
def test_what_does_not_fit_into_a_form_is_put_beside_it_unless_the_form_is_a_students(
    is_clone: bool, status: str, tmp_path: Path
) -> None:
    edited, newer = (BASE["SUBMISSION.md"].replace("line 3", f"line 3, {whose}") for whose in ("mine", "the spec's"))
    target = rebuilt(tmp_path, {"SUBMISSION.md": edited.encode("utf-8")}, {})
    tree = tree_of({**BASE, "SUBMISSION.md": newer}, "3.0.0")
    assert statuses(tree, target, Policy(is_clone=is_clone))["SUBMISSION.md"] == status
    write(tree, target, Policy(is_clone=is_clone))
    assert (target / "SUBMISSION.md").read_text("utf-8") == edited
    assert (target / "SUBMISSION.md.labspec-new").exists() == (not is_clone)


@pytest.mark.parametrize(("is_clone", "status"), [(False, "conflict"), (True, "keep")])
def test_an_edited_test_that_is_no_longer_made_is_kept_and_staff_have_to_look(
    is_clone: bool, status: str, tmp_path: Path
) -> None:
    """If it were handed out, each student would have a test that the lab does not have."""
    target = rebuilt(tmp_path, {"tests/test_gate.py": NEAR}, {})
    tree = tree_of({path: text for path, text in BASE.items() if path != "tests/test_gate.py"}, "3.0.0")
    assert statuses(tree, target, Policy(is_clone=is_clone))["tests/test_gate.py"] == status
    write(tree, target, Policy(is_clone=is_clone))
    assert (target / "tests/test_gate.py").read_bytes() == NEAR


def test_a_file_with_line_ends_of_windows_keeps_them(tmp_path: Path) -> None:
    edited = FAR.replace(b"\n", b"\r\n")
    target = rebuilt(tmp_path, {"README.md": edited}, {"README.md": TODAY})
    merged = (target / "README.md").read_bytes()
    assert merged == edited.replace(b"line 3", b"line 3 today")


def test_a_students_file_is_theirs_from_the_first_edit_on(tmp_path: Path) -> None:
    begun, newer = b"# my loop\n", BASE["run_loop.py"] + "another hole\n"
    target = rebuilt(tmp_path / "begun", {"run_loop.py": begun}, {"run_loop.py": newer})
    assert (target / "run_loop.py").read_bytes() == begun
    target = rebuilt(tmp_path / "untouched", {}, {"run_loop.py": newer})
    assert (target / "run_loop.py").read_text("utf-8") == newer


def test_a_file_of_a_persons_where_one_of_ours_must_go_stays(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(tree_of(BASE), target)
    (target / "GUIDE.md").write_text("mine\n", "utf-8")
    (target / "HINTS.md").mkdir()
    tree = tree_of({**BASE, "GUIDE.md": "ours\n", "HINTS.md": "ours\n"}, "2.0.0")
    assert statuses(tree, target)["GUIDE.md"] == statuses(tree, target)["HINTS.md"] == "foreign"
    write(tree, target)
    assert (target / "GUIDE.md").read_text("utf-8") == "mine\n"
    assert (target / "GUIDE.md.labspec-new").read_text("utf-8") == "ours\n"
    assert (target / "HINTS.md.labspec-new").read_text("utf-8") == "ours\n"


def test_without_git_nothing_is_merged_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    target = rebuilt(tmp_path, {"README.md": FAR}, {"README.md": TODAY})
    assert (target / "README.md").read_bytes() == FAR
    assert (target / "README.md.labspec-new").read_text("utf-8") == TODAY


def test_a_repository_around_a_target_has_no_say_in_a_merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration of a repository can run programs. Git is never run in somebody's."""
    trap = tmp_path / "trap"
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(
        f'[core]\n\tfsmonitor = "touch {trap}"\n[merge]\n\tconflictstyle = x\n', "utf-8"
    )
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    target = rebuilt(tmp_path, {"README.md": FAR}, {"README.md": TODAY})
    assert "line 3 today" in (target / "README.md").read_text("utf-8")
    assert not trap.exists()


def test_a_pristine_copy_that_somebody_changed_is_no_base_for_a_merge(tmp_path: Path) -> None:
    target = tmp_path / "lab"
    write(tree_of(BASE), target)
    pristine = target / ".labspec/pristine.json"
    pristine.write_text(pristine.read_text("utf-8").replace("line 7", "line 8"), "utf-8")
    rebuilt(tmp_path, {"README.md": FAR}, {"README.md": TODAY})
    assert (target / "README.md").read_bytes() == FAR
    assert (target / "README.md.labspec-new").read_text("utf-8") == TODAY


def test_the_edits_of_a_staff_are_handed_out_and_those_of_a_student_are_changes(tmp_path: Path) -> None:
    """The tests of a repository compare its files with what the manifest says was handed out."""
    edited = BASE["tests/test_gate.py"].encode("utf-8") + b"# a word of the staff's\n"
    target = rebuilt(tmp_path, {"tests/test_gate.py": edited}, {})
    assert handed_out(target) == digest(edited)
    by_student = edited + b"# a word of a student's\n"
    rebuilt(tmp_path, {"tests/test_gate.py": by_student}, {}, Policy(is_clone=True))
    assert handed_out(target) == digest(BASE["tests/test_gate.py"].encode("utf-8"))


def test_a_clone_keeps_the_edits_that_it_came_with(tmp_path: Path) -> None:
    edited = BASE["tests/test_gate.py"].encode("utf-8") + b"# a word of the staff's\n"
    newer = BASE["tests/test_gate.py"].replace("line 0", "line 0 today")
    target = rebuilt(tmp_path, {"tests/test_gate.py": edited}, {})
    rebuilt(tmp_path, {}, {"tests/test_gate.py": newer}, Policy(is_clone=True))
    merged = (target / "tests/test_gate.py").read_bytes()
    assert merged == edited.replace(b"line 0", b"line 0 today")
    assert handed_out(target) == digest(merged)


def handed_out(target: Path) -> object:
    """The digest with which `tests/test_gate.py` counts as unchanged."""
    data = (target / MANIFEST).read_bytes()
    manifest = read_manifest(data)
    assert manifest is not None
    return {**manifest.digests, **manifest.held}["tests/test_gate.py"]
