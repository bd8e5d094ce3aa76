"""Rendering is pure, refuses what is not encoded, and keeps its shape whatever an author writes."""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markdown_it import MarkdownIt

from labspec.emit import Edition, plan, render
from labspec.emit.encode import Markdown, Python
from labspec.emit.render import environment
from labspec.emit.templates import template_root
from labspec.emit.tree import MANIFEST, PRISTINE
from labspec.lab.model import Check
from labspec.update.what_changed import plan_what_changed

from .labs import first_lab, lab_with, meter
from .test_encode import NASTY, TEXT
from .tool_labs import second_lab, stretched_lab

if TYPE_CHECKING:
    from labspec.emit import Tree
    from labspec.lab.model import Command, Lab

GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def test_same_lab_gives_the_same_bytes() -> None:
    assert render(plan(first_lab(), Edition())) == render(plan(first_lab(), Edition()))


def test_starter_and_solution_differ_only_where_the_student_writes() -> None:
    starter, solution = render(plan(first_lab(), Edition())), render(plan(first_lab(), Edition(solution=True)))
    different = {path for path, file in starter.items() if file != solution[path]}
    assert starter.keys() == solution.keys()
    assert different == {"run_loop.py", "test_loop_exit.py", MANIFEST, PRISTINE}


def test_hidden_fixtures_and_mistakes_stay_at_home() -> None:
    tree = render(plan(first_lab(), Edition()))
    text = b"".join(file.data for file in tree.values()).lower()
    assert b"ran_out_v1" not in text
    assert b"timeout_is_terminal" not in text
    assert "fixtures/ran_out_v1.json" in render(plan(first_lab(), Edition(hidden=True)))


def test_manifest_tells_every_file_and_nothing_of_the_machine() -> None:
    tree = render(plan(first_lab(), Edition()))
    manifest = json.loads(tree[MANIFEST].data)
    assert list(manifest["files"]) == sorted(tree.keys() - {MANIFEST})
    readme = tree["README.md"].data
    assert manifest["files"]["README.md"] == {
        "sha256": hashlib.sha256(readme).hexdigest(),
        "mode": "644",
        "owner": "generated",
    }
    assert manifest["files"]["run_loop.py"]["owner"] == "student"
    assert manifest["files"]["SUBMISSION.md"]["owner"] == "seeded"
    assert {key: manifest[key] for key in ("labspec", "lab", "lab_version", "spec", "edition")} == {
        "labspec": 1,
        "lab": "loop-exit-ledger",
        "lab_version": "1.0.0",
        "spec": "0" * 64,
        "edition": "starter",
    }


def test_pristine_copies_are_the_files() -> None:
    tree = render(plan(first_lab(), Edition()))
    copies = json.loads(tree[PRISTINE].data)
    assert copies == {path: file.data.decode() for path, file in tree.items() if path not in (MANIFEST, PRISTINE)}


def test_every_template_is_used() -> None:
    used = {
        getattr(output, "template", None) or getattr(output, "name", "")
        for lab in (first_lab(), second_lab(), lab_with(submission=()))
        for output in plan(lab, Edition()).outputs
    }
    used.add(plan_what_changed("1.0.0", "2.0.0", None, ()).template)
    folders = (template_root() / "python", template_root() / "shared")
    there = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(template_root()).as_posix() for path in there if "cache" not in str(path)}
    assert names <= used


@pytest.mark.parametrize("value", ["raw text", Markdown("of another kind"), True, None, 1.5, ["x"]])
def test_template_refuses_what_is_not_encoded_for_its_kind(value: object) -> None:
    template = environment(Python).from_string("{{ value }}")
    assert template.render(value=Python("fine")) == "fine"
    assert template.render(value=3) == "3"
    with pytest.raises(TypeError, match="not encoded for a Python file"):
        template.render(value=value)


def test_template_refuses_what_is_not_there() -> None:
    with pytest.raises((TypeError, UndefinedError)):
        environment(Python).from_string("{{ missing }}").render()
    with pytest.raises(UndefinedError):
        environment(Python).from_string("{% if missing %}{% endif %}").render()


# --- arbitrary text in every free-text field ---


@dataclass(frozen=True)
class Texts:
    """Hands out the texts for one lab, one after the other."""

    texts: list[str]

    def next(self) -> str:
        """The next text; never blank, as the reader of specs sees to."""
        self.texts.append(self.texts.pop(0))
        return self.texts[-1] if self.texts[-1].strip() else "x"


def with_texts(texts: Texts) -> Lab:
    """The first lab with its free texts replaced."""
    lab = first_lab()
    say = texts.next
    rows = tuple(row._replace(says=say()) for row in lab.table)
    rows = (*rows[:2], rows[2]._replace(last_error=rows[2].last_error._replace(text=say())), *rows[3:])
    endings = (f.ending if f.ending.last_error is None else f.ending._replace(last_error=say()) for f in lab.fixtures)
    fixtures = tuple(
        f._replace(title=say(), says=say(), ending=ending, data={**f.data, "planned_calls": [{"payload": say()}]})
        for f, ending in zip(lab.fixtures, endings, strict=True)
    )
    mistakes = tuple(mistake._replace(says=say(), hint=say()) for mistake in lab.mistakes)
    return lab_with(
        version=say(),
        title=say(),
        summary=say(),
        goal=say(),
        objectives=(say(), say()),
        agenda=tuple(item._replace(title=say(), says=say()) for item in lab.agenda),
        taxonomy=tuple(reason._replace(says=say()) for reason in lab.taxonomy),
        table=rows,
        fixtures=fixtures,
        mistakes=mistakes,
        rubric=tuple(gate._replace(says=say()) for gate in lab.rubric),
        exercises=tuple(exercise._replace(title=say(), says=say()) for exercise in lab.exercises),
        submission=tuple(item._replace(target=say(), says=say()) for item in lab.submission),
        limitations=(say(),),
        skip_if=(say(),),
    )


def shape(tree: Tree) -> dict[str, Any]:
    """What must not depend on texts: syntax trees without their strings, blocks, columns and keys.

    The files of the workspace are the author's byte for byte, and have no shape.
    """
    ours = {path: file for path, file in tree.items() if not path.startswith("workspace/")}
    return {path: _shape(path, file.data) for path, file in ours.items() if path not in (MANIFEST, PRISTINE)}


def _shape(path: str, data: bytes) -> Any:
    text = data.decode("utf-8")
    if path.endswith(".py"):
        return [type(node).__name__ for node in ast.walk(_without_hints(ast.parse(text)))]
    if path.endswith(".md"):
        kinds = [token.type for token in GITHUB.parse(text) if not token.type.startswith("paragraph")]
        fence = [token.content.count("\n") for token in GITHUB.parse(text) if token.type == "fence"][1:2]
        return [kind for kind in kinds if kind != "inline"], fence
    if path.endswith(".toml"):
        return {key: sorted(value) for key, value in tomllib.loads(text).items()}
    return _keys(json.loads(text)) if path.endswith(".json") else text


def _without_hints(tree: ast.Module) -> ast.Module:
    """Which mistakes look like which exit depends on the exits, not on the shape."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg not in ("hints", "decided_by")]
    return tree


def _keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _keys(item) for key, item in value.items()}
    return [_keys(item) for item in value] if isinstance(value, list) else type(value).__name__


PLAIN = {
    edition: shape(render(plan(with_texts(Texts(["x"])), edition))) for edition in (Edition(), Edition(solution=True))
}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXT, min_size=1, max_size=8), st.sampled_from(list(PLAIN)))
def test_no_text_changes_the_shape_of_a_file(texts: list[str], edition: Edition) -> None:
    found = shape(render(plan(with_texts(Texts(list(texts))), edition)))
    for path, expected in PLAIN[edition].items():
        assert found[path] == expected, path


@pytest.mark.parametrize("text", NASTY)
def test_no_nasty_text_changes_the_shape_of_a_file(text: str) -> None:
    found = shape(render(plan(with_texts(Texts([text])), Edition(solution=True))))
    for path, expected in PLAIN[Edition(solution=True)].items():
        assert found[path] == expected, path


def tools_with_texts(texts: Texts) -> Lab:
    """The stretched lab with its free texts replaced."""
    lab, say = stretched_lab(), texts.next
    assert lab.stretch is not None
    assert lab.workspace is not None
    goal = lab.stretch.goals[0]
    own = tuple(fixture._replace(title=say()) for fixture in goal.fixtures)
    loop = lab.stretch.loop._replace(table=tuple(row._replace(says=say()) for row in lab.stretch.loop.table))
    meters = tuple(one if one.builtin else one._replace(says=say()) for one in lab.meters)
    added = goal.loop._replace(
        table=tuple(row._replace(says=say()) for row in goal.loop.table),
        taxonomy=tuple(reason._replace(says=say()) for reason in goal.loop.taxonomy),
        meters=(*meters, meter("attempts", "result")._replace(says=say())),
    )
    goal = goal._replace(title=say(), says=say(), loop=added, fixtures=own)
    stretch = lab.stretch._replace(goals=(goal,), loop=loop)
    shown = tuple({**event, "error": say()} if "error" in event else event for event in lab.fixtures[2].trace)
    return lab._replace(
        tools=tuple(tool._replace(says=say(), command=commanded(tool.command, say())) for tool in lab.tools),
        workspace=lab.workspace._replace(files=tuple((path, say()) for path, _ in lab.workspace.files)),
        fixtures=(*lab.fixtures[:2], lab.fixtures[2]._replace(title=say(), trace=shown, files={"fixtures/x": say()})),
        manual=tuple(item._replace(says=say()) for item in lab.manual),
        meters=meters,
        stretch=stretch,
    )


def commanded(command: Command | None, word: str) -> Command | None:
    """A command with another word at its end."""
    return None if command is None else command._replace(argv=(*command.argv[:-1], word))


PLAIN_TOOLS = shape(render(plan(tools_with_texts(Texts(["x"])), Edition(solution=True))))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXT, min_size=1, max_size=8))
def test_no_text_changes_the_shape_of_a_file_of_a_lab_with_tools(texts: list[str]) -> None:
    lab = tools_with_texts(Texts(list(texts)))
    tree = render(plan(lab, Edition(solution=True)))
    found = shape(tree)
    for path, expected in PLAIN_TOOLS.items():
        assert found[path] == expected, path
    for path, text in lab.workspace.files if lab.workspace else ():
        assert tree[f"workspace/{path}"].data.decode() == text


@pytest.mark.parametrize("text", NASTY)
def test_no_nasty_text_changes_the_shape_of_a_file_of_a_lab_with_tools(text: str) -> None:
    found = shape(render(plan(tools_with_texts(Texts([text])), Edition(solution=True))))
    for path, expected in PLAIN_TOOLS.items():
        assert found[path] == expected, path


def test_template_text_arrives_as_it_is() -> None:
    tree = render(plan(lab_with(title="{{ 7*7 }} {% raw %}"), Edition()))
    assert tree["README.md"].data.startswith(b"# {{ 7\\*7 }} {% raw %}\n")
    assert tomllib.loads(tree["pyproject.toml"].data.decode())["project"]["description"] == "{{ 7*7 }} {% raw %}"


def test_unused_meters_leave_no_trace() -> None:
    lab = lab_with(meters=(*first_lab().meters, meter("never_read", "result", "result.ok")))
    assert (
        render(plan(lab, Edition(solution=True)))["run_loop.py"]
        == render(plan(first_lab(), Edition(solution=True)))["run_loop.py"]
    )


def test_checks_that_read_alike_have_tests_of_their_own() -> None:
    fixtures = tuple(
        fixture._replace(id=name, data={**fixture.data, "id": name})
        for fixture, name in zip(first_lab().fixtures, ("x", "code_x"), strict=False)
    )
    checks = (Check("exit", ("x", "code_x")), Check("exit_code", ("x", "code_x")))
    lab = lab_with(fixtures=fixtures, exercises=(), rubric=(first_lab().rubric[0]._replace(checks=checks),))
    source = ast.parse(render(plan(lab, Edition()))["tests/test_exits.py"].data)
    names = [node.name for node in source.body if isinstance(node, ast.FunctionDef)]
    assert len(set(names)) == len(names) == 4


def test_gate_that_only_hidden_fixtures_decide_is_not_tested_in_the_starter() -> None:
    gate = first_lab().rubric[0]._replace(id="secret", checks=(Check("exit", ("ran_out_v1",)),))
    lab = lab_with(rubric=(*first_lab().rubric, gate))
    shown, hidden = render(plan(lab, Edition())), render(plan(lab, Edition(hidden=True)))
    assert "tests/test_secret.py" not in shown
    assert "tests/test_secret.py" in hidden
    gates = [{gate["id"] for gate in json.loads(tree["tests/gates.json"].data)["gates"]} for tree in (shown, hidden)]
    assert gates[1] - gates[0] == {"secret"}
