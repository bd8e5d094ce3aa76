"""The reference says what the code does: every command, every option, every key, every fact and every exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

from labspec import cli
from labspec.cli import COMMANDS, GROUPS, call
from labspec.conditions import FACTS
from labspec.conditions.parse import COMPARISONS
from labspec.conditions.tokens import KEYWORDS
from labspec.diagnostics import Report
from labspec.schema.objects import objects
from labspec.source import read_data
from labspec.source.extends import EXTENDS
from labspec.source.merge import PLACES, REMOVE
from labspec.source.nodes import plain
from labspec.spec.base import Model
from labspec.spec.cover import CoverSpec
from labspec.spec.loop import ChangedLoopSpec, LoopSpec
from tests.reference.completions import command_of
from tests.reference.markdown import anchor
from tests.reference.pages import PAGES, ROOT
from tests.reference.spec import example_line

REFERENCE = ROOT / "docs" / "reference"


def text_of(page: str) -> str:
    return (REFERENCE / page).read_text(encoding="utf-8")


def sections(page: str, level: str) -> dict[str, str]:
    """The text below each heading of a level, by the heading."""
    parts = re.split(rf"^{level} (.+)$", text_of(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", PAGES)
def test_what_is_written_from_the_code_is_current(name: str) -> None:
    current = PAGES[name]().encode()
    assert (ROOT / name).read_bytes() == current, "run `python -m tests.regen` and read the diff"


def commands(command: click.Command, called: str) -> Iterator[tuple[str, click.Command]]:
    yield called, command
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from commands(below, f"{called} {name}")


def test_every_command_has_a_section_with_every_option() -> None:
    found = sections("commands.md", "###")
    every = {f"`{called}`": one for name in COMMANDS for called, one in commands(command_of(name), f"labspec {name}")}
    assert sorted(found) == sorted(every)
    for heading, command in every.items():
        options = [name for option in command.params if isinstance(option, click.Option) for name in option.opts]
        assert [name for name in options if not re.search(rf"[`, ]{name}[`, ]", found[heading])] == [], heading


def test_every_command_is_in_one_group() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)


def test_every_exit_code_is_in_the_table() -> None:
    codes = {value for module in (cli, call) for name, value in vars(module).items() if name.startswith("EXIT_")}
    table = sections("commands.md", "##")["Exit codes"]
    assert codes == {int(code) for code in re.findall(r"^\| `(\d+)` \|", table, re.MULTILINE)}


def models(of: type[BaseModel] = Model) -> Iterator[type[BaseModel]]:
    """Every model of the authoring language."""
    for model in of.__subclasses__():
        if model.__module__.startswith("labspec.spec."):  # others are no part of the language
            yield model
        yield from models(model)


def test_every_key_of_a_spec_is_in_the_section_of_its_object() -> None:
    found = sections("spec.md", "##")
    for model in set(models()) - {CoverSpec, LoopSpec}:  # their keys are keys of a spec
        title = str(model.model_config.get("title"))
        section = found[title[:1].upper() + title[1:]]
        rows = set(re.findall(r"^\| \**`(\w+)`\** \|", section, re.MULTILINE))
        if issubclass(model, ChangedLoopSpec):
            assert all(f"`{key}`" in section for key in model.model_fields)
            assert rows == model.model_fields.keys() - LoopSpec.model_fields.keys()
        else:
            assert rows - {EXTENDS} == set(model.model_fields), title
    for key in (EXTENDS, REMOVE, *PLACES):
        assert f"| `{key}` |" in found["Variants"]


def test_every_example_can_be_written_into_a_spec_as_it_stands() -> None:
    examples = [
        (key, value)
        for definition in objects().values()
        for key, said in definition["properties"].items()
        for value in said.get("examples", [])
    ]
    assert examples
    for key, value in examples:
        line, report = example_line(key, value), Report()
        source = read_data(f"{line}\n".encode(), "lab.yaml", report)
        assert source is not None, (line, report.diagnostics)
        assert plain(source.root) == {key: value}
        assert f"`{line}`" in text_of("spec.md").replace("\\|", "|")


def test_every_fact_and_every_sign_of_conditions_is_on_their_page() -> None:
    page = text_of("conditions.md")
    for fact in FACTS:
        assert f"| `{fact}` |" in page
    for sign in COMPARISONS | KEYWORDS:
        assert f"`{sign}`" in page or f"`{sign} [" in page, sign


@pytest.mark.parametrize("page", sorted(path.name for path in REFERENCE.glob("*.md")))
def test_every_link_leads_somewhere(page: str) -> None:
    text = text_of(page)
    links = re.findall(r"\]\(([^)]+)\)", text)
    for link in links:
        path, _, place = link.partition("#")
        target = (REFERENCE / path).resolve() if path else REFERENCE / page
        assert target.exists(), link
        if place:
            headings = [anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
            assert place in {*headings, *re.findall(r'<a id="([^"]+)">', text)}, link


def test_no_two_places_of_a_page_have_one_name() -> None:
    for path in REFERENCE.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        places = [anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
        places += re.findall(r'<a id="([^"]+)">', text)
        assert sorted(places) == sorted(set(places)), path.name


def test_pages_are_all_written_from_the_code() -> None:
    written = {Path(name).name for name in PAGES if name.startswith("docs/")}
    assert {path.name for path in REFERENCE.iterdir()} == written
