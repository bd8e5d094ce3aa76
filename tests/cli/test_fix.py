"""`labspec check --fix`: what is missing is added to the spec, and nothing else about the file changes."""

from __future__ import annotations

import difflib
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from labspec.cli.fixing import replace_content
from labspec.pipeline import load
from labspec.suggestions.add import fix

from .users import BASE, INVALID, ROOT, SPEC, labspec

COMMENTED = BASE.read_text(encoding="utf-8").replace(
    "\nrubric:\n", "    # A search without an end.\n\n\n# --- What earns points.\n\nrubric:  # ten points\n"
)
"""A spec whose fixtures miss some slips, with comments after them."""

PUBLISHED = ROOT / "tests" / "specs" / "published"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "lab.yaml"
    path.write_text(COMMENTED, encoding="utf-8")
    return path


def added_lines(before: str, after: str) -> list[str]:
    """The lines of `after` that `before` does not have. Nothing else may be different."""
    old, new = before.split("\n"), after.split("\n")
    changes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    assert {kind for kind, *_ in changes} <= {"equal", "insert"}
    return [line for kind, _, _, start, end in changes if kind == "insert" for line in new[start:end]]


def test_only_lines_are_added_and_no_fixture_is_missing_afterwards(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = labspec(capsys, "check", "--fix", spec)
    assert (done.code, done.err) == (0, "")
    after = spec.read_text(encoding="utf-8")
    ids = [line.removeprefix("  - id: ") for line in added_lines(COMMENTED, after) if line.startswith("  - id: ")]
    told = [line for line in done.out.splitlines() if ": added `" in line]
    assert ids
    assert [line.split(": added ")[1] for line in told] == [f"`{name}`" for name in ids]
    lines = after.split("\n")
    for line, name in zip(told, ids, strict=True):
        number = int(line.removeprefix(f"{spec.as_posix()}:").split(":")[0])
        assert lines[number - 1] == f"  - id: {name}"
    assert after.endswith(COMMENTED[COMMENTED.index("\n\n# --- What earns points.") :])
    assert not load(spec, proof=True).report.suggestions


def test_a_second_time_there_is_nothing_to_add(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labspec(capsys, "check", "--fix", spec)
    before = spec.read_bytes(), spec.stat().st_mtime_ns
    again = labspec(capsys, "check", "--fix", spec)
    assert (spec.read_bytes(), spec.stat().st_mtime_ns) == before
    assert again == labspec(capsys, "check", spec)


def test_a_diff_is_shown_and_nothing_written(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = labspec(capsys, "check", "--fix", "--diff", spec)
    assert spec.read_text(encoding="utf-8") == COMMENTED
    diff = [line for line in shown.out.splitlines() if line[:1] in ("+", "-")]
    labspec(capsys, "check", "--fix", spec)
    name = spec.as_posix()
    assert diff[:2] == [f"--- {name}", f"+++ {name}"]
    assert [line[1:] for line in diff[2:]] == added_lines(COMMENTED, spec.read_text(encoding="utf-8"))


def test_the_findings_for_programs_are_told_apart_from_what_was_done(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = labspec(capsys, "check", "--fix", "--format", "json", spec)
    assert json.loads(done.out)["errors"] == 0
    assert ": added `" in done.err


@pytest.mark.parametrize("name", ["loop-budget-thirteen-turns", "loop-budget-python"])
def test_a_variant_gets_its_fixtures_in_its_own_file(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it extends stays as it is."""
    folder = PUBLISHED if (PUBLISHED / f"{name}.yaml").exists() else ROOT / "specs"
    for path in folder.glob("loop-budget*.yaml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    variant = tmp_path / f"{name}.yaml"
    assert labspec(capsys, "check", "--fix", variant).code == 0
    changed = [path for path, data in before.items() if path.read_bytes() != data]
    assert changed in ([], [variant])
    added_lines(before[variant].decode(), variant.read_text(encoding="utf-8"))
    assert all(one.blocked for one in load(variant, proof=True).report.suggestions)


def test_where_lines_are_not_enough_the_fixtures_are_printed_to_be_pasted(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start, end = COMMENTED.index("fixtures:\n"), COMMENTED.index("    # A search without")
    flow = 'fixtures: [{id: fails_twice, title: "Both time out", steps: [{call: search, error: timeout, times: 2}]}]\n'
    text = (COMMENTED[:start] + flow + COMMENTED[end:]).replace(
        "[recovers, fails_twice, nameless, never_final]", "[fails_twice]"
    )
    text = text.replace("[recovers]", "[fails_twice]")
    spec.write_text(text, encoding="utf-8")
    done = labspec(capsys, "check", "--fix", spec)
    assert spec.read_text(encoding="utf-8") == text
    assert "`fixtures` stands in brackets; write it as lines that begin with `- ` first" in done.out
    assert "\n  - id: " in done.out


def test_a_mistake_that_nobody_catches_gets_the_fixture_that_does(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is an error, but one that a fixture answers."""
    lines = (
        "mistakes:\n"
        "  - id: forgets_the_error\n"
        "    says: A run that is out of turns does not say what failed in it\n"
        "    change: {table: [{exit: turn_cap, last_error: none}]}\n"
        "    costs: [exits]\n"
    )
    spec.write_text(COMMENTED.replace("mistakes:\n", lines), encoding="utf-8")
    before = labspec(capsys, "check", spec)
    assert (before.code, "error[mistake-not-caught]" in before.out) == (1, True)
    done = labspec(capsys, "check", "--fix", spec)
    assert (done.code, "the mistake `forgets_the_error`" in done.out) == (0, True)


@pytest.mark.parametrize("name", ["points-zero", "yaml-open-quote", "fixture-wrong-turns"])
def test_a_spec_with_other_errors_stays_as_it_is(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (f"{name}.yaml", "_base.yaml"):
        (tmp_path / file).write_bytes((INVALID / file).read_bytes())
    path = tmp_path / f"{name}.yaml"
    before = path.read_bytes()
    done = labspec(capsys, "check", "--fix", path)
    assert done == labspec(capsys, "check", path)
    assert (done.code, path.read_bytes()) == (1, before)


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "check", "--fix", tmp_path / "none.yaml")
    assert done.code == 1
    assert "error[file-not-found]" in done.out


def test_a_diff_alone_makes_no_sense(capsys: pytest.CaptureFixture[str]) -> None:
    done = labspec(capsys, "check", "--diff", SPEC)
    assert done.code == 2
    assert "write `labspec check --fix --diff`" in done.err


# --- writing the file ---


def test_permissions_stay_and_a_link_is_followed(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has neither these permissions nor, for everybody, links")
    spec.chmod(0o640)
    link = spec.with_name("link.yaml")
    link.symlink_to(spec)
    labspec(capsys, "check", "--fix", link)
    assert link.is_symlink()
    assert spec.read_text(encoding="utf-8") != COMMENTED
    assert stat.S_IMODE(spec.stat().st_mode) == 0o640
    assert sorted(path.name for path in spec.parent.iterdir()) == ["lab.yaml", "link.yaml"]


def test_a_file_that_has_changed_meanwhile_is_not_written(spec: Path) -> None:
    fixed = fix(spec, spec.read_bytes())
    spec.write_text(f"{COMMENTED}# one more thought\n", encoding="utf-8")
    assert not replace_content(spec, COMMENTED.encode(), fixed.data)
    assert spec.read_text(encoding="utf-8") == f"{COMMENTED}# one more thought\n"
    assert [path.name for path in spec.parent.iterdir()] == ["lab.yaml"]


LITTLE_SPACE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from labspec.cli import main
sys.exit(main(["check", "--fix", sys.argv[1]]))
"""
"""labspec where no file can become longer than a hundred bytes."""


def test_a_file_that_cannot_be_written_is_told_and_stays_whole(spec: Path) -> None:
    """The spec is checked all the same."""
    if sys.platform == "win32":
        pytest.skip("Windows can't limit how long files become")
    command = [sys.executable, "-B", "-c", LITTLE_SPACE, str(spec)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"{spec.as_posix()}: nothing was added: file too large\n"
    assert ": sound (" in done.stdout
    assert spec.read_text(encoding="utf-8") == COMMENTED
    assert [path.name for path in spec.parent.iterdir()] == ["lab.yaml"]
