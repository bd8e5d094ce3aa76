"""A student's own tests earn their gate if they accept the right loop and reject wrong ones, and in no other way."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from labspec.contract import ContractFailure
from labspec.contract.own_tests import (
    Mutants,
    MutantsError,
    OwnTests,
    check_own_tests_catch,
    check_own_tests_pass,
    read_mutants,
)

if TYPE_CHECKING:
    from pathlib import Path

FILE = "test_mine.py"

RIGHT = """def turns(plan, limit=4):
    taken = 0
    for _ in plan:
        if taken >= limit:
            break
        taken += 1
    return taken
"""
WRONG = {
    "one_too_many": RIGHT.replace(">=", ">"),
    "no_limit": RIGHT.replace("taken >= limit", "False"),
    "counts_twice": RIGHT.replace("+= 1", "+= 2"),
}
"""Loops with one slip each."""

HANGS = {"never_ends": RIGHT.replace("break", "while True: pass")}

GOOD = """from loop import turns

def test_short_plan():
    assert turns([1]) == 1

def test_long_plan():
    assert turns([1] * 5) == 4
"""


@pytest.fixture(autouse=True)
def no_plugins_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Students have none of the plugins that these tests run with, and each would start anew with every run."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def repository(folder: Path, tests: str | None, *, file: str = FILE) -> Path:
    """A student's repository with a loop that is not written yet, and tests of the student's own."""
    root = folder / "my lab"
    root.mkdir()
    (root / "loop.py").write_text("def turns(plan, limit=4):\n    raise NotImplementedError\n", encoding="utf-8")
    if tests is not None:
        (root / file).write_text(tests, encoding="utf-8")
    return root


def mutants(folder: Path, wrong: dict[str, str], *, right: str = RIGHT, loop: str = "loop.py") -> Mutants:
    """The right loop and wrong ones, as LAB_MUTANTS leads to them."""
    place = folder / "mutants"
    for part, text in {"right": right, **{f"wrong/{name}": text for name, text in wrong.items()}}.items():
        (place / part).mkdir(parents=True)
        (place / part / loop).write_text(text, encoding="utf-8")
    (place / "mutants.json").write_text(json.dumps({"gates": {"own": list(wrong)}}), encoding="utf-8")
    found = read_mutants({"LAB_MUTANTS": str(place)})
    assert found is not None
    return found


def verdict(
    folder: Path, tests: str | None, wrong: dict[str, str] = WRONG, *, at_least: int, seconds: float = 20.0
) -> str:
    """What the check says: "earned", or the first line of its failure."""
    found = mutants(folder, wrong)
    copies = folder / "copies"
    copies.mkdir()
    own_tests = OwnTests(repository(folder, tests), copies, found, seconds)
    try:
        check_own_tests_pass(own_tests, FILE)
        check_own_tests_catch(own_tests, FILE, found, "own", at_least)
    except ContractFailure as failure:
        return str(failure)
    finally:
        assert list(copies.iterdir()) == [], "no copy is left behind"
    return "earned"


def test_tests_that_tell_right_from_wrong_earn_the_gate(tmp_path: Path) -> None:
    """Also where a wrong loop never ends: that is the same as to fail."""
    assert verdict(tmp_path, GOOD, {**WRONG, **HANGS}, at_least=4, seconds=3.0) == "earned"


def test_tests_that_catch_too_few_are_told_how_many(tmp_path: Path) -> None:
    too_few = GOOD.partition("def test_long_plan")[0]
    said = verdict(tmp_path, too_few, at_least=2)
    assert said.splitlines()[0] == "your own tests catch 1 of 3 wrong loops, and 2 are asked for"
    assert said.splitlines()[1] == "  missed    one_too_many, no_limit"


ONE = {"one_too_many": WRONG["one_too_many"]}


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (None, "your own tests in test_mine.py are missing: there is no such file"),
        ("", "your own test file test_mine.py has no tests"),
        ("def test_nothing(: pass\n", "your own tests in test_mine.py cannot be read: pytest finds an error"),
        ("import no_such_module\n" + GOOD, "your own tests in test_mine.py cannot be read: pytest finds an error"),
        (
            "import pytest\npytestmark = pytest.mark.skip\n" + GOOD,
            "your own test file test_mine.py skips all of its tests",
        ),
        (
            GOOD.replace("== 4", "== 5"),
            "your own tests do not accept a right loop: test_mine.py::test_long_plan failed",
        ),
        (
            "import os\n" + GOOD + "    os._exit(0)\n",
            "your own tests in test_mine.py ended the whole process, instead of coming to an end",
        ),
        (
            GOOD + "def test_never_ends():\n    while True: pass\n",
            "your own tests in test_mine.py did not end within 3 seconds and was stopped",
        ),
    ],
    ids=["missing", "empty", "no-python", "no-import", "skips", "wrong", "exits", "hangs"],
)
def test_a_test_file_that_does_not_accept_the_right_loop_earns_nothing(
    tmp_path: Path, tests: str | None, said: str
) -> None:
    """Whatever it does with wrong loops."""
    assert verdict(tmp_path, tests, ONE, at_least=1, seconds=3.0).startswith(said)


@pytest.mark.parametrize(
    "tests",
    [
        pytest.param("import loop, os\nif loop.turns([1] * 5) != 4:\n    os._exit(1)\n" + GOOD, id="exits"),
        pytest.param("import loop\nassert loop.turns([1] * 5) == 4\n" + GOOD, id="not-imported"),
        pytest.param("import loop\nwhile loop.turns([1] * 5) != 4: pass\n" + GOOD, id="hangs-outside-of-tests"),
        pytest.param(
            "import loop, pytest\nif loop.turns([1] * 5) != 4: pytest.skip('x', allow_module_level=True)\n" + GOOD,
            id="skips",
        ),
    ],
)
def test_only_a_failing_test_catches_a_wrong_loop(tmp_path: Path, tests: str) -> None:
    said = verdict(tmp_path, tests, ONE, at_least=1, seconds=4.0)
    assert said.startswith("your own tests catch 0 of 1 wrong loops, and 1 are asked for")


def test_tests_that_fail_the_second_time_do_not_pass_for_good_ones(tmp_path: Path) -> None:
    """They would reject every wrong loop, because those come later."""
    mark = tmp_path / "been here"
    tests = (
        f"from pathlib import Path\n{GOOD}\ndef test_first_time():\n    mark = Path({str(mark)!r})\n"
        "    assert not mark.exists()\n    mark.touch()\n"
    )
    said = verdict(tmp_path, tests, ONE, at_least=1)
    assert said.startswith(
        "your own tests do not accept a right loop, when they are run again: test_mine.py::test_first"
    )


def test_tests_that_fail_because_of_themselves_catch_nothing(tmp_path: Path) -> None:
    """A test that was skipped with the right loop is no witness against a wrong one."""
    tests = (
        "import loop, pytest\n\ndef test_short_plan():\n    assert loop.turns([1]) == 1\n\n"
        "def test_long_plan():\n    if loop.turns([1] * 5) == 4: pytest.skip('right')\n    assert False\n"
    )
    assert verdict(tmp_path, tests, ONE, at_least=1).startswith("your own tests catch 0 of 1")


def test_without_wrong_loops_the_students_own_loop_is_tried(tmp_path: Path) -> None:
    """What can be shown without them: that the tests pass, and that there are some."""
    root = repository(tmp_path, GOOD)
    (tmp_path / "copies").mkdir()
    with pytest.raises(
        ContractFailure, match=r"do not accept your own loop: .*test_short_plan, .*test_long_plan failed"
    ):
        check_own_tests_pass(OwnTests(root, tmp_path / "copies"), FILE)
    (root / "loop.py").write_text(RIGHT, encoding="utf-8")
    check_own_tests_pass(OwnTests(root, tmp_path / "copies"), FILE)


def test_tests_see_neither_the_wrong_loops_nor_who_watches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what the environment says to the tests outside does not change how they are run."""
    monkeypatch.setenv("LAB_MUTANTS", str(tmp_path / "mutants"))
    monkeypatch.setenv("PYTEST_ADDOPTS", "--bogus")
    tests = (
        f"import os\n{GOOD}\ndef test_secrets():\n    assert not [each for each in os.environ if each[:4] == 'LAB_']\n"
    )
    assert verdict(tmp_path, tests, ONE, at_least=1) == "earned"


def test_what_no_test_needs_is_not_copied(tmp_path: Path) -> None:
    """A virtual environment is large, whatever it is called."""
    tests = (
        GOOD + "\ndef test_files():\n    import os\n    assert sorted(os.listdir()) == ['loop.py', 'test_mine.py']\n"
    )
    root = repository(tmp_path, tests)
    (root / "loop.py").write_text(RIGHT, encoding="utf-8")
    for name in (".git", "my_env", "node_modules", "__pycache__"):
        (root / name).mkdir()
        (root / name / "pyvenv.cfg").write_text("home = /\n", encoding="utf-8")
    copies = tmp_path / "copies"
    copies.mkdir()
    check_own_tests_pass(OwnTests(root, copies), FILE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "LAB_MUTANTS leads to no loops: "),
        ("[]", "LAB_MUTANTS leads to no loops: "),
        ('{"gates": {"own": ["gone"]}}', "LAB_MUTANTS: there is no folder gone"),
    ],
)
def test_a_folder_without_loops_is_refused(tmp_path: Path, text: str | None, said: str) -> None:
    """It is the fault of whoever prepared it, so it must not cost points."""
    (tmp_path / "right").mkdir()
    if text is not None:
        (tmp_path / "mutants.json").write_text(text, encoding="utf-8")
    with pytest.raises(MutantsError) as error:
        read_mutants({"LAB_MUTANTS": str(tmp_path)})
    assert str(error.value).startswith(said)


# --- JavaScript ---

NODE_RIGHT = """export function turns(plan, limit = 4) {
  return Math.min(plan.length, limit);
}
"""
NODE_WRONG = {
    "no_limit": NODE_RIGHT.replace("Math.min(plan.length, limit)", "plan.length"),
    "never_ends": NODE_RIGHT.replace("  return", "  while (plan.length > limit);\n  return"),
}
NODE_TESTS = """import assert from "node:assert/strict";
import test from "node:test";
import { turns } from "./loop.mjs";

test("a short plan", () => assert.equal(turns([1]), 1));
test("a long # plan", () => assert.equal(turns([1, 1, 1, 1, 1]), 4));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="tests in JavaScript need Node")
@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (NODE_TESTS, "earned"),
        ("", "your own tests in loop.test.mjs ended before any test did: there is none"),
        (NODE_TESTS.replace(", 4)", ", 5)"), "your own tests do not accept a right loop: a long "),
        (NODE_TESTS.replace('test("', 'test.skip("'), "your own test file loop.test.mjs skips all of its tests"),
        (NODE_TESTS + "process.exit(0);\n", "your own tests in loop.test.mjs ended before any test did"),
        ("import './nowhere.mjs';\n" + NODE_TESTS, "your own tests in loop.test.mjs cannot be read: Node finds"),
        (NODE_TESTS.partition('test("a long')[0], "your own tests catch 0 of 2 wrong loops, and 2 are asked for"),
    ],
    ids=["good", "empty", "wrong", "skips", "exits", "no-import", "too-few"],
)
def test_tests_in_javascript_are_judged_alike(tmp_path: Path, tests: str, said: str) -> None:
    found = mutants(tmp_path, NODE_WRONG, right=NODE_RIGHT, loop="loop.mjs")
    (tmp_path / "copies").mkdir()
    own_tests = OwnTests(repository(tmp_path, tests, file="loop.test.mjs"), tmp_path / "copies", found, 5.0)
    try:
        check_own_tests_catch(own_tests, "loop.test.mjs", found, "own", 2)
        came = "earned"
    except ContractFailure as failure:
        came = str(failure)
    assert came.startswith(said)
