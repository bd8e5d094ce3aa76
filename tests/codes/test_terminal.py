"""Pages at a terminal: everything that the Markdown says, in lines that fit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.codes import SUBJECTS, Page, known_codes, list_pages, read_page, show_page

PAGES = [read_page(code) for code in known_codes()]
WORDS = st.lists(st.text("abz`.,:-", min_size=1, max_size=8), min_size=1, max_size=60)


def page(body: str) -> Page:
    return Page("a-code", "A title", SUBJECTS[0], body)


def words(text: str) -> list[str]:
    """The words of a text, without the signs of Markdown."""
    return re.sub(r"^(## |```.*$)", "", text, flags=re.MULTILINE).split()


def without_yaml(markdown: str) -> str:
    return re.sub(r"```yaml.*?```", "", markdown, flags=re.DOTALL)


@pytest.mark.parametrize("one", PAGES, ids=lambda one: one.code)
def test_nothing_of_a_page_is_lost(one: Page) -> None:
    shown = show_page(one, 80, emphasis=False)
    assert words(shown) == [*one.title.split(), one.code, *f"({one.subject})".split(), *words(one.body)]


@pytest.mark.parametrize("one", PAGES, ids=lambda one: one.code)
def test_a_page_fits_into_eighty_columns(one: Page) -> None:
    shown = show_page(one._replace(body=without_yaml(one.body)), 80, emphasis=False)
    assert max(len(line) for line in shown.splitlines()) <= 80


@given(WORDS, st.integers(20, 90))
def test_paragraphs_are_filled_at_any_width(some: list[str], width: int) -> None:
    shown = show_page(page("Text: " + " ".join(some)), width, emphasis=False)
    assert shown.split()[5:] == " ".join(some).split()
    assert max(len(line) for line in shown.splitlines()) <= width


def test_a_line_of_yaml_is_never_broken() -> None:
    line = f"objectives: [{', '.join(['word'] * 40)}]"
    assert f"      {line}\n" in show_page(page(f"```yaml\n{line}\n```\n"), 40, emphasis=False)


def test_what_labspec_printed_goes_on_under_its_own_line() -> None:
    block = "```text\n  help: raise the budget, or lower the other one\n```\n"
    assert show_page(page(block), 40, emphasis=False).endswith(
        "        help: raise the budget, or lower\n          the other one\n"
    )


def test_items_of_a_list_hang_from_their_sign() -> None:
    shown = show_page(page("- one two three four five six\n- seven\n"), 20, emphasis=False)
    assert shown.endswith("  - one two three\n    four five six\n  - seven\n")


@pytest.mark.parametrize("one", PAGES[:3], ids=lambda one: one.code)
def test_emphasis_changes_nothing_but_how_headings_look(one: Page) -> None:
    strong = show_page(one, 80, emphasis=True)
    assert re.findall("\x1b\\[1m(.+)\x1b\\[0m", strong) == [one.title, *re.findall("^## (.+)$", one.body, re.MULTILINE)]
    assert re.sub("\x1b\\[[01]m", "", strong) == show_page(one, 80, emphasis=False)


def test_the_list_has_every_code_once_under_its_subject() -> None:
    listed = list_pages(reversed(PAGES), 80, emphasis=False)
    assert sorted(re.findall(r"^  ([a-z0-9-]+) ", listed, re.MULTILINE)) == list(known_codes())
    headings = re.findall(r"^(\w.+)$", listed, re.MULTILINE)
    assert headings == [subject for subject in SUBJECTS if any(one.subject == subject for one in PAGES)]
    assert max(len(line) for line in listed.splitlines()) <= 80
