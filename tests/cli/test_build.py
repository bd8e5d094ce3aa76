"""`labspec build`: what is written, what is left alone, and what is only shown."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from string import ascii_lowercase

import pytest

from .users import BASE, INVALID, SPEC, labspec, small_lab, started, tree

BROKEN = INVALID / "budget-zero.yaml"


def test_a_repository_is_written_and_then_there_is_nothing_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = labspec(capsys, "build", BASE)
    assert (done.code, done.err) == (0, "")
    built = tree(tmp_path)
    assert "generated/small-lab/README.md" in built
    files = sum(1 for path in (tmp_path / "generated" / "small-lab").rglob("*") if path.is_file())
    assert done.out == f"generated/small-lab: {files} new ({files} files)\n"
    again = labspec(capsys, "build", BASE)
    assert again == (0, f"generated/small-lab: nothing to do ({files} files)\n", "")
    assert tree(tmp_path) == built


def test_one_broken_spec_does_not_keep_the_others_from_being_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder with a space in its name, too."""
    out = tmp_path / "the labs"
    done = labspec(capsys, "build", BASE, BROKEN, SPEC, "-o", out)
    assert done.code == 1
    assert "error[budget-is-zero]" in done.err
    assert sorted(path.name for path in out.iterdir()) == ["loop-exit-ledger", "small-lab"]
    assert done.out.count(" new (") == 2


def test_many_specs_come_to_what_each_comes_to_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So many that they are made side by side. One is broken, and one is another's twin."""
    names = ["a", "b", "c", "broken", "d", "e", "twin", *ascii_lowercase[5:]]
    changes = {"broken": ("turns: 3", "turns: 0"), "twin": ("id: small-lab", "id: lab-a")}
    specs = [
        small_lab(tmp_path / f"{name}.yaml", changes.get(name, ("id: small-lab", f"id: lab-{name}"))) for name in names
    ]
    together = labspec(capsys, "build", *specs, "-o", tmp_path / "together")
    assert together.code == 1
    assert together.err.count("error[") == 2
    assert "error[budget-is-zero]" in together.err
    assert f"error[duplicate-lab] `{specs[0]}` and `{specs[6]}` have the same id, `lab-a`" in together.err
    built = [line.split(": ")[0] for line in together.out.splitlines()]
    assert built == [str(tmp_path / "together" / f"lab-{name}") for name in ascii_lowercase]
    for name, spec in zip(names, specs, strict=True):
        if name in ascii_lowercase:
            assert labspec(capsys, "build", spec, "-o", tmp_path / "alone").code == 0
    assert tree(tmp_path / "together") == tree(tmp_path / "alone")


def many_specs(folder: Path) -> list[Path]:
    """So many that a build of them can be broken off. The first is broken."""
    broken = small_lab(folder / "broken.yaml", ("turns: 3", "turns: 0"))
    labs = [small_lab(folder / f"{number}.yaml", ("id: small-lab", f"id: lab-{number}")) for number in range(200)]
    return [broken, *labs]


@pytest.mark.parametrize(("send", "number"), [("killpg", "SIGINT"), ("kill", "SIGTERM"), ("killpg", "SIGHUP")])
def test_a_build_that_is_broken_off_has_said_what_it_did(send: str, number: str, tmp_path: Path) -> None:
    """By ^C, which all processes of a terminal get, or otherwise. What was found in a broken spec is said as well."""
    specs = many_specs(tmp_path)
    with started("build", *specs, "-o", tmp_path / "out") as child:
        assert child.stdout is not None
        lines = [next(child.stdout) for _ in range(3)]
        getattr(os, send)(child.pid, getattr(signal, number))
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"error[budget-is-zero]" in err
    assert b"Traceback" not in err
    told = {Path(os.fsdecode(line.split(b": ")[0])).name for line in [*lines, *out.splitlines()]}
    written = {manifest.parts[-3] for manifest in (tmp_path / "out").glob("lab-*/.labspec/manifest.json")}
    assert told <= written
    assert len(told) < len(specs)
    assert len(written - told) <= 1  # of the one that was written just then


def test_no_process_outlives_a_build_that_is_killed(tmp_path: Path) -> None:
    """The output ends when the last process that could write to it does."""
    with started("build", *many_specs(tmp_path), "-o", tmp_path / "out") as child:
        assert child.stdout is not None
        next(child.stdout)
        child.kill()
        child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL


def test_only_broken_specs_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "build", BROKEN, "-o", tmp_path / "out")
    assert (done.code, done.out) == (1, "")
    assert list(tmp_path.iterdir()) == []


def test_two_specs_with_one_id_are_not_both_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = small_lab(tmp_path / "other.yaml", ("A search that says", "Another search that says"))
    done = labspec(capsys, "build", BASE, other, "-o", tmp_path / "out")
    assert done.code == 1
    message = f"`{BASE}` and `{other}` have the same id, `small-lab`"
    assert done.err.startswith(f"error[duplicate-lab] {message}\n  help: give one of them an `id` of its own")
    assert "# A search that says" in (tmp_path / "out" / "small-lab" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--check", "--dry-run"])
def test_what_would_be_done_is_shown_and_nothing_is_written(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert labspec(capsys, "build", BASE, "-o", out).code == 0
    lab = out / "small-lab"
    total = sum(1 for path in lab.rglob("*") if path.is_file())
    unchanged = labspec(capsys, "build", option, BASE, "-o", out)
    assert unchanged == (0, f"{lab}: nothing to do ({total} files)\n", "")
    (lab / "fixtures" / "recovers.json").unlink()
    (lab / "lab.py").write_text("print('mine')\n", encoding="utf-8")
    (lab / "notes.md").write_text("mine too\n", encoding="utf-8")
    before = tree(tmp_path)
    done = labspec(capsys, "build", option, BASE, "-o", out)
    assert done.code == (1 if option == "--check" else 0)
    assert "  gone      fixtures/recovers.json  (deleted by hand, comes back)\n" in done.out
    assert "  keep      lab.py  (edited by hand)\n" in done.out
    assert f"{lab}: 1 to update, 1 to bring back, 1 kept ({total} files)\n" in done.out
    assert "notes.md" not in done.out
    assert tree(tmp_path) == before


def test_check_of_what_was_never_built_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "build", "--check", BASE, "-o", tmp_path / "out")
    assert done.code == 1
    assert done.out.startswith(f"{tmp_path / 'out' / 'small-lab'}: ")
    assert " new (" in done.out
    assert list(tmp_path.iterdir()) == []


def test_a_repository_with_edits_is_current_once_it_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever edits a handout builds once, and from then on it is handed out with the edit."""
    assert labspec(capsys, "build", BASE, "-o", tmp_path).code == 0
    with (tmp_path / "small-lab" / "README.md").open("a", encoding="utf-8") as readme:
        readme.write("\nRoom 12, not room 7.\n")
    assert labspec(capsys, "build", "--check", BASE, "-o", tmp_path).code == 1
    assert labspec(capsys, "build", BASE, "-o", tmp_path).code == 0
    assert labspec(capsys, "build", "--check", BASE, "-o", tmp_path).code == 0


def test_check_shows_what_a_changed_spec_would_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert labspec(capsys, "build", BASE, "-o", out).code == 0
    spec = small_lab(tmp_path / "lab.yaml", ("Look", "Lock"), ("Read the table", "Read it all"))
    done = labspec(capsys, "build", "--check", spec, "-o", out)
    assert done.code == 1
    changed = [line for line in done.out.splitlines() if "Read the table" in line or "Read it all" in line]
    assert {line[0] for line in changed} == {"-", "+"}


def _holds_a_file(target: Path) -> None:
    target.mkdir()
    (target / "thesis.txt").write_text("years of work\n", encoding="utf-8")


def _is_a_file(target: Path) -> None:
    target.write_text("years of work\n", encoding="utf-8")


def _is_a_link(target: Path) -> None:
    _holds_a_file(target.parent / "elsewhere")
    target.symlink_to(target.parent / "elsewhere")


def _is_another_lab(target: Path) -> None:
    (target / ".labspec").mkdir(parents=True)
    manifest = target / ".labspec" / "manifest.json"
    manifest.write_text("{}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("occupy", "code", "says"),
    [
        (_holds_a_file, "target-not-empty", "is not empty, and labspec did not write it"),
        (_is_a_file, "target-is-file", "is not a directory"),
        (_is_a_link, "target-is-symlink", "is a symbolic link"),
        (_is_another_lab, "target-not-ours", "is not a manifest"),
    ],
)
def test_a_target_that_is_not_ours_is_refused(
    occupy: object, code: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(occupy)
    occupy(tmp_path / "small-lab")
    before = tree(tmp_path)
    done = labspec(capsys, "build", BASE, "-o", tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"error[{code}] {tmp_path / 'small-lab'}")
    assert says in done.err
    assert "\n  help: " in done.err
    assert tree(tmp_path) == before


def test_another_edition_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert labspec(capsys, "build", BASE, "-o", tmp_path).code == 0
    before = tree(tmp_path)
    done = labspec(capsys, "build", "--solution", BASE, "-o", tmp_path)
    assert done.code == 1
    assert "error[target-other-edition]" in done.err
    assert tree(tmp_path) == before


def test_an_output_that_is_a_file_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("", encoding="utf-8")
    done = labspec(capsys, "build", BASE, "-o", tmp_path / "out")
    assert done.code == 2
    assert "is a file" in done.err


def test_zip_packs_each_repository_beside_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive holds what is in the folder, and `--check` looks at both."""
    monkeypatch.chdir(tmp_path)
    done = labspec(capsys, "build", "--zip", BASE)
    size = (tmp_path / "generated" / "small-lab.zip").stat().st_size
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1:] == [f"generated/small-lab.zip: {size} bytes written"]
    shutil.unpack_archive("generated/small-lab.zip", "unpacked")
    built = tree(tmp_path / "generated" / "small-lab")
    assert {path: data for path, (_, data) in tree(tmp_path / "unpacked" / "small-lab").items()} == {
        path: data for path, (_, data) in built.items()
    }
    before = tree(tmp_path)
    again = labspec(capsys, "build", "--zip", BASE)
    assert (again.code, again.out.splitlines()[1:]) == (0, ["generated/small-lab.zip: nothing to do"])
    checked = labspec(capsys, "build", "--zip", "--check", BASE)
    assert (checked.code, checked.out.splitlines()[1:]) == (0, ["generated/small-lab.zip: nothing to do"])
    assert tree(tmp_path) == before


def test_an_archive_that_is_not_current_is_drift(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert labspec(capsys, "build", BASE, "-o", tmp_path).code == 0
    for mode, code in (("--check", 1), ("--dry-run", 0)):
        planned = labspec(capsys, "build", "--zip", mode, BASE, "-o", tmp_path)
        assert (planned.code, planned.out.splitlines()[1]) == (code, f"{tmp_path / 'small-lab.zip'}: new")
    (tmp_path / "small-lab.zip").write_bytes(b"handed in")
    refused = labspec(capsys, "build", "--zip", BASE, "-o", tmp_path)
    assert refused.code == 1
    assert refused.err.startswith(f"error[archive-not-ours] {tmp_path / 'small-lab.zip'} is not an archive")
    assert (tmp_path / "small-lab.zip").read_bytes() == b"handed in"


def test_a_repository_that_is_refused_is_not_packed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "small-lab").write_text("", encoding="utf-8")
    assert labspec(capsys, "build", "--zip", BASE, "-o", tmp_path).code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["small-lab"]
